"""Deliveries reduced to what bounds need: streams from DRAM, receivers, and load of the busiest link."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from cpplan.cost.streams import packets, transfer_cycles
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.encode.blocks import INFINITE, BlockFacts, Ints
from cpplan.encode.lanes import SpatialTable
from cpplan.encode.scope import Scope
from cpplan.plan.plan import Delivery, Pattern, Split
from cpplan.plan.routes import Coordinate, load_weights, store_weights
from cpplan.plan.space import Spatial, active_extents, deliveries, group_sizes, is_shareable, writers
from cpplan.tile.arith import Int, ceil_div, cycles_at
from cpplan.tile.program import Access, TileProgram


@dataclass(frozen=True)
class Way:
    """A class of deliveries of every lane, with at least these costs.

    ``streams`` reads leave DRAM per transfer, each for at least ``members`` cores; a transfer of one stream of b bytes
    keeps the busiest link for at least ``b * link[0] / link[1]`` cycles. ``possible`` is False where the class is
    empty.
    """

    pattern: Pattern
    members: Int
    streams: Int
    link: tuple[Int, Int] = (0, 1)
    possible: Int = True

    def take(self, keep: Ints) -> Way:
        """The way of the lanes selected by ``keep``."""

        def of(figure: Int) -> Int:
            return figure[keep] if isinstance(figure, np.ndarray) else figure

        link = (of(self.link[0]), of(self.link[1]))
        return Way(self.pattern, of(self.members), of(self.streams), link, of(self.possible))

    def cycles(self, device: Device, store: bool, pages: Ints, page_bytes: int) -> tuple[Ints, Ints, Ints]:
        """Cycles of one transfer of ``pages`` pages per stream: at its processor, at the banks, on the busiest link."""
        dram, total = device.dram, pages * page_bytes
        chain = transfer_cycles(dram.write if store else dram.read, pages, page_bytes)
        if self.pattern == "multicast" and device.multicast is not None:
            count, size = packets(device.multicast.transfer, total)
            send = transfer_cycles(device.multicast.transfer, count, size, self.members)
            chain = chain + device.multicast.handshake + send
        elif self.pattern == "forward" and device.forward is not None:
            count, size = packets(device.forward.transfer, total)
            chain = chain + transfer_cycles(device.forward.transfer, count, size)
        rate = dram.bank_write_rate if store else dram.bank_read_rate
        bank = cycles_at(ceil_div(self.streams * pages, dram.banks) * page_bytes, rate)
        link = ceil_div(total * self.link[0], self.link[1])
        return np.where(self.possible, chain, INFINITE), bank, link


def widest_ways(device: Device, facts: BlockFacts, access: Access, cores: Ints) -> list[Way]:
    """Bounds for any mapping with ``cores`` cores per axis: private reads, or sharing as wide as can be.

    A shared stream needs the fewest reads, but pays at least for sending to one more core.
    """
    if access.kind != "load":
        return [Way("private", 1, np.prod(cores[: len(facts.program.dims)], axis=0))]
    active = np.prod(cores, axis=0)
    ways = [Way("private", 1, active)]
    needed = [i for i, axis in enumerate(facts.axes) if axis in access.indices]
    fewest = np.prod(cores[needed], axis=0) if needed else np.ones_like(active)
    if device.multicast is not None:
        ways.append(Way("multicast", 2, fewest, possible=fewest < active))
    if device.forward is not None:
        ways.append(Way("forward", 2, fewest, possible=fewest < active))
    return ways


def ways_left(ways: list[Way], scope: Scope | None) -> list[Way]:
    """``ways`` with those impossible whose pattern a restriction rules out."""
    if scope is None:
        return ways
    return [replace(way, possible=np.logical_and(way.possible, scope.has_pattern(way.pattern))) for way in ways]


def real_ways(
    device: Device, program: TileProgram, table: SpatialTable, mappings: Ints, access: Access, scope: Scope | None
) -> list[Way]:
    """The deliveries of ``access`` on every one of ``mappings``: per sharing group and pattern the least busy link.

    The i-th way of a pattern stands for the i-th group of every mapping that has so many. ``scope`` is what a
    restriction leaves of the access; where that is nothing, no way is possible.
    """
    listed_once, which = mappings.tolist(), np.arange(len(mappings))
    if scope is None:  # terms may tell mappings of a kind apart
        loop = program.reduction.loop if program.reduction is not None else ""
        listed_once, which = kinds(table, mappings, access.indices if is_shareable(program, access) else None, loop)
    per_kind = [_real(device, program, table.mapping(m), table.origin(m), access, scope) for m in listed_once]
    out = []
    for pattern in ("private", "multicast", "forward"):
        listed = [[c for c in classes if c[0] == pattern] for classes in per_kind]
        for slot in range(max(map(len, listed), default=0)):
            rows = np.array([c[slot][1:] if slot < len(c) else (1, 1, 0, 1) for c in listed], dtype=np.int64).T
            has = np.array([slot < len(c) for c in listed])
            out.append(Way(pattern, rows[0], rows[1], (rows[2], rows[3]), has).take(which))
    nothing, one = np.zeros(len(mappings), dtype=bool), np.ones(len(mappings), dtype=np.int64)
    return out or [Way("private", one, one, (0 * one, one), nothing)]


def kinds(table: SpatialTable, mappings: Ints, sharing: frozenset[str] | None, loop: str) -> tuple[list[int], Ints]:
    """One mapping of every kind, and the kind of every one of ``mappings``; those of a kind look the same to an access.

    What counts is, along every spatial dim, which cores may share a read whose address depends on ``sharing``, or, when
    that is None, which cores share the trips of ``loop``.
    """
    key = table.corner[mappings]
    for dim, digits in enumerate(table.digits[:, mappings]):
        seen = _alike(table, dim, sharing, loop)
        key = key * len(seen) + seen[digits]
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return mappings[first].tolist(), which


@lru_cache(maxsize=256)
def _alike(table: SpatialTable, dim: int, sharing: frozenset[str] | None, loop: str) -> Ints:
    """(sequences,) numbers of the digit sequences of one spatial dim, equal where :func:`kinds` sees no difference."""
    known: dict[tuple[int, ...], int] = {}
    out = []
    for q in table.sequences[dim]:
        seen = group_sizes(q, sharing) if sharing is not None else _writing(q, loop)
        out.append(known.setdefault((math.prod(s.factor for s in q), *seen), len(known)))
    return np.array(out, dtype=np.int64)


def _writing(splits: tuple[Split, ...], loop: str) -> list[int]:
    """Positions along one spatial dim whose cores store: the first of those that share ``loop`` for a block."""
    positions = [0]
    for split in splits:
        digits = (0,) if split.dim == loop else range(split.factor)
        positions = [position * split.factor + digit for position in positions for digit in digits]
    return positions


def _real(
    device: Device, program: TileProgram, spatial: Spatial, origin: Coordinate, access: Access, scope: Scope | None
) -> tuple[tuple[Pattern, int, int, int, int], ...]:
    """The classes of deliveries of ``access`` on one mapping that ``scope`` leaves."""
    seen, store = seen_from(device, origin), access.kind != "load"
    found = deliveries(seen, spatial, access, is_shareable(program, access))
    left = found if scope is None else scope.deliveries(seen, spatial, found)
    return _classes(seen, active_extents(spatial), store, left, writers(program, spatial) if store else None)


@lru_cache(maxsize=1 << 14)
def _classes(
    device: Device, active: tuple[int, ...], store: bool, found: tuple[Delivery, ...],
    who: tuple[Coordinate, ...] | None,
) -> tuple[tuple[Pattern, int, int, int, int], ...]:  # fmt: skip
    """(pattern, members, streams, link cycles per byte as numerator and denominator) per group and pattern."""
    least: dict[tuple[tuple[int, ...], Pattern], Fraction] = {}
    for way in found:
        if store:
            weights = store_weights(device, active, way.noc, who)
        else:
            weights = load_weights(device, active, way.groups, way.pattern, way.noc, way.reader)
        load = Fraction(int(weights.max())) / (device.dram.banks * device.nocs[way.noc].link_rate)
        key = (way.groups, way.pattern)
        least[key] = min(load, least.get(key, load))
    cores = len(who) if who is not None else math.prod(active)
    return tuple(
        (pattern, math.prod(groups), cores // math.prod(groups), load.numerator, load.denominator)
        for (groups, pattern), load in least.items()
    )
