"""Lower bounds of columns, for all lanes at once; each is proved in docs/encoding.md, section 4.

They only use rules of the exact model with choices left open, so pruning by them is safe. :func:`lane_bounds` leaves
orders open, :func:`column_bounds` deliveries; :func:`refined_bounds` knows sharing groups and their busiest links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import INFINITE, BlockFacts, Ints, block_cycles, loop_number
from cpplan.encode.lanes import Lanes, SpatialTable
from cpplan.encode.ways import Way, real_ways, widest_ways
from cpplan.plan.space import ordered_partitions
from cpplan.tile.arith import ceil_div, round_up
from cpplan.tile.program import Access

Order = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Bounded:
    """Lower bounds in cycles of some lanes under one sequence of wave loops (dim numbers, outermost first)."""

    lane: Ints  # position into the lanes that were bounded
    order: Order
    bound: Ints


def lane_waves(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(dims, lanes) waves per parallel dim."""
    waves: Ints = ceil_div(facts.extents[:, lanes.block], lanes.cores)
    return waves


def lane_bounds(facts: BlockFacts, device: Device, lanes: Lanes) -> Ints:
    """Lower bound of every lane over all orders, levels and deliveries: tile ops and compulsory traffic."""
    program, waves = facts.program, lane_waves(facts, lanes)
    compute = np.prod(waves, axis=0) * block_cycles(facts)[lanes.block]
    nocs = len(device.nocs)
    bank, processor = np.zeros(len(lanes), dtype=np.int64), np.zeros(len(lanes), dtype=np.int64)
    once = {False: np.zeros(len(lanes), dtype=np.int64), True: np.zeros(len(lanes), dtype=np.int64)}
    for number, access in enumerate(program.accesses):
        store = access.kind != "load"
        tiles = np.ones(len(lanes), dtype=np.int64)
        for position, dim in enumerate(program.dims):
            tiles = tiles * (waves[position] if dim.name in access.indices else 1)
        for name in program.loop_path(access.loop):
            if name in access.indices:
                tiles = tiles * facts.trips[loop_number(program, name), lanes.block]
        pages, page_bytes = facts.pages[number, lanes.block], facts.page_bytes[number]
        cheapest: list[tuple[Ints, Ints, Ints]] = [
            way.cycles(device, store, pages, page_bytes) for way in widest_ways(device, program, access, lanes.cores)
        ]
        once[store] = np.maximum(once[store], np.min([np.maximum(c, b) for c, b, _ in cheapest], axis=0))
        all_pages = [
            way.cycles(device, store, tiles * pages, page_bytes)
            for way in widest_ways(device, program, access, lanes.cores)
        ]
        bank = bank + np.min([b for _, b, _ in all_pages], axis=0)
        processor = processor + np.min([c for c, _, _ in all_pages], axis=0)
    ends = once[False] + once[True]
    resources = np.maximum(bank, ceil_div(processor, nocs)) + facts.ops.sum(axis=0)[lanes.block]
    bound: Ints = device.launch_cycles + np.maximum(compute + ends, resources)
    return bound


def column_bounds(facts: BlockFacts, device: Device, lanes: Lanes) -> Iterator[Bounded]:
    """Lower bound of every column of ``lanes``, order by order; columns that cannot fit in SRAM are left out."""
    waves = lane_waves(facts, lanes)
    dims = len(facts.program.dims)
    pattern = (waves > 1).T @ (1 << np.arange(dims))
    for mask in np.unique(pattern):
        here = np.nonzero(pattern == mask)[0]
        active = tuple(d for d in range(dims) if mask >> d & 1)
        for order in ordered_partitions(active):
            bound = _order_bound(facts, device, lanes.take(here), waves[:, here], order, None)
            fits = bound < INFINITE
            yield Bounded(here[fits], order, bound[fits])


def refined_bounds(
    facts: BlockFacts, device: Device, table: SpatialTable, block: Ints, mapping: Ints, order: Order
) -> Ints:
    """Lower bounds of the columns of (block, mapping) pairs under ``order``, with the mappings' real deliveries."""
    lanes = Lanes(block, table.cores[:, mapping])
    mappings, lane = np.unique(mapping, return_inverse=True)
    choices = [table.mapping(int(m)) for m in mappings]
    ways = [
        [way.take(lane) for way in real_ways(device, facts.program, choices, access)]
        for access in facts.program.accesses
    ]
    return _order_bound(facts, device, lanes, lane_waves(facts, lanes), order, ways)


def _order_bound(
    facts: BlockFacts,
    device: Device,
    lanes: Lanes,
    waves: Ints,
    order: Order,
    ways: Sequence[list[Way]] | None,
) -> Ints:
    program, block = facts.program, lanes.block
    compute = np.prod(waves, axis=0) * block_cycles(facts)[block]
    parts: dict[bool, list[_Part]] = {False: [], True: []}
    room = device.sram.usable - facts.fixed[block]
    bank, least = np.zeros(len(lanes), dtype=np.int64), np.zeros(len(lanes), dtype=np.int64)
    alone, links = [], []
    for number, access in enumerate(program.accesses):
        given = ways[number] if ways is not None else widest_ways(device, program, access, lanes.cores)
        part = _access_bound(facts, device, access, number, lanes, waves, order, room, compute, given)
        parts[access.kind != "load"].append(part)
        bank, least = bank + part.bank, least + part.sram
        alone.append(part.processor)
        links.append(part.link)
    nocs = len(device.nocs)
    latency = sum((_together(p, nocs) for p in parts.values() if p), np.zeros(len(lanes), dtype=np.int64))
    serial = np.maximum(np.max(alone, axis=0), ceil_div(np.sum(alone, axis=0), nocs))
    resources = np.maximum(np.maximum(bank, serial), np.max(links, axis=0)) + facts.ops.sum(axis=0)[block]
    bound = device.launch_cycles + np.maximum(np.maximum(compute + latency, resources), _stretched(parts))
    return np.where((least <= room) & (latency < INFINITE), bound, INFINITE)


def _stretched(parts: dict[bool, list[_Part]]) -> Ints:
    """The longest stream with the last ops behind it, and one transfer of the other kind before or after."""
    longest = [np.max([p.stretched for p in side], axis=0) if side else np.int64(0) for side in parts.values()]
    once = [np.max([p.once for p in side], axis=0) if side else np.int64(0) for side in parts.values()]
    bound: Ints = np.minimum(INFINITE, np.maximum(longest[0] + once[1], longest[1] + once[0]))
    return bound


def _together(parts: list[_Part], nocs: int) -> Ints:
    """Exposed time of several streams: the longest one, their spread over the processors, or their sum at the banks."""
    longest = np.max([p.exposed for p in parts], axis=0)
    spread = ceil_div(np.sum([p.exposed_chain for p in parts], axis=0), nocs)
    banks = np.sum([p.exposed_bank for p in parts], axis=0)
    together: Ints = np.minimum(INFINITE, np.maximum(longest, np.maximum(spread, banks)))
    return together


@dataclass(frozen=True)
class _Part:
    once: Ints  # one transfer of one tile
    stretched: Ints  # all transfers one after the other, and the ops of the last iteration after them
    exposed: Ints  # time that no pipelining can hide: whole stream, its processor alone, its banks alone
    exposed_chain: Ints
    exposed_bank: Ints
    bank: Ints
    processor: Ints
    link: Ints
    sram: Ints


def _access_bound(
    facts: BlockFacts,
    device: Device,
    access: Access,
    number: int,
    lanes: Lanes,
    waves: Ints,
    order: Order,
    room: Ints,
    compute: Ints,
    ways: list[Way],
) -> _Part:
    program, block = facts.program, lanes.block
    one = np.ones(len(lanes), dtype=np.int64)
    levels = [_level([(program.dims[d].name, waves[d]) for d in group], access, one) for group in order]
    for name in program.loop_path(access.loop):
        levels.append(_level([(name, facts.trips[loop_number(program, name), block])], access, one))
    pages, page_bytes = facts.pages[number, block], facts.page_bytes[number]
    held, runs = one, one
    for _, distinct in levels:
        held = held * distinct
    big = np.full(len(lanes), INFINITE)
    best = _Part(big, big, big, big, big, big, big, big, round_up(pages * page_bytes, device.sram.alignment))
    for trips, distinct in [(one, one), *levels]:
        outside, runs = runs, runs * trips
        held = held // distinct
        size = round_up(held * pages * page_bytes, device.sram.alignment)
        shown = np.where(2 * size <= room, outside, np.where(size <= room, runs, INFINITE))
        repeated = np.where(size <= room, runs, INFINITE)
        for way in ways:
            chain, bank, link = way.cycles(device, access.kind != "load", held * pages, page_bytes)
            longest = np.maximum(np.maximum(chain, bank), link)
            best = _Part(
                np.minimum(best.once, longest),
                np.minimum(best.stretched, _product(repeated, longest) + compute // trips),
                np.minimum(best.exposed, _product(shown, longest)),
                np.minimum(best.exposed_chain, _product(shown, chain)),
                np.minimum(best.exposed_bank, _product(shown, bank)),
                np.minimum(best.bank, _product(repeated, bank)),
                np.minimum(best.processor, _product(repeated, chain)),
                np.minimum(best.link, _product(repeated, link)),
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


def _product(count: Ints, cycles: Ints) -> Ints:
    """``count * cycles``, infinite where either is."""
    never = (count >= INFINITE) | (cycles >= INFINITE)
    return np.where(never, INFINITE, np.where(never, 1, count) * np.where(never, 1, cycles))
