"""From block shapes to open columns: everything that bounds can decide is decided here, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cpplan.encode.blocks import INFINITE, Ints, block_bounds, block_cycles
from cpplan.encode.bounds import Order, column_bounds, lane_bounds, lane_waves, refined_bounds
from cpplan.encode.incumbent import Site, score
from cpplan.encode.lanes import Lanes, chunks, earns, spread_lanes
from cpplan.encode.search import FamilyFacts, Search

BLOCK_ROUNDS = (4, 12, 48, 192, 768)
"""Block shapes per round, best bound first: early rounds find incumbents, later rounds are pruned by them."""
LANE_ROUNDS = (16, 64, 256, 1024, 4096)
"""Lanes per round, best bound first, for the same reason."""
LANE_CHUNK = 400_000
"""Lanes per vectorised pass (memory)."""
CONSTRUCTED = 24
"""Spreads from which the first plans are built."""
SEEDS = 6
"""Columns scored per round while looking for incumbents."""
SCORED = 6_000
"""Row combinations scored exactly per column."""


@dataclass(frozen=True)
class ColumnSet:
    """Columns of one family and one sequence of wave loops, with their bounds in cycles.

    ``spatial`` numbers spreads in the first pass and mappings in the second.
    """

    family: FamilyFacts
    order: Order
    block: Ints
    spatial: Ints
    bound: Ints

    def take(self, keep: Ints) -> ColumnSet:
        """The columns selected by ``keep``."""
        return replace(self, block=self.block[keep], spatial=self.spatial[keep], bound=self.bound[keep])

    def within(self, limit: int | None) -> ColumnSet:
        """The columns whose bound does not exceed ``limit``."""
        return self if limit is None else self.take(np.nonzero(self.bound <= limit)[0])


@dataclass(frozen=True)
class OpenColumn:
    """One column that bounds alone did not decide."""

    bound: int
    family: FamilyFacts
    block: int
    mapping: int
    order: Order

    @property
    def place(self) -> tuple[int, int, int, Order]:
        """Best bound first, then the fixed order."""
        return (self.bound, self.family.offset + self.block, self.mapping, self.order)


def open_columns(search: Search) -> list[OpenColumn]:
    """Columns whose bound does not exceed the k-th incumbent, best bound first."""
    sets: list[ColumnSet] = []
    for family in search.families:
        bounds = block_bounds(family.facts, search.device)
        ranked = np.argsort(bounds, kind="stable")
        ranked = ranked[bounds[ranked] < INFINITE]
        _construct(search, family, ranked[: BLOCK_ROUNDS[0]])
        for part in np.split(ranked, np.cumsum(BLOCK_ROUNDS)):
            alive = part if search.limit is None else part[bounds[part] <= search.limit]
            search.counts.blocks_pruned += len(part) - len(alive)
            if search.late() and len(alive):
                search.left_open(int(bounds[alive].min()))
            else:
                sets += _spread_columns(search, family, alive)
    kept = []
    for columns in _merged(sets):
        alive_set = columns.within(search.limit)
        if search.late() and len(alive_set.bound):
            search.left_open(int(alive_set.bound.min()))
        else:
            kept += _listed(_refined(search, columns))
    limit = search.limit
    return sorted((c for c in kept if limit is None or c.bound <= limit), key=lambda c: c.place)


def _construct(search: Search, family: FamilyFacts, blocks: Ints) -> None:
    """First incumbents: the spreads that finish the tile ops soonest, under their best orders."""
    facts = family.facts
    lanes, spread = spread_lanes(facts, family.table, blocks)
    compute = np.prod(lane_waves(facts, lanes), axis=0) * block_cycles(facts)[lanes.block]
    soonest = np.lexsort((lane_bounds(facts, search.device, lanes), compute))[:CONSTRUCTED]
    found = [
        ColumnSet(family, b.order, lanes.block[soonest[b.lane]], spread[soonest[b.lane]], b.bound)
        for b in column_bounds(facts, search.device, lanes.take(soonest))
    ]
    _seed(search, found)


def _merged(sets: list[ColumnSet]) -> list[ColumnSet]:
    """One set per family and order."""
    groups: dict[tuple[int, Order], list[ColumnSet]] = {}
    for item in sets:
        groups.setdefault((item.family.offset, item.order), []).append(item)
    return [
        replace(
            items[0],
            block=np.concatenate([i.block for i in items]),
            spatial=np.concatenate([i.spatial for i in items]),
            bound=np.concatenate([i.bound for i in items]),
        )
        for items in groups.values()
    ]


def _listed(columns: ColumnSet) -> list[OpenColumn]:
    rows = zip(columns.bound.tolist(), columns.block.tolist(), columns.spatial.tolist(), strict=True)
    return [OpenColumn(bound, columns.family, block, mapping, columns.order) for bound, block, mapping in rows]


def _spread_columns(search: Search, family: FamilyFacts, blocks: Ints) -> list[ColumnSet]:
    """First pass: columns of ``blocks`` by spread, in rounds of lanes; each round looks for incumbents."""
    out = []
    for lanes, spread, bound in _ranked_lanes(search, family, blocks):
        here = np.nonzero(bound <= (INFINITE if search.limit is None else search.limit))[0]
        search.counts.lanes_pruned += len(bound) - len(here)
        if search.late() and len(here):
            search.left_open(int(bound[here].min()))
            continue
        found = []
        for bounded in column_bounds(family.facts, search.device, lanes.take(here)):
            if search.late():
                search.left_open(int(bound[here].min()))
                break
            search.counts.columns += len(bounded.bound)
            lane = here[bounded.lane]
            columns = ColumnSet(family, bounded.order, lanes.block[lane], spread[lane], bounded.bound)
            found.append(columns.within(search.limit))
            search.counts.columns_pruned += len(bounded.bound) - len(found[-1].bound)
        _seed(search, found)
        out += found
    return out


def _ranked_lanes(search: Search, family: FamilyFacts, blocks: Ints) -> Iterator[tuple[Lanes, Ints, Ints]]:
    """Lanes of ``blocks`` within the limit, best bound first, in rounds."""
    facts = family.facts
    for part in chunks(blocks, max(1, LANE_CHUNK // max(1, family.table.spreads.shape[1]))):
        lanes, spread = spread_lanes(facts, family.table, part)
        bound = lane_bounds(facts, search.device, lanes)
        search.counts.lanes += len(lanes)
        ranked = np.argsort(bound, kind="stable")
        for batch in np.split(ranked, np.cumsum(LANE_ROUNDS)):
            if len(batch):
                yield lanes.take(batch), spread[batch], bound[batch]


def _refined(search: Search, columns: ColumnSet) -> ColumnSet:
    """Second pass: the legal mappings of every spread, with bounds from their real deliveries."""
    alive = columns.within(search.limit)
    search.counts.columns_pruned += len(columns.bound) - len(alive.bound)
    out = [_expanded(search, alive.take(part)) for part in chunks(np.arange(len(alive.block)), LANE_CHUNK)]
    return _merged(out)[0] if out else alive


def _expanded(search: Search, columns: ColumnSet) -> ColumnSet:
    facts, table = columns.family.facts, columns.family.table
    size = (table.first[1:] - table.first[:-1])[columns.spatial]
    source = np.repeat(np.arange(len(size)), size)
    within = np.arange(len(source)) - np.repeat(np.cumsum(size) - size, size)
    mapping = table.members[table.first[columns.spatial[source]] + within]
    legal = np.nonzero(earns(facts, table, columns.block[source], mapping))[0]
    source, mapping = source[legal], mapping[legal]
    search.counts.mapped += len(mapping)
    block = columns.block[source]
    if not len(block):
        return replace(columns, block=block, spatial=mapping, bound=columns.bound[source])
    bound = refined_bounds(facts, search.device, table, block, mapping, columns.order)
    raised = replace(columns, block=block, spatial=mapping, bound=np.maximum(columns.bound[source], bound))
    kept = raised.take(np.nonzero(raised.bound < INFINITE)[0]).within(search.limit)
    search.counts.mapped_pruned += len(mapping) - len(kept.bound)
    return kept


def _seed(search: Search, sets: list[ColumnSet]) -> None:
    """Incumbents from the most promising columns of one round."""
    ranked = [
        (int(s.bound[i]), n, int(i)) for n, s in enumerate(sets) for i in np.argsort(s.bound, kind="stable")[:SEEDS]
    ]
    before = search.counts.mapped, search.counts.mapped_pruned
    for bound, number, i in sorted(ranked)[:SEEDS]:
        if search.late() or (search.limit is not None and bound > search.limit):
            break
        expanded = _listed(_expanded(search, sets[number].take(np.array([i]))))
        for column in sorted(expanded, key=lambda c: c.place)[:2]:
            _scored_site(search, column)
    search.counts.mapped, search.counts.mapped_pruned = before


def _scored_site(search: Search, column: OpenColumn) -> Site | None:
    """The column's site; its best plans enter the incumbents."""
    site = search.site(column.family, column.block, column.mapping, column.order)
    if site is None:
        return None
    found, least = score(search.device, site, search.k, SCORED)
    search.admit(found)
    return site if least is None else replace(site, scored=least)


def open_sites(search: Search, columns: list[OpenColumn]) -> list[Site]:
    """Columns that exact option bounds do not decide either, with their option rows."""
    sites: list[Site] = []
    for number, column in enumerate(columns):
        if search.limit is not None and column.bound > search.limit:
            search.counts.mapped_pruned += len(columns) - number
            break
        if search.late():
            search.left_open(column.bound)
            break
        site = _scored_site(search, column)
        if site is None:
            search.counts.mapped_pruned += 1
        else:
            sites.append(site)
        if number % 50 == 0:
            search.progress(f"{len(sites)} columns open of {number + 1} looked at")
    return search.still_open(sites)
