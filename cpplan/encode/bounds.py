"""Lower bounds of lanes; proved in docs/encoding.md, section 4. They leave orders, levels and deliveries open."""

from __future__ import annotations

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import BlockFacts, Ints, loop_number
from cpplan.encode.lanes import Lanes, lane_block_cycles, lane_block_ops, lane_spans, lane_trips, lane_waves
from cpplan.encode.ways import widest_ways
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Access, Loop


def lane_ops(facts: BlockFacts, lanes: Lanes) -> Ints:
    """Cycles of all tile ops on the busiest core of every lane: a part of :func:`lane_bounds`, and much cheaper."""
    total: Ints = np.prod(lane_waves(facts, lanes), axis=0) * lane_block_ops(facts, lanes)
    return total


def lane_bounds(facts: BlockFacts, device: Device, lanes: Lanes) -> Ints:
    """Lower bound of every lane over all orders, levels and deliveries: tile ops and compulsory traffic."""
    program, waves = facts.program, lane_waves(facts, lanes)
    compute = np.prod(waves, axis=0) * lane_block_cycles(facts, device, lanes)
    trips, spans = lane_trips(facts, lanes), lane_spans(facts, lanes)
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
                times = trips if _varies_with(program.loop(name), access) else spans
                tiles = tiles * times[loop_number(program, name)]
        pages, page_bytes = facts.pages[number, lanes.block], facts.page_bytes[number]
        cheapest: list[tuple[Ints, Ints, Ints]] = [
            way.cycles(device, store, pages, page_bytes) for way in widest_ways(device, facts, access, lanes.cores)
        ]
        once[store] = np.maximum(once[store], np.min([np.maximum(c, b) for c, b, _ in cheapest], axis=0))
        all_pages = [
            way.cycles(device, store, tiles * pages, page_bytes)
            for way in widest_ways(device, facts, access, lanes.cores)
        ]
        bank = bank + np.min([b for _, b, _ in all_pages], axis=0)
        processor = processor + np.min([c for c, _, _ in all_pages], axis=0)
    ends = once[False] + once[True]
    resources = np.maximum(bank, ceil_div(processor, nocs)) + facts.ops.sum(axis=0)[lanes.block]
    bound: Ints = device.launch_cycles + np.maximum(compute + ends, resources)
    return bound


def _varies_with(loop: Loop, access: Access) -> bool:
    """Whether ``access`` may touch fewer tiles than the span of ``loop`` in a wave, and others in every wave.

    If its address does not depend on the dim that the trips depend on, the longest run alone touches all of the span.
    """
    return loop.profile is not None and loop.profile.dim in access.indices
