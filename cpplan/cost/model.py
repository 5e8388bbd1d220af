"""The exact cost model: (tile program, device, plan) -> makespan in cycles, with a breakdown.

This module is the definition of cost (docs/cost-model.md states it in words). It is pure, integer and solver-free.
For a level ``v`` with ``T`` trips, whose double-buffered loads take ``R`` and stores ``W``, and whose serial part
(single-buffered transfers, own ops, inner levels) takes ``S``::

    period = max(R, S, W, busiest resource of everything inside)     overlap load|compute|store
    period = max(R, S + W, ...)                                      overlap load|compute+store
    period = max(R + W, S, ...)                                      overlap load+store|compute
    time(v) = R + (T - 1) * period + S + W                           fill, steady state, drain
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cpplan.cost.combine import CombineCost, combine_cost, state_size
from cpplan.cost.streams import Resources, Vector, resources, streams, tile_size
from cpplan.cost.traffic import tiles_moved
from cpplan.cost.units import level_work
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.plan.nest import Nest, build_nest
from cpplan.plan.plan import Placement, Plan
from cpplan.plan.routes import Coordinate
from cpplan.plan.space import shared_loop, writers
from cpplan.tile.arith import Int, round_up
from cpplan.tile.layout import shape_bytes
from cpplan.tile.program import Access, TileProgram

COMBINE = "combine"
"""Name of the buffer in which partial states of other cores arrive."""


@dataclass(frozen=True)
class Level:
    """Timing of one level of the nest, in cycles per iteration unless said otherwise."""

    name: str
    trips: int
    load: int  # double-buffered loads
    store: int  # double-buffered stores
    serial_load: int  # single-buffered loads
    serial_store: int
    combine: int  # partial states of a shared loop
    ops: int  # the level's own tile ops
    serial: int  # serial part: single-buffered transfers, ops, inner levels, combining
    busiest: int  # busiest resource over everything inside one iteration
    busiest_name: str
    period: int
    total: int  # one run of the whole level: all its trips


@dataclass(frozen=True)
class Cost:
    """Predicted cost of a plan. Times in cycles, traffic and footprints in bytes."""

    makespan_cycles: int
    bound_by: str
    dram_bytes: int
    noc_bytes: int
    sram_bytes: int
    sram_limit_bytes: int
    cores: int
    utilisation: tuple[tuple[str, float], ...]
    levels: tuple[Level, ...]
    buffers: tuple[tuple[str, int], ...]
    traffic: tuple[tuple[str, int], ...]

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Order of plans: makespan, then DRAM traffic, NoC traffic, SRAM."""
        return (self.makespan_cycles, self.dram_bytes, self.noc_bytes, self.sram_bytes)


def tiles_per_transfer(nest: Nest, access: Access, place: Placement) -> int:
    """Tiles one core needs below the level of ``place``: the trips of inner levels that the address depends on."""
    total = 1
    for level in reversed(nest.path(nest.home[access.loop or ""])):
        if nest.names[level] == place.level:
            break
        total *= nest.distinct(level, access.indices)
    return total


def buffer_bytes(program: TileProgram, device: Device, nest: Nest, access: Access, place: Placement) -> int:
    """SRAM bytes of the access's circular buffer."""
    size = tile_size(program, access)
    one = tiles_per_transfer(nest, access, place) * size.pages * size.page_bytes
    return int(place.depth * round_up(one, device.sram.alignment))


def fixed_buffers(program: TileProgram, device: Device) -> tuple[tuple[str, int], ...]:
    """Accumulators and materialised intermediates: (name, bytes)."""
    sizes = ((b.name, shape_bytes(b.shape, b.dtype, program.in_runs)) for b in program.buffers)
    return tuple((name, int(round_up(size, device.sram.alignment))) for name, size in sizes)


def evaluate(program: TileProgram, device: Device, plan: Plan) -> Cost:
    """Exact cost of ``plan``, which must be legal (:mod:`cpplan.plan.space`); capacity is reported, not judged."""
    device = seen_from(device, plan.origin)
    nest = build_nest(program, plan.spatial, plan.order)
    layout = resources(device)
    active = tuple(plan.cores_along(s) for s in range(len(device.dims)))
    who = writers(program, plan.spatial)
    moved = {
        a.name: _stream(program, device, layout, active, nest, a, p, who)
        for a, p in zip(program.accesses, plan.placements, strict=True)
    }
    combine = _combine(program, device, layout, plan)
    levels, busy = _levels(program, device, plan, nest, layout, moved, combine)
    makespan = device.launch_cycles + levels[0].total
    return _report(program, device, plan, nest, layout, moved, combine, levels, busy, makespan)


def _combine(program: TileProgram, device: Device, layout: Resources, plan: Plan) -> CombineCost | None:
    shared = shared_loop(program, plan.spatial)
    if shared is None or plan.combine is None:
        return None
    return combine_cost(state_size(program, device), device, layout, plan.spatial, *shared, plan.combine)


@dataclass(frozen=True)
class Stream:
    """Occupation by one transfer of one access: cycles per resource, steady and first, and bytes times links."""

    busy: Vector
    fill: Vector
    noc_bytes: int


def _stream(
    program: TileProgram,
    device: Device,
    layout: Resources,
    active: tuple[int, ...],
    nest: Nest,
    access: Access,
    place: Placement,
    who: tuple[Coordinate, ...] | None,
) -> Stream:
    tiles = np.array([tiles_per_transfer(nest, access, place)], dtype=np.int64)
    store = access.kind != "load"
    size = tile_size(program, access)
    found = streams(device, layout, active, store, size, tiles, (place.delivery,), writers=who)
    return Stream(found.busy[0, 0], found.fill[0, 0], int(found.noc_bytes[0, 0]))


def _levels(
    program: TileProgram,
    device: Device,
    plan: Plan,
    nest: Nest,
    layout: Resources,
    moved: Mapping[str, Stream],
    combine: CombineCost | None,
) -> tuple[list[Level], Vector]:
    ops = _ops_per_level(program, device, nest)
    done: dict[int, Level] = {}
    busy: dict[int, Vector] = {}
    for node in reversed(range(len(nest.names))):
        here = [
            (a, p, moved[a.name])
            for a, p in zip(program.accesses, plan.placements, strict=True)
            if p.level == nest.names[node]
        ]
        inside = np.zeros(layout.count, dtype=np.int64)
        for _, _, s in here:
            inside = inside + s.busy
        combined = 0
        if combine is not None and node == nest.home[""]:
            inside, combined = inside + combine.busy, int(combine.fill.max())
        inner = 0
        for child in nest.children(node):
            inside = inside + nest.trips[child] * busy[child]
            inner += done[child].total
        busy[node] = inside
        done[node] = _level(device, nest, node, layout, here, combined, ops[node], inner, inside)
    return [done[i] for i in range(len(nest.names))], busy[0]


def _group_time(layout: Resources, group: list[Stream]) -> int:
    """Time of concurrent streams: their busiest resource."""
    if not group:
        return 0
    total = np.zeros(layout.count, dtype=np.int64)
    for s in group:
        total = total + s.fill
    return int(total.max())


def _level(
    device: Device,
    nest: Nest,
    node: int,
    layout: Resources,
    here: list[tuple[Access, Placement, Stream]],
    combined: int,
    ops: int,
    inner: int,
    inside: Vector,
) -> Level:
    def group(store: bool, depth: int) -> int:
        return _group_time(layout, [s for a, p, s in here if (a.kind != "load") == store and p.depth == depth])

    load, store = group(False, 2), group(True, 2)
    serial_load, serial_store = group(False, 1), group(True, 1)
    serial = serial_load + ops + inner + combined + serial_store
    busiest = int(inside.max())
    period = int(max(busiest, overlapped(device, load, serial, store)))
    trips = nest.trips[node]
    return Level(
        nest.names[node] or "launch", trips, load, store, serial_load, serial_store, combined, ops, serial,
        busiest,
        layout.names[int(inside.argmax())], period, load + (trips - 1) * period + serial + store,
    )  # fmt: skip


def overlapped(device: Device, load: Int, serial: Int, store: Int) -> Int:
    """Steady-state period of one iteration from the device's overlap rule, resources aside (ints or arrays)."""
    if device.overlap == "load|compute|store":
        return np.maximum(np.maximum(load, serial), store)
    if device.overlap == "load|compute+store":
        return np.maximum(load, serial + store)
    return np.maximum(load + store, serial)


def _ops_per_level(program: TileProgram, device: Device, nest: Nest) -> list[int]:
    """Cycles of the ops that sit directly in each level (ops of single-trip loops count for their parent)."""
    total = [0] * len(nest.names)
    for position, work in level_work(program, device).items():
        total[nest.home[position]] += int(work.cycles())
    return total


def _report(
    program: TileProgram,
    device: Device,
    plan: Plan,
    nest: Nest,
    layout: Resources,
    moved: Mapping[str, Stream],
    combine: CombineCost | None,
    levels: list[Level],
    busy: Vector,
    makespan: int,
) -> Cost:
    pairs = list(zip(program.accesses, plan.placements, strict=True))
    traffic = []
    noc = 0
    for access, place in pairs:
        size = tile_size(program, access)
        tiles = tiles_moved(program, plan.spatial, nest, access, place)
        traffic.append((access.name, tiles * size.pages * size.page_bytes))
        noc += moved[access.name].noc_bytes * nest.iterations(nest.names.index(place.level))
    buffers = tuple((a.name, buffer_bytes(program, device, nest, a, p)) for a, p in pairs)
    buffers += fixed_buffers(program, device)
    if combine is not None:
        buffers += ((COMBINE, combine.sram),)
        noc += combine.noc_bytes * nest.iterations(nest.home[""])
    compute = sum(level.ops * nest.iterations(i) for i, level in enumerate(levels))
    shares = _shares(layout, busy, compute, makespan)
    return Cost(
        makespan, _bound_by(shares), sum(b for _, b in traffic), noc, sum(b for _, b in buffers), device.sram.usable,
        plan.cores, tuple((name, round(share, 4)) for name, share in shares.items()), tuple(levels), buffers,
        tuple(traffic),
    )  # fmt: skip


def _shares(layout: Resources, busy: Vector, compute: int, makespan: int) -> dict[str, float]:
    """Share of the makespan that each kind of resource is busy."""
    first_link = layout.links[0]
    kinds = {
        "compute": compute,
        "dram": int(busy[layout.bank : first_link].max()),
        "noc": int(busy[first_link:].max()),
        "processor": int(busy[: layout.bank].max()),
    }
    return {kind: cycles / makespan for kind, cycles in kinds.items()}


def _bound_by(shares: Mapping[str, float]) -> str:
    """The resource that is busy most; ``latency`` when none is busy for half of the time."""
    name, share = max(shares.items(), key=lambda item: item[1])
    return name if share >= 0.5 else "latency"
