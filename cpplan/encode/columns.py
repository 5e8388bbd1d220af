"""From block shapes to open columns: everything that bounds can decide is decided here, in arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from cpplan.encode.blocks import INFINITE, Ints, block_bounds
from cpplan.encode.bounds import lane_bounds
from cpplan.encode.column_set import ColumnSet, OpenColumn, listed, merged
from cpplan.encode.incumbent import score
from cpplan.encode.lanes import Lanes, chunks, lane_block_cycles, lane_waves, spread_lanes
from cpplan.encode.orders import Bounded, column_bounds, count_orders
from cpplan.encode.refine import expanded, refined
from cpplan.encode.restricted import allowed_orders
from cpplan.encode.search import FamilyFacts, Search
from cpplan.encode.sites import PATIENCE

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
FOLLOWED = 48
"""Partial sequences of wave loops followed per depth while looking for the first plans."""
SELDOM = 8
"""Once rounds find nothing better, only every so many of them looks for incumbents."""


def open_columns(search: Search) -> list[OpenColumn]:
    """Columns whose bound does not exceed the k-th incumbent, best bound first."""
    sets: list[ColumnSet] = []
    for family in search.families:
        bounds = block_bounds(family.facts, search.device)
        ranked = np.argsort(bounds, kind="stable")
        ranked = ranked[bounds[ranked] < INFINITE]
        if not search.late():
            _construct(search, family, ranked[: BLOCK_ROUNDS[0]])
        for part in np.split(ranked, np.cumsum(BLOCK_ROUNDS)):
            alive = part if search.limit is None else part[bounds[part] <= search.limit]
            search.counts.blocks_pruned += len(part) - len(alive)
            if search.late() and len(alive):
                search.left_open(int(bounds[alive].min()))
            else:
                sets += _spread_columns(search, family, alive)
    alive_sets = []
    for columns in merged(sets):
        alive_set = columns.within(search.limit)
        if search.late() and len(alive_set.bound):
            search.counts.columns_kept += len(alive_set.bound)
            search.left_open(int(alive_set.bound.min()))
        else:
            alive_sets.append(alive_set)
    kept = [column for columns in refined(search, alive_sets) for column in listed(columns)]
    limit = search.limit
    return sorted((c for c in kept if limit is None or c.bound <= limit), key=lambda c: c.place)


def _construct(search: Search, family: FamilyFacts, blocks: Ints) -> None:
    """First incumbents: the spreads that finish the tile ops soonest, under the most promising orders."""
    facts = family.facts
    lanes, spread = spread_lanes(facts, family.table, blocks)
    compute = np.prod(lane_waves(facts, lanes), axis=0) * lane_block_cycles(facts, search.device, lanes)
    soonest = np.lexsort((lane_bounds(facts, search.device, lanes), compute))[:CONSTRUCTED]
    _seed(search, [
        ColumnSet(family, lanes.block[soonest[b.lane]], spread[soonest[b.lane]], b.order, b.bound)
        for b in _bounded(search, family, lanes.take(soonest), FOLLOWED)
    ])  # fmt: skip


def _bounded(search: Search, family: FamilyFacts, lanes: Lanes, widest: int | None = None) -> Iterator[Bounded]:
    """Columns of ``lanes`` within the limit, in wave orders that the restriction allows."""
    for found in column_bounds(family.facts, search.device, lanes, search.limit, widest):
        keep = allowed_orders(found.order, family.facts.program, search.restriction)
        yield Bounded(found.lane[keep], found.order[keep], found.bound[keep])


def _spread_columns(search: Search, family: FamilyFacts, blocks: Ints) -> list[ColumnSet]:
    """First pass: columns of ``blocks`` by spread, in rounds of lanes; each round looks for incumbents."""
    out = []
    for lanes, spread, bound in _ranked_lanes(search, family, blocks):
        here = np.nonzero(bound <= (INFINITE if search.limit is None else search.limit))[0]
        search.counts.lanes_pruned += len(bound) - len(here)
        if search.late() and len(here):
            search.left_open(int(bound[here].min()))
            continue
        search.counts.columns += sum(map(count_orders, (lane_waves(family.facts, lanes.take(here)) > 1).sum(axis=0)))
        found = []
        for bounded in _bounded(search, family, lanes.take(here)):
            if search.late():
                search.left_open(int(bound[here].min()))
                break
            lane = here[bounded.lane]
            found.append(ColumnSet(family, lanes.block[lane], spread[lane], bounded.order, bounded.bound))
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


def _seed(search: Search, sets: list[ColumnSet]) -> None:
    """Incumbents from the most promising columns of one round."""
    ranked = [
        (int(s.bound[i]), n, int(i)) for n, s in enumerate(sets) for i in np.argsort(s.bound, kind="stable")[:SEEDS]
    ]
    before = search.counts.mapped, search.counts.mapped_pruned
    last = search.best[-1].rank if search.best else None
    search.idle += 1
    if search.idle > PATIENCE and search.idle % SELDOM:
        return
    chosen = [sets[n].take(np.array([i])).within(search.limit) for _, n, i in sorted(ranked)[:SEEDS]]
    for column in _two_of_each(listed(expanded(search, merged(chosen)[0])) if chosen else []):
        if search.late():
            break
        if search.limit is None or column.bound <= search.limit:
            site = search.site(column.family, column.block, column.mapping, column.order)
            if site is not None:
                search.admit(score(search.device, site, search.k, search.last)[0])
    search.counts.mapped, search.counts.mapped_pruned = before
    if last is None or search.best[-1].rank != last:
        search.idle = 0


def _two_of_each(columns: list[OpenColumn]) -> list[OpenColumn]:
    """Of every spread and wave order the two mappings of least bound, best first."""
    out: list[OpenColumn] = []
    count = Counter[tuple[object, ...]]()
    for column in sorted(columns, key=lambda c: c.place):
        same = column.block, column.order, tuple(column.family.table.cores[:, column.mapping].tolist())
        count[same] += 1
        if count[same] <= 2:
            out.append(column)
    return out
