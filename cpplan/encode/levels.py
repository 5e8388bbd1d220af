"""What the transfer of an access costs at every level of every wave order, for all lanes of one pattern at once.

A wave level is a pair (outside, group) of sets of dims: the dims of the loops down to it, itself included, and those of
its own loop. What a transfer moves depends on the outside set alone, so all orders share one table of 2^dims entries
per access; an order is a chain of such pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device
from cpplan.encode.blocks import INFINITE, BlockFacts, Ints, loop_number
from cpplan.encode.lanes import Lanes, lane_block_ops, lane_combining, lane_spans, lane_trips, lane_waves
from cpplan.encode.scope import Scope
from cpplan.encode.ways import Way
from cpplan.tile.arith import Int, round_up
from cpplan.tile.program import Access

Bools = npt.NDArray[np.bool_]
Prices = npt.NDArray[np.float64]

ONCE, STRETCHED, EXPOSED, EXPOSED_CHAIN, EXPOSED_BANK, BANK, PROCESSOR, LINK = range(8)
"""Figures of an access at a level, in cycles.

One transfer; all transfers in turn and the ops of the last iteration behind them; time that no pipelining hides: of the
whole stream, at its processor, at its banks; in the whole launch: at its banks, its processor, its busiest link.
"""
PRICES = (0.0625, 0.25, 1.0, 4.0)
"""SRAM prices: all of SRAM costs so many times what the banks need to move every tile once."""
PRICED = slice(LINK + 1, LINK + 1 + len(PRICES))
"""At its banks in the whole launch, and the rent of its buffer, one figure per price."""
FIGURES = PRICED.stop
TOTALS = slice(BANK, FIGURES)
"""The figures that add up over the whole launch."""
NEVER = np.int64(1) << 55
"""Figure of a level that cannot be; sums of a few hundred stay below 2^63."""


@dataclass(frozen=True)
class LoopLevel:
    """Where an access may sit inside a loop of the block, for n lanes."""

    loop: int  # number in the program
    runs: Ints  # (n,) iterations in the whole launch
    trips: Ints  # (n,)
    pages: Ints  # (n,) per transfer
    size: Ints  # (n,) bytes of a single buffer
    buffers: Ints  # (n,) 2 where a double buffer fits, 1 for a single one, 0 for none


@dataclass(frozen=True)
class LevelTable:
    """Lanes (n of them) with more than one wave in the same ``dims`` (positions; bit i of a set is ``dims[i]``)."""

    facts: BlockFacts
    device: Device
    dims: tuple[int, ...]
    waves: Ints  # (sets, n) product of the waves of a set
    trips: Ints  # (loops, n) of every loop of the block on one core
    spans: Ints  # (loops, n) most of them for any block
    compute: Ints  # (n,) cycles of all ops on one core
    ops: Ints  # (1 + loops, n) cycles of own ops at block level and in each loop
    combining: Ints  # (n,) least cycles of combining per block
    buffers: Ints  # (accesses, sets, n) 2 where a double buffer fits at this level, 1 for a single one, 0 for none
    longest: Ints  # (accesses, sets, n) cycles of one transfer
    chain: Ints
    bank: Ints
    link: Ints
    pages: Ints  # (accesses, sets, n) per transfer
    size: Ints  # (accesses, sets, n) bytes of a single buffer
    loops: tuple[tuple[LoopLevel, ...], ...]  # per access
    ways: Sequence[list[Way]]  # per access
    prices: Prices  # (prices, n) cycles per byte of SRAM
    room: Ints  # (n,) bytes
    inner: Ints  # (accesses, FIGURES, n) the best of the levels inside the block
    fits: Bools  # (n,) the smallest buffers fit together

    @property
    def once(self) -> Ints:
        """(n,) every op of the nest once."""
        total: Ints = self.ops.sum(axis=0)
        return total

    @property
    def everything(self) -> int:
        """The set of all dims."""
        return (1 << len(self.dims)) - 1

    def figures(self, lane: Ints, outside: Ints, group: Ints) -> Ints:
        """(accesses, FIGURES, rows) figures of the levels (``outside``, ``group``) of lanes ``lane``."""
        here = slice(None), outside, lane
        cycles = self.longest[here], self.chain[here], self.bank[here], self.link[here]
        return _figures(
            self.waves[outside, lane], self.waves[group, lane], self.compute[lane], self.buffers[here], cycles,
            self.size[here], self.prices[:, lane],
        )  # fmt: skip

    def nothing_below(self) -> Ints:
        """(accesses, FIGURES, sets, lanes) the best over the levels further inside than a set: none known yet."""
        sets, count = self.waves.shape
        return np.full((len(self.buffers), FIGURES, sets, count), NEVER)

    def add_best_below(self, below: Ints, outer: int, lane: Ints) -> None:
        """Fill in what is further inside than the set ``outer`` on lanes ``lane``, whatever the order."""
        inside = np.array([s for s in range(outer + 1, len(self.waves)) if s & outer == outer], dtype=np.int64)
        outside = np.repeat(inside, len(lane))
        found = self.figures(np.tile(lane, len(inside)), outside, outside & ~outer)
        best = found.reshape(*found.shape[:2], len(inside), len(lane)).min(axis=2, initial=NEVER)
        below[:, :, outer, lane] = best


def level_table(
    facts: BlockFacts, device: Device, lanes: Lanes, dims: tuple[int, ...], ways: Sequence[list[Way]], meeting: Int = 0
) -> LevelTable:
    """Price every access at every wave level of ``lanes``; ``ways`` lists the deliveries of every access.

    ``meeting``: cycles per block that combining takes longer than it would if no streams met.
    """
    program, block = facts.program, lanes.block
    waves = lane_waves(facts, lanes)
    products = np.ones((1 << len(dims), len(lanes)), dtype=np.int64)
    for bit, dim in enumerate(dims):
        products[1 << bit : 2 << bit] = products[: 1 << bit] * waves[dim]
    combining = lane_combining(facts, device, lanes) + meeting
    compute = products[-1] * (lane_block_ops(facts, lanes) + combining)
    trips, spans = lane_trips(facts, lanes), lane_spans(facts, lanes)
    room = device.sram.usable - facts.fixed[block]
    shape = (len(program.accesses), *products.shape)
    buffers, longest, chain, bank, link, pages, size = (np.zeros(shape, dtype=np.int64) for _ in range(7))
    sets, loops = np.arange(len(products)), []
    for number, (access, scope) in enumerate(facts.scoped_accesses):
        page_bytes = facts.page_bytes[number]
        wanted = sum(1 << bit for bit, dim in enumerate(dims) if program.dims[dim].name in access.indices)
        path = [(loop_number(program, name), name in access.indices) for name in program.loop_path(access.loop)]
        tiles = products[~sets & (len(products) - 1) & wanted]
        for loop, known in path:
            tiles = tiles * (spans[loop] if known else 1)
        pages[number] = tiles * facts.pages[number, block]
        size[number] = round_up(pages[number] * page_bytes, device.sram.alignment)
        repeats = [(spans[loop], known) for loop, known in path]
        allowed = _wave_levels(facts, access, dims, wanted, repeats, len(lanes))
        if scope is not None:
            allowed = allowed & scope.at_waves([program.dims[dim].name for dim in dims])[:, None]
        buffers[number] = np.where(allowed, _deepest(size[number], room, scope), 0)
        longest[number], chain[number], bank[number], link[number] = _cheapest(
            device, access, ways[number], pages[number], page_bytes
        )
        one = facts.pages[number, block], page_bytes
        loops.append(_loop_levels(facts, device, path, one, products[-1], trips, spans, room, scope))
    prices = _sram_prices(bank[:, 0], room)
    inner = np.full((len(program.accesses), FIGURES, len(lanes)), NEVER)
    least = np.zeros(len(lanes), dtype=np.int64)
    for number, access in enumerate(program.accesses):
        page_bytes = facts.page_bytes[number]
        inner[number] = _inner_figures(device, access, ways[number], loops[number], page_bytes, compute, prices)
        least += round_up(facts.pages[number, block] * page_bytes, device.sram.alignment)
    return LevelTable(
        facts, device, dims, products, trips, spans, compute, facts.ops[:, block], combining, buffers, longest, chain,
        bank, link, pages, size, tuple(loops), ways, prices, room, inner, least <= room,
    )  # fmt: skip


def _loop_levels(
    facts: BlockFacts, device: Device, path: list[tuple[int, bool]], one: tuple[Ints, int], waves: Ints, trips: Ints,
    spans: Ints, room: Ints, scope: Scope | None,
) -> tuple[LoopLevel, ...]:  # fmt: skip
    """The levels of the loops on ``path`` (number, and whether the address depends on it); ``one``: pages per tile and
    bytes per page."""
    out, runs = [], waves
    for position, (loop, _) in enumerate(path):
        tiles, runs = np.ones_like(waves), runs * trips[loop]
        for inside, known in path[position + 1 :]:
            tiles = tiles * (spans[inside] if known else 1)
        pages = tiles * one[0]
        size = round_up(pages * one[1], device.sram.alignment)
        buffers = _deepest(size, room, scope)
        if scope is None or scope.at_loop(facts.program.loops[loop].name):
            out.append(LoopLevel(loop, runs, trips[loop], pages, size, buffers))
    return tuple(out)


def _sram_prices(once: Ints, room: Ints) -> Prices:
    """(prices, n) cycles per byte of SRAM, from the cycles of the banks (accesses, n) to move every tile once."""
    total = np.minimum(once, NEVER // len(once)).sum(axis=0)
    out: Prices = np.array(PRICES)[:, None] * (total / np.maximum(room, 1))
    return out


def _rent(price: Prices, size: Ints) -> Ints:
    """Cycles that a buffer of ``size`` bytes costs, rounded down (one more for what floats lose)."""
    out: Ints = np.maximum(0, np.minimum(np.floor(price * size), NEVER)).astype(np.int64)
    return np.maximum(0, out - 1)


def _figures(
    runs: Ints, trips: Ints, compute: Ints, buffers: Ints, cycles: tuple[Ints, Ints, Ints, Ints], size: Ints,
    prices: Prices,
) -> Ints:  # fmt: skip
    """(..., FIGURES, n) figures of levels that run ``runs`` times, ``trips`` in a row (n), for buffers (..., n) of
    ``size`` bytes whose transfers take ``cycles``."""
    longest, chain, bank, link = cycles
    shown, moved = np.where(buffers == 2, runs // trips, runs), runs * bank
    out = np.empty((*buffers.shape[:-1], FIGURES, buffers.shape[-1]), dtype=np.int64)
    stretched = runs * longest + compute // trips
    exposed = shown * longest, shown * chain, shown * bank
    for figure, value in enumerate([longest, stretched, *exposed, moved, runs * chain, runs * link]):
        out[..., figure, :] = value
    out[..., PRICED, :] = moved[..., None, :] + _rent(prices, size[..., None, :])
    np.copyto(out, NEVER, where=(buffers <= 0)[..., None, :])
    return out


def _is_fixed(facts: BlockFacts, access: Access) -> bool:
    """Whether the transfer must stay at its use (:func:`cpplan.plan.space.legal_levels`)."""
    if access.kind == "load":
        return facts.program.is_written(access.tensor) or access.klass != "affine"
    return access.kind == "atomic"


def _wave_levels(
    facts: BlockFacts,
    access: Access,
    dims: tuple[int, ...],
    wanted: int,
    repeats: list[tuple[Ints, bool]],
    lanes: int,
) -> Bools:
    """(sets, lanes) whether a transfer may sit at a wave level: the rules of the space, for all orders at once.

    ``repeats``: spans of the loops around it, and whether the address depends on each.
    """
    sets = np.arange(1 << len(dims))[:, None]
    everything = (1 << len(dims)) - 1
    if _is_fixed(facts, access):
        busy = np.prod([span for span, _ in repeats], axis=0) > 1 if repeats else np.zeros(lanes, dtype=bool)
        at_use: Bools = (sets == everything) & ~busy
        return at_use
    if access.kind == "load":
        return np.ones((len(sets), lanes), dtype=bool)
    again = np.zeros(lanes, dtype=bool)
    for span, depends in repeats:
        again |= (span > 1) & (not depends)
    once_each: Bools = ((everything & ~sets & ~wanted) == 0) & ~again
    return once_each


def _cheapest(
    device: Device, access: Access, ways: list[Way], pages: Ints, page_bytes: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Least cycles of one transfer over ``ways``: as a whole, at its processor, at the banks, on the busiest link."""
    figures = []
    for way in ways:
        chain, bank, link = way.cycles(device, access.kind != "load", pages, page_bytes)
        longest = np.maximum(np.maximum(chain, bank), link)
        figures.append([np.where(chain < INFINITE, figure, NEVER) for figure in (longest, chain, bank, link)])
    longest, chain, bank, link = (np.min([f[i] for f in figures], axis=0) for i in range(4))
    return longest, chain, bank, link


def _inner_figures(
    device: Device, access: Access, ways: list[Way], levels: tuple[LoopLevel, ...], page_bytes: int, compute: Ints,
    prices: Prices,
) -> Ints:  # fmt: skip
    """(FIGURES, lanes) the best of the loops inside the block."""
    best = np.full((FIGURES, len(compute)), NEVER)
    for level in levels:
        cycles = _cheapest(device, access, ways, level.pages, page_bytes)
        here = _figures(level.runs, level.trips, compute, level.buffers, cycles, level.size, prices)
        best = np.minimum(best, here)
    return best


def _deepest(size: Ints, room: Ints, scope: Scope | None) -> Ints:
    """2 where a double buffer of ``size`` bytes fits and is left, 1 where only a single one, 0 where none."""
    single, double = size <= room, 2 * size <= room
    if scope is not None:
        single, double = single & scope.has_depth(1), double & scope.has_depth(2)
    out: Ints = np.maximum(single, 2 * double)
    return out
