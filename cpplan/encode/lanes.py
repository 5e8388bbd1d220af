"""All (block shape, spatial mapping) pairs of a family as arrays, and lower bounds that hold for every plan in them.

A *lane* is one legal pair. Bounds are computed for all lanes and wave orders at once; each is proved in
docs/encoding.md ("Bounds"). They only ever use rules of the exact model with choices left open, so pruning by them is
safe.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.cost.streams import packets, transfer_cycles
from cpplan.cost.units import hardware_tiles, level_work, shape_bytes, tile_bytes
from cpplan.device.device import Device
from cpplan.plan.space import Spatial, avoids_disabled, ordered_partitions, spatial_choices
from cpplan.tile.arith import ceil_div, cycles_at, round_up
from cpplan.tile.program import Access, Family, TileProgram

Ints = npt.NDArray[np.int64]
INFINITE = np.int64(1) << 60


@dataclass(frozen=True)
class BlockFacts:
    """Integers of every block-shape candidate (B of them) that the bounds need."""

    program: TileProgram
    extents: Ints  # (dims, B) blocks
    trips: Ints  # (loops, B)
    pages: Ints  # (accesses, B) hardware tiles per tile
    page_bytes: tuple[int, ...]
    ops: Ints  # (1 + loops, B) cycles of own ops at block level and in each loop
    fixed: Ints  # (B,) bytes of accumulators and intermediates


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
        fixed = fixed + round_up(shape_bytes(buffer.shape, buffer.dtype), device.sram.alignment)
    return BlockFacts(
        program,
        rows([d.extent for d in program.dims]),
        rows([loop.trips for loop in program.loops]),
        rows([hardware_tiles(a.tile) for a in program.accesses]),
        tuple(tile_bytes(program.tensor(a.tensor).dtype) for a in program.accesses),
        rows([work[""].cycles(), *(work[loop.name].cycles() for loop in program.loops)]),
        fixed,
    )


@dataclass(frozen=True)
class SpatialTable:
    """All spatial mappings of a device for a tuple of parallel dims, as arrays (S of them)."""

    choices: tuple[Spatial, ...]
    cores: Ints  # (dims, S) cores per parallel dim
    split_dim: Ints  # (slots, S) dim number of each split, -1 where a mapping has fewer
    fewer: Ints  # (slots, S) cores of that dim with one core less in the split


@lru_cache(maxsize=64)
def spatial_table(device: Device, dims: tuple[str, ...]) -> SpatialTable:
    """Enumerate the mappings once per device and dim names."""
    choices = tuple(s for s in spatial_choices(device, dims) if avoids_disabled(device, s))
    slots = max((sum(map(len, s)) for s in choices), default=0)
    cores = np.ones((len(dims), len(choices)), dtype=np.int64)
    split_dim = np.full((slots, len(choices)), -1, dtype=np.int64)
    fewer = np.ones((slots, len(choices)), dtype=np.int64)
    number = {name: i for i, name in enumerate(dims)}
    for j, spatial in enumerate(choices):
        splits = list(itertools.chain.from_iterable(spatial))
        for split in splits:
            cores[number[split.dim], j] *= split.factor
        for slot, split in enumerate(splits):
            dim = number[split.dim]
            split_dim[slot, j] = dim
            fewer[slot, j] = cores[dim, j] // split.factor * (split.factor - 1)
    return SpatialTable(choices, cores, split_dim, fewer)


@dataclass(frozen=True)
class Lanes:
    """Legal (block, mapping) pairs: positions into the family's blocks and the mapping table."""

    block: Ints
    spatial: Ints

    def take(self, keep: npt.NDArray[np.bool_] | Ints) -> Lanes:
        """The lanes selected by ``keep``."""
        return Lanes(self.block[keep], self.spatial[keep])

    def __len__(self) -> int:
        return len(self.block)


def lanes_of(facts: BlockFacts, table: SpatialTable, blocks: Ints) -> Lanes:
    """All legal pairs of ``blocks``: the vectorised form of ``space.earns_its_cores``."""
    extents = facts.extents[:, blocks]  # (dims, b)
    legal = np.all(table.cores[:, None, :] <= extents[:, :, None], axis=0)
    for slot_dim, slot_fewer in zip(table.split_dim, table.fewer, strict=True):
        used = slot_dim >= 0
        dim = np.where(used, slot_dim, 0)
        total = table.cores[dim, np.arange(len(dim))]
        extent = extents[dim].T  # (b, S)
        legal &= ~used | (ceil_div(extent, slot_fewer) > ceil_div(extent, total))
    block, spatial = np.nonzero(legal)
    return Lanes(blocks[block], spatial.astype(np.int64))


@dataclass(frozen=True)
class Bounded:
    """Lower bounds of the columns of ``lanes`` under one sequence of wave loops (dim numbers, outermost first)."""

    lanes: Lanes
    order: tuple[tuple[int, ...], ...]
    bound: Ints  # cycles


def column_bounds(facts: BlockFacts, device: Device, table: SpatialTable, lanes: Lanes) -> list[Bounded]:
    """Lower bound of every column of ``lanes``; columns that cannot fit in SRAM are left out."""
    waves = ceil_div(facts.extents[:, lanes.block], table.cores[:, lanes.spatial])
    dims = len(facts.program.dims)
    pattern = (waves > 1).T @ (1 << np.arange(dims))
    out = []
    for mask in np.unique(pattern):
        here = np.nonzero(pattern == mask)[0]
        active = tuple(d for d in range(dims) if mask >> d & 1)
        for order in ordered_partitions(active):
            bound = _order_bound(facts, device, table, lanes.take(here), waves[:, here], order)
            fits = bound < INFINITE
            chosen = lanes.take(here[fits])
            out.append(Bounded(chosen, order, bound[fits]))
    return out


def _order_bound(
    facts: BlockFacts,
    device: Device,
    table: SpatialTable,
    lanes: Lanes,
    waves: Ints,
    order: tuple[tuple[int, ...], ...],
) -> Ints:
    program, block = facts.program, lanes.block
    cores = table.cores[:, lanes.spatial]
    outer = np.prod(waves, axis=0)
    compute = outer * facts.ops[0, block]
    for number, loop in enumerate(program.loops):
        runs = outer.copy()
        for name in program.loop_path(loop.name):
            runs = runs * facts.trips[_loop_number(program, name), block]
        compute = compute + runs * facts.ops[1 + number, block]
    room = device.sram.usable - facts.fixed[block]
    parts: dict[bool, list[_Part]] = {False: [], True: []}
    bank, least = np.zeros(len(lanes), dtype=np.int64), np.zeros(len(lanes), dtype=np.int64)
    alone = []
    for number, access in enumerate(program.accesses):
        part = _access_bound(facts, device, access, number, lanes, waves, cores, order, room)
        parts[access.kind != "load"].append(part)
        bank, least = bank + part.bank, least + part.sram
        alone.append(part.processor)
    nocs = len(device.nocs)
    latency = sum((_together(p, nocs) for p in parts.values() if p), np.zeros(len(lanes), dtype=np.int64))
    serial = np.maximum(np.max(alone, axis=0), ceil_div(np.sum(alone, axis=0), nocs))
    bound = device.launch_cycles + np.maximum(np.maximum(compute + latency, bank), serial)
    return np.where((least <= room) & (latency < INFINITE), bound, INFINITE)


def _together(parts: list[_Part], nocs: int) -> Ints:
    """Exposed time of several streams: the longest one, their spread over the processors, or their sum at the banks."""
    longest = np.max([p.exposed for p in parts], axis=0)
    spread = ceil_div(np.sum([p.exposed_chain for p in parts], axis=0), nocs)
    banks = np.sum([p.exposed_bank for p in parts], axis=0)
    together: Ints = np.minimum(INFINITE, np.maximum(longest, np.maximum(spread, banks)))
    return together


@dataclass(frozen=True)
class _Part:
    exposed: Ints  # time that no pipelining can hide: whole stream, its processor alone, its banks alone
    exposed_chain: Ints
    exposed_bank: Ints
    bank: Ints
    processor: Ints
    sram: Ints


def _access_bound(
    facts: BlockFacts,
    device: Device,
    access: Access,
    number: int,
    lanes: Lanes,
    waves: Ints,
    cores: Ints,
    order: tuple[tuple[int, ...], ...],
    room: Ints,
) -> _Part:
    program, block = facts.program, lanes.block
    dims = [d.name for d in program.dims]
    one = np.ones(len(lanes), dtype=np.int64)
    levels = [_level([(dims[d], waves[d]) for d in group], access, one) for group in order]
    for name in program.loop_path(access.loop):
        levels.append(_level([(name, facts.trips[_loop_number(program, name), block])], access, one))
    pages, page_bytes = facts.pages[number, block], facts.page_bytes[number]
    held, runs = one, one
    for _, distinct in levels:
        held = held * distinct
    big = np.full(len(lanes), INFINITE)
    best = _Part(big, big, big, big, big, round_up(pages * page_bytes, device.sram.alignment))
    for trips, distinct in [(one, one), *levels]:
        outside, runs = runs, runs * trips
        held = held // distinct
        size = round_up(held * pages * page_bytes, device.sram.alignment)
        shown = np.where(2 * size <= room, outside, np.where(size <= room, runs, INFINITE))
        repeated = np.where(size <= room, runs, INFINITE)
        for chain, bank in _ways(device, access, dims, cores, held * pages, page_bytes):
            best = _Part(
                np.minimum(best.exposed, _product(shown, np.maximum(chain, bank))),
                np.minimum(best.exposed_chain, _product(shown, chain)),
                np.minimum(best.exposed_bank, _product(shown, bank)),
                np.minimum(best.bank, _product(repeated, bank)),
                np.minimum(best.processor, _product(repeated, chain)),
                best.sram,
            )
    return best


def _level(pairs: list[tuple[str, Ints]], access: Access, one: Ints) -> tuple[Ints, Ints]:
    """(trips, iterations that differ for ``access``) of a level that iterates ``pairs`` of index and trips."""
    trips, distinct = one, one
    for name, count in pairs:
        trips = trips * count
        distinct = distinct * count if name in access.indices else distinct
    return trips, distinct


def _ways(
    device: Device, access: Access, dims: list[str], cores: Ints, pages: Ints, page_bytes: int
) -> list[tuple[Ints, Ints]]:
    """(cycles at the processor, cycles at the banks) of one transfer: private, and shared as widely as can be.

    A shared stream needs the fewest reads, but pays at least for sending to one more core.
    """
    active = np.prod(cores, axis=0)
    store = access.kind != "load"
    alone = transfer_cycles(device.dram.write if store else device.dram.read, pages, page_bytes)
    ways = [(alone, _bank_cycles(device, store, active * pages, page_bytes))]
    if store:
        return ways
    needed = [i for i, d in enumerate(dims) if d in access.indices]
    streams = np.prod(cores[needed], axis=0) if needed else np.ones_like(active)
    banks = _bank_cycles(device, store, streams * pages, page_bytes)
    for share in (device.multicast, device.forward):
        if share is not None:
            count, largest = packets(share.transfer, pages * page_bytes)
            send = transfer_cycles(share.transfer, count, largest, 2 if share is device.multicast else 0)
            handshake = device.multicast.handshake if device.multicast and share is device.multicast else 0
            ways.append((np.where(streams < active, alone + handshake + send, INFINITE), banks))
    return ways


def _bank_cycles(device: Device, store: bool, pages: Ints, page_bytes: int) -> Ints:
    rate = device.dram.bank_write_rate if store else device.dram.bank_read_rate
    cycles: Ints = cycles_at(ceil_div(pages, device.dram.banks) * page_bytes, rate)
    return cycles


def _product(count: Ints, cycles: Ints) -> Ints:
    """``count * cycles``, infinite where ``count`` is."""
    never = (count >= INFINITE) | (cycles >= INFINITE)
    return np.where(never, INFINITE, np.where(never, 1, count) * np.where(never, 1, cycles))


def _loop_number(program: TileProgram, name: str) -> int:
    return next(i for i, loop in enumerate(program.loops) if loop.name == name)


def block_bounds(facts: BlockFacts, device: Device) -> Ints:
    """Lower bound of every block shape over all mappings and orders (cycles)."""
    program = facts.program
    blocks = np.prod(facts.extents, axis=0)
    rounds = ceil_div(blocks, device.cores)
    per_block = facts.ops[0].copy()
    for number, loop in enumerate(program.loops):
        runs = np.ones_like(per_block)
        for name in program.loop_path(loop.name):
            runs = runs * facts.trips[_loop_number(program, name)]
        per_block = per_block + runs * facts.ops[1 + number]
    bank = np.zeros_like(per_block)
    alone: dict[bool, Ints] = {False: np.zeros_like(per_block), True: np.zeros_like(per_block)}
    least = facts.fixed.copy()
    for number, access in enumerate(program.accesses):
        store = access.kind != "load"
        rate = device.dram.bank_write_rate if store else device.dram.bank_read_rate
        transfer = device.dram.write if store else device.dram.read
        tiles = np.ones_like(per_block)
        for position, dim in enumerate(program.dims):
            tiles = tiles * (facts.extents[position] if dim.name in access.indices else 1)
        for name in program.loop_path(access.loop):
            tiles = tiles * (facts.trips[_loop_number(program, name)] if name in access.indices else 1)
        share = tiles * facts.pages[number] * facts.page_bytes[number] // device.dram.banks
        bank = bank + share * rate.denominator // rate.numerator
        each = transfer_cycles(transfer, 1, facts.page_bytes[number]) - transfer.latency
        alone[store] = np.maximum(alone[store], transfer.latency + facts.pages[number] * each)
        least = least + facts.pages[number] * facts.page_bytes[number]
    bound = device.launch_cycles + np.maximum(rounds * per_block + alone[False] + alone[True], bank)
    return np.where(least <= device.sram.usable, bound, INFINITE)


def chunks(items: Ints, size: int) -> Iterator[Ints]:
    """``items`` in runs of at most ``size``."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
