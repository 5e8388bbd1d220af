"""Option tables: the cost of every placement of every access in one column, as arrays.

A *column* fixes block shape, spatial mapping and wave order, so all trip counts are constants. What remains is one
placement per access. Each placement is a row: level, depth, SRAM, traffic and its resource vectors; rows of different
accesses only ever add up. The oracle scores products of rows with :func:`makespans`; the encoder turns rows into
literals.

Links that can never be the busiest are left out: if every delivery in play loads link q at least as much as link p,
then p is dropped (cycles grow with weight, so sums and maxima are unchanged).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cpplan.cost.combine import StateSize, combine_cost, state_size
from cpplan.cost.model import COMBINE, fixed_buffers, overlapped, tiles_per_transfer
from cpplan.cost.places import Places
from cpplan.cost.streams import Resources, resources, streams, tile_size
from cpplan.cost.traffic import tiles_moved_at
from cpplan.cost.units import level_work
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.plan.alike import alike
from cpplan.plan.demands import Reading, beyond_rows, possible, readings
from cpplan.plan.nest import Nest, build_nest
from cpplan.plan.plan import Combine, Delivery, Order, Placement, Plan
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.routes import Coordinate, combine_weights, load_weights, store_weights
from cpplan.plan.space import (
    Spatial,
    active_extents,
    combines,
    deliveries,
    is_shareable,
    legal_levels,
    required_group_ends,
    required_wave_boundaries,
    shared_loop,
    writers,
)
from cpplan.tile.arith import round_up
from cpplan.tile.program import Access, TileProgram

Ints = npt.NDArray[np.int64]
Kind = Literal["load", "store", "combine"]
KINDS: tuple[Kind, ...] = ("load", "store", "combine")
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """All placements of one access that fit in SRAM alone, in the fixed order of the plan space."""

    access: str
    kind: Kind
    places: Sequence[Any]  # Places of an access; the combines in the last rows of a column with a shared loop
    number: Ints  # (n,) position in the fixed order of the plan space
    level: Ints  # (n,) node of the nest
    depth: Ints  # (n,) 1 or 2
    sram: Ints  # (n,) bytes
    dram: Ints  # (n,) bytes in the whole launch
    noc: Ints  # (n,) bytes times links in the whole launch
    busy: Ints  # (n, resources) cycles per transfer
    fill: Ints  # (n, resources)

    def end_at(self, dim: int, size: int) -> Bools:
        """Which rows share with groups of ``size`` cores along spatial dim ``dim``."""
        nothing = np.zeros(len(self.places), dtype=bool)
        return self.places.end_at(dim, size) if isinstance(self.places, Places) else nothing

    def take(self, keep: Ints | Bools) -> Rows:
        """The rows selected by ``keep``."""
        places = self.places
        if isinstance(places, Places):
            places = places.take(keep)
        else:
            places = tuple(places[i] for i in np.arange(len(places))[keep].tolist())
        return Rows(
            self.access, self.kind, places, self.number[keep], self.level[keep], self.depth[keep], self.sram[keep],
            self.dram[keep], self.noc[keep], self.busy[keep], self.fill[keep],
        )  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One (block, spatial mapping with its first core, wave order) with the option rows of every access."""

    spatial: Spatial
    origin: Coordinate
    order: Order
    nest: Nest
    ops: tuple[int, ...]  # cycles of own ops per level
    fixed_sram: int
    rows: tuple[Rows, ...]
    alike: tuple[tuple[int, ...], ...]  # accesses whose placements must be in the fixed order
    boundaries: tuple[int, ...]  # levels at which some transfer must sit
    ends: tuple[tuple[int, int], ...]  # (spatial dim, group size) that some load must share
    readings: tuple[Reading, ...] = ()  # of a restricted column: one of them must be met

    @property
    def accesses(self) -> tuple[Rows, ...]:
        """The rows of the accesses: all but those of a combine."""
        return tuple(rows for rows in self.rows if rows.kind != "combine")

    def plan(self, block: tuple[tuple[str, int], ...], places: Sequence[Any]) -> Plan:
        """The plan that takes one place of every rows, at block shape ``block``."""
        count = len(self.accesses)
        combine = places[count] if len(places) > count else None
        return Plan(block, self.spatial, self.order, tuple(places[:count]), combine, self.origin)

    @property
    def combinations(self) -> int:
        """Number of plans in the column, canonical or not."""
        total = 1
        for rows in self.rows:
            total *= len(rows.places)
        return total


@lru_cache(maxsize=1 << 14)
def _kept_resources(
    device: Device, spatial: Spatial, ways: frozenset[Delivery], stores: frozenset[int],
    who: tuple[Coordinate, ...] | None, loop: str | None, combining: tuple[Combine, ...],
) -> Ints:  # fmt: skip
    """Positions of the resources that can be the busiest for these deliveries, stores and combines."""
    active = active_extents(spatial)
    layout = resources(device)
    keep = list(range(layout.links[0]))
    for noc, first in enumerate(layout.links):
        vectors = {
            load_weights(device, active, w.groups, w.pattern, w.noc, w.reader).tobytes(): None
            for w in ways
            if w.noc == noc
        }
        vectors |= {store_weights(device, active, noc, who).tobytes(): None} if noc in stores else {}
        for way in combining:
            if way.noc == noc and loop is not None:
                vectors |= {w.tobytes(): None for w in combine_weights(device, spatial, loop, way.method, noc)}
        if not vectors:
            continue
        stacked = np.stack([np.frombuffer(v, dtype=np.int64) for v in vectors])
        keep += [first + int(i) for i in undominated_columns(stacked)]
    return np.array(keep, dtype=np.int64)


def undominated_columns(matrix: Ints) -> Ints:
    """Indices of the columns of a non-negative ``matrix`` that are not below another column in every row."""
    numbers: dict[bytes, int] = {}
    columns = np.ascontiguousarray(matrix.T)
    for number, column in enumerate(columns):
        numbers.setdefault(column.tobytes(), number)
    first = np.array(list(numbers.values()), dtype=np.int64)
    distinct = columns[first]
    kept: list[int] = []
    for candidate in np.argsort(-distinct.sum(axis=1), kind="stable").tolist():
        column = distinct[candidate]
        if column.any() and not (distinct[kept] >= column).all(axis=1).any():
            kept.append(candidate)
    return np.sort(first[kept])


def build_column(
    program: TileProgram,
    device: Device,
    spatial: Spatial,
    order: Order,
    ops: Mapping[str, int] | None = None,
    restriction: Restriction = FREE,
    origin: Coordinate = (),
    state: StateSize | None = None,
    fixed: int | None = None,
) -> Column:
    """The column of ``spatial`` from core ``origin`` on and ``order``, with every placement that fits SRAM on its own
    and is not ruled out.

    ``ops`` may bring the cycles per program position, ``state`` the size of a reduction's state, ``fixed`` the bytes of
    accumulators and intermediates, if known already.
    """
    device = seen_from(device, origin)
    layout = resources(device)
    nest = build_nest(program, spatial, order)
    active = active_extents(spatial)
    ways: set[Delivery] = set()
    for access in program.loads():
        ways |= set(deliveries(device, spatial, access, is_shareable(program, access)))
    stores = range(len(device.nocs)) if any(a.kind != "load" for a in program.accesses) else ()
    shared, who = shared_loop(program, spatial), writers(program, spatial)
    combining = tuple(combines(program, device, spatial))
    loop = shared[0] if shared is not None else None
    kept = _kept_resources(device, spatial, frozenset(ways), frozenset(stores), who, loop, combining)
    own = [0] * len(nest.names)
    for position, cycles in (ops if ops is not None else position_cycles(program, device)).items():
        own[nest.home[position]] += cycles
    fixed = sum(size for _, size in fixed_buffers(program, device)) if fixed is None else fixed
    rows = tuple(
        _rows(program, device, layout, spatial, nest, active, kept, access, device.sram.usable - fixed, who)
        for access in program.accesses
    )
    if shared is not None:
        size = state or state_size(program, device)
        rows += (_combine_rows(size, device, layout, spatial, nest, kept, shared, combining),)
    column = Column(
        spatial, origin, order, nest, tuple(own), fixed, rows,
        tuple(alike(program)),
        tuple(nest.names.index(level) for level in required_wave_boundaries(program, nest)),
        tuple(required_group_ends(program, spatial)),
    )  # fmt: skip
    return _restricted(program, device, column, restriction) if restriction else column


def _restricted(program: TileProgram, device: Device, column: Column, restriction: Restriction) -> Column:
    """``column`` without the placements that the restriction rules out, and with what it demands of the others."""
    numbered = [list(zip(rows.number.tolist(), rows.places, strict=True)) for rows in column.accesses]
    found = readings(restriction, program, device, column.spatial, column.order, numbered)
    keep = (possible(found, access, rows.number.tolist()) for access, rows in enumerate(column.accesses))
    left = tuple(rows.take(np.array(k, dtype=bool)) for rows, k in zip(column.accesses, keep, strict=True))
    ways = tuple(
        rows.take(np.array([restriction.allows_combine(way) for way in rows.places], dtype=bool))
        for rows in column.rows[len(left) :]
    )
    if not ways and not restriction.allows_combine(None):
        left = tuple(rows.take(np.zeros(len(rows.places), dtype=bool)) for rows in left)
    return replace(column, rows=left + ways, readings=beyond_rows(found))


def position_cycles(program: TileProgram, device: Device) -> dict[str, int]:
    """Cycles of own ops at every position of the program (loop name, or "" for block level)."""
    return {position: int(work.cycles()) for position, work in level_work(program, device).items()}


def _rows(
    program: TileProgram,
    device: Device,
    layout: Resources,
    spatial: Spatial,
    nest: Nest,
    active: tuple[int, ...],
    kept: Ints,
    access: Access,
    room: int,
    who: tuple[Coordinate, ...] | None,
) -> Rows:
    store = access.kind != "load"
    size = tile_size(program, access)
    levels = legal_levels(program, nest, access)
    ways = deliveries(device, spatial, access, is_shareable(program, access))
    at = [Placement(access.name, nest.names[v], 1, ways[0].groups) for v in levels]
    tiles = np.array([tiles_per_transfer(nest, access, p) for p in at], dtype=np.int64)
    single: Ints = np.asarray(round_up(tiles * size.pages * size.page_bytes, device.sram.alignment))
    fitting = single <= room
    found = streams(device, layout, active, store, size, np.where(fitting, tiles, 1), ways, kept, who)
    sharing = list(dict.fromkeys(way.groups for way in ways))
    moved = np.array(
        [[tiles_moved_at(program, spatial, nest, access, v, groups) for groups in sharing] for v in levels],
        dtype=np.int64,
    )
    group_of = np.array([sharing.index(way.groups) for way in ways])
    slots = [(t, depth) for t, level in enumerate(levels) for depth in ((1, 2) if level else (1,))]
    kept_slots = [number for number, (t, depth) in enumerate(slots) if depth * single[t] <= room]
    chosen = np.array([(number, *slots[number]) for number in kept_slots], dtype=np.int64).reshape(-1, 3)
    slot, t_, depth_ = np.repeat(chosen, len(ways), axis=0).T
    w_ = np.tile(np.arange(len(ways)), len(chosen))
    node = np.array(levels, dtype=np.int64)[t_]
    runs = np.array(nest.runs, dtype=np.int64)[node]
    page = size.pages * size.page_bytes
    return Rows(
        access.name,
        "store" if store else "load",
        Places(access.name, tuple(nest.names[v] for v in levels), ways, t_, depth_, w_),
        slot * len(ways) + w_,
        node,
        depth_,
        depth_ * single[t_],
        moved[t_, group_of[w_]] * page,
        found.noc_bytes[t_, w_] * runs,
        found.busy[t_, w_],
        found.fill[t_, w_],
    )


def _combine_rows(
    size: StateSize, device: Device, layout: Resources, spatial: Spatial, nest: Nest, kept: Ints,
    shared: tuple[str, int], ways: tuple[Combine, ...],
) -> Rows:  # fmt: skip
    """One row per way to combine a shared loop, at the level of the block."""
    costs = [combine_cost(size, device, layout, spatial, *shared, way) for way in ways]
    level, count = nest.home[""], len(ways)
    noc = np.array([c.noc_bytes for c in costs], dtype=np.int64) * nest.iterations(level)
    return Rows(
        COMBINE,
        "combine",
        ways,
        np.arange(count),
        np.full(count, level),
        np.ones(count, dtype=np.int64),
        np.array([c.sram for c in costs], dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        noc,
        np.stack([c.busy[kept] for c in costs]),
        np.stack([c.fill[kept] for c in costs]),
    )


def feasible(device: Device, column: Column, choice: Ints) -> Bools:
    """Which rows of ``choice`` fit SRAM together, are in canonical form and meet the demands of a restriction."""
    keep = column.fixed_sram + totals(column, choice, "sram") <= device.sram.usable
    for node in column.boundaries:
        keep &= np.any([r.level[c] == node for r, c in zip(column.rows, choice.T, strict=True)], axis=0)
    for dim, size in column.ends:
        ends = [rows.end_at(dim, size) for rows in column.accesses]
        keep &= np.any([e[c] for e, c in zip(ends, choice.T, strict=False)], axis=0)
    for members in column.alike:
        for a, b in itertools.pairwise(members):
            keep &= column.rows[a].number[choice[:, a]] <= column.rows[b].number[choice[:, b]]
    if column.readings:
        keep &= np.any([_meets(column, choice, reading) for reading in column.readings], axis=0)
    return keep


def _meets(column: Column, choice: Ints, reading: Reading) -> Bools:
    """Which rows of ``choice`` meet all demands of ``reading``."""
    met = np.ones(len(choice), dtype=bool)
    for demand in reading:
        allowed = list(demand.allowed)
        taken = [np.isin(column.rows[a].number[choice[:, a]], allowed) for a in demand.members]
        met &= np.sum(taken, axis=0) >= demand.count
    return met


def totals(column: Column, choice: Ints, field: str) -> Ints:
    """Sum over accesses of one figure of the chosen rows."""
    return np.asarray(sum(getattr(r, field)[c] for r, c in zip(column.rows, choice.T, strict=True)), dtype=np.int64)


def makespans(device: Device, column: Column, choice: Ints) -> Ints:
    """Makespan in cycles of every row of ``choice`` (plans x accesses, row numbers), by the exact model."""
    nest, plans = column.nest, len(choice)
    total: dict[int, Ints] = {}
    inside: dict[int, Ints] = {}
    for node in reversed(range(len(nest.names))):
        busy = np.zeros((plans, column.rows[0].busy.shape[1]), dtype=np.int64)
        for rows, picked in zip(column.rows, choice.T, strict=True):
            if (rows.level == node).any():
                busy += rows.busy[picked] * (rows.level[picked] == node)[:, None]
        inner = np.zeros(plans, dtype=np.int64)
        for child in nest.children(node):
            busy += nest.trips[child] * inside.pop(child)
            inner += total.pop(child)
        inside[node] = busy
        load, store = _group(column, choice, node, "load", 2), _group(column, choice, node, "store", 2)
        serial = column.ops[node] + inner
        for kind in KINDS:
            serial = serial + _group(column, choice, node, kind, 1)
        period = np.maximum(busy.max(axis=1), overlapped(device, load, serial, store))
        total[node] = load + (nest.trips[node] - 1) * period + serial + store
    return device.launch_cycles + total[0]


def _group(column: Column, choice: Ints, node: int, kind: Kind, depth: int) -> Ints:
    """Time of the transfers of one kind and depth at ``node``, per row of ``choice``."""
    summed = np.zeros((len(choice), column.rows[0].fill.shape[1]), dtype=np.int64)
    for rows, picked in zip(column.rows, choice.T, strict=True):
        here = (rows.level == node) & (rows.depth == depth)
        if rows.kind == kind and here.any():
            summed += rows.fill[picked] * here[picked][:, None]
    busiest: Ints = summed.max(axis=1)
    return busiest
