"""Block shapes of a family as arrays, and lower bounds over everything else (docs/encoding.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.cost.combine import StateSize, least_cycles, state_size
from cpplan.cost.streams import transfer_cycles
from cpplan.cost.traffic import compulsory_tiles
from cpplan.cost.units import level_work
from cpplan.device.device import Device
from cpplan.device.free_boxes import most_cores
from cpplan.encode.scope import Scope
from cpplan.errors import InputError
from cpplan.plan.space import axes
from cpplan.plan.waves import least_trips_in_waves, trips_in_waves
from cpplan.tile.arith import ceil_div, round_up
from cpplan.tile.layout import hardware_tiles, shape_bytes, tile_bytes
from cpplan.tile.program import Access, Family, Profile, TileProgram

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
INFINITE = np.int64(1) << 60
"""Bound of what cannot be."""
LONGEST = 1 << 50
"""Cycles on one core up to which a launch is planned: sums and products of its figures stay below ``INFINITE``."""


@dataclass(frozen=True)
class BlockFacts:
    """Integers of every block-shape candidate (B of them) that the bounds need."""

    program: TileProgram
    axes: tuple[str, ...]  # what cores divide among themselves: parallel dims, then a loop that may be shared
    extents: Ints  # (axes, B) blocks, or trips
    trips: Ints  # (loops, B) most trips for any block of the grid
    pages: Ints  # (accesses, B) hardware tiles per tile
    page_bytes: tuple[int, ...]
    ops: Ints  # (1 + loops, B) cycles of own ops at block level and in each loop
    fixed: Ints  # (B,) bytes of accumulators and intermediates
    state: StateSize | None  # of a loop that may be shared, with (B,) arrays
    scopes: tuple[Scope, ...] = ()  # what a restriction leaves of every access; none: everything

    @property
    def blocks(self) -> Ints:
        """(B,) blocks of the grid."""
        total: Ints = np.prod(self.extents[: len(self.program.dims)], axis=0)
        return total

    @property
    def scoped_accesses(self) -> list[tuple[Access, Scope | None]]:
        """Every access with what a restriction leaves of it."""
        return list(zip(self.program.accesses, self.scopes or [None] * len(self.program.accesses), strict=True))


def block_facts(family: Family, device: Device) -> BlockFacts:
    """Read the stacked program of ``family`` once."""
    program, count = family.stacked, len(family.blocks)

    def row(value: object) -> Ints:
        return np.broadcast_to(np.asarray(value, dtype=np.int64), (count,))

    def rows(values: list[object]) -> Ints:
        return np.stack([row(v) for v in values]) if values else np.zeros((0, count), dtype=np.int64)

    work = level_work(program, device)
    fixed = np.zeros(count, dtype=np.int64)
    for buffer in program.buffers:
        fixed = fixed + round_up(shape_bytes(buffer.shape, buffer.dtype, program.in_runs), device.sram.alignment)
    shared = axes(program, device)
    return BlockFacts(
        program,
        tuple(shared),
        rows(list(shared.values())),
        rows([loop.trips for loop in program.loops]),
        rows([hardware_tiles(a.tile, program.in_runs) for a in program.accesses]),
        tuple(tile_bytes(program.tensor(a.tensor).dtype) for a in program.accesses),
        rows([work[""].cycles(), *(work[loop.name].cycles() for loop in program.loops)]),
        fixed,
        _state(program, device, row) if len(shared) > len(program.dims) else None,
    )


def _state(program: TileProgram, device: Device, row: Callable[[object], Ints]) -> StateSize:
    size = state_size(program, device)
    return StateSize(row(size.pages), row(size.bytes), size.page_bytes, row(size.cycles), size.apart)


def loop_number(program: TileProgram, name: str) -> int:
    """Position of loop ``name`` in the program."""
    return next(i for i, loop in enumerate(program.loops) if loop.name == name)


def spans_per_core(facts: BlockFacts, block: Ints, sharing: Ints | int) -> Ints:
    """(loops, n) most trips that one core runs of every loop for a block whose shared loop ``sharing`` cores divide."""
    trips = facts.trips[:, block]
    if facts.state is not None:
        number = loop_number(facts.program, facts.axes[-1])
        trips[number] = ceil_div(trips[number], sharing)
    return trips


def trips_per_core(facts: BlockFacts, block: Ints, cores: Ints) -> Ints:
    """(loops, n) trips that one core runs of every loop for a block, with ``cores`` (axes, n) cores per axis."""
    sharing = cores[-1] if facts.state is not None else 1
    trips = spans_per_core(facts, block, sharing)
    for number, dim, profile, parts in _profiles(facts, block, sharing):
        trips[number] = trips_in_waves(profile, facts.extents[dim, block], cores[dim], parts)
    return trips


def least_trips_per_core(facts: BlockFacts, device: Device, block: Ints, sharing: int) -> Ints:
    """A lower bound of :func:`trips_per_core` over all numbers of cores per parallel dim."""
    trips = spans_per_core(facts, block, sharing)
    for number, dim, profile, parts in _profiles(facts, block, sharing):
        trips[number] = least_trips_in_waves(profile, facts.extents[dim, block], most_cores(device), parts)
    return trips


def _profiles(facts: BlockFacts, block: Ints, sharing: Ints | int) -> Iterator[tuple[int, int, Profile, Ints | int]]:
    """Loops with a profile: number, number of the dim, profile of every entry of ``block``, cores that share it."""
    for number, loop in enumerate(facts.program.loops):
        if loop.profile is not None:
            fields = ("slope", "offset", "divisor", "low", "high")
            taken = replace(loop.profile, **{f: getattr(loop.profile, f)[block] for f in fields})
            parts = sharing if facts.state is not None and loop.name == facts.axes[-1] else 1
            yield number, facts.axes.index(loop.profile.dim), taken, parts


def block_ops(facts: BlockFacts, block: Ints, trips: Ints) -> Ints:
    """(n,) cycles of all tile ops that one core runs for a block with ``trips`` (loops, n)."""
    total: Ints = facts.ops[0, block].copy()
    for number, loop in enumerate(facts.program.loops):
        runs = np.ones_like(total)
        for name in facts.program.loop_path(loop.name):
            runs = runs * trips[loop_number(facts.program, name)]
        total = total + runs * facts.ops[1 + number, block]
    return total


def block_combining(facts: BlockFacts, device: Device, block: Ints, sharing: Ints | int) -> Ints:
    """(n,) least cycles that a core spends on combining a block whose loop ``sharing`` cores share."""
    if facts.state is None:
        return np.zeros(len(block), dtype=np.int64)
    least: Ints = least_cycles(device, facts.state.take(block), sharing)
    return least


def check_plannable(name: str, family: Family, facts: BlockFacts, device: Device) -> None:
    """Raise :class:`InputError` when launch ``name`` has no accesses or its cycles could leave the 64-bit range."""
    if not facts.program.accesses:
        raise InputError(f"{name}: reads and writes no tile, so there is nothing to plan")
    cycles = _one_core_cycles(facts, device)
    worst = int(np.argmax(cycles))
    if cycles[worst] > LONGEST:
        block = " ".join(f"{parameter}={value}" for parameter, value in family.blocks[worst]) or "its only block shape"
        raise InputError(
            f"{name}: too long to plan exactly: about {cycles[worst]:.0e} cycles on one core ({block}), the limit is "
            f"{LONGEST:.0e}. Check the sizes of the launch, or offer only larger blocks"
        )


def _one_core_cycles(facts: BlockFacts, device: Device) -> Floats:
    """Cycles of every block shape with all ops and transfers in turn on one core, in floats: they never wrap around."""
    program, trips = facts.program, facts.trips.astype(float)
    blocks: Floats = np.prod(facts.extents[: len(program.dims)].astype(float), axis=0)

    def runs(loop: str | None) -> Floats:
        total: Floats = blocks
        for name in program.loop_path(loop):
            total = total * trips[loop_number(program, name)]
        return total

    cycles: Floats = np.zeros_like(blocks)
    for loop, ops in zip((None, *(loop.name for loop in program.loops)), facts.ops, strict=True):
        cycles = cycles + runs(loop) * ops
    for access, pages, page_bytes in zip(program.accesses, facts.pages, facts.page_bytes, strict=True):
        transfer = device.dram.read if access.kind == "load" else device.dram.write
        cycles = cycles + runs(access.loop) * transfer_cycles(transfer, pages, page_bytes)
    return cycles


def block_bounds(facts: BlockFacts, device: Device) -> Ints:
    """Lower bound of every block shape over all mappings and orders (cycles); combining is left out."""
    program, compute = facts.program, _least_compute(facts, device)
    bank, least = np.zeros_like(compute), facts.fixed.copy()
    alone: dict[bool, Ints] = {False: np.zeros_like(compute), True: np.zeros_like(compute)}
    for number, access in enumerate(program.accesses):
        store = access.kind != "load"
        rate = device.dram.bank_write_rate if store else device.dram.bank_read_rate
        transfer = device.dram.write if store else device.dram.read
        share = compulsory_tiles(program, access) * facts.pages[number] * facts.page_bytes[number] // device.dram.banks
        bank = bank + share * rate.denominator // rate.numerator
        each = transfer_cycles(transfer, 1, facts.page_bytes[number]) - transfer.latency
        alone[store] = np.maximum(alone[store], transfer.latency + facts.pages[number] * each)
        least = least + facts.pages[number] * facts.page_bytes[number]
    bound = device.launch_cycles + np.maximum(compute + alone[False] + alone[True], bank + facts.ops.sum(axis=0))
    return np.where(least <= device.sram.usable, bound, INFINITE)


def _least_compute(facts: BlockFacts, device: Device) -> Ints:
    """(B,) cycles of the tile ops on the busiest core, however the cores divide blocks and shared trips.

    Of the numbers of cores per shared loop that leave equally many blocks in flight, the largest has the fewest trips.
    """
    every, cores = np.arange(facts.extents.shape[1]), most_cores(device)
    most = 1 if facts.state is None else min(cores, int(facts.extents[-1].max()))
    best = np.full(len(every), INFINITE)
    for sharing in sorted({min(cores // (cores // fewest), most) for fewest in range(1, most + 1)}):
        trips = least_trips_per_core(facts, device, every, sharing)
        rounds: Ints = ceil_div(facts.blocks, cores // sharing)
        best = np.minimum(best, rounds * block_ops(facts, every, trips))
    return best
