"""From block shapes to open columns: everything that bounds can decide is decided here, in arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cpplan.encode.blocks import INFINITE, Ints, block_bounds
from cpplan.encode.bounds import Order, column_bounds, compute_bounds, refined_bounds
from cpplan.encode.incumbent import Site, score
from cpplan.encode.lanes import Lanes, chunks, lanes_of
from cpplan.encode.search import FamilyFacts, Search

WAVEFRONT = (4, 12, 48, 192, 768)
"""Block shapes bounded per round, best bound first: early rounds find incumbents, later rounds are pruned by them."""
LANE_CHUNK = 400_000
"""Pairs of block shape and mapping per vectorised pass (memory)."""
SEEDS = 6
"""Columns scored per round while looking for incumbents."""
SCORED = 6_000
"""Row combinations scored exactly per column."""


@dataclass(frozen=True)
class ColumnSet:
    """Columns of one family and one order of wave loops, with their bounds in cycles."""

    family: FamilyFacts
    order: Order
    block: Ints
    mapping: Ints
    bound: Ints

    def take(self, keep: Ints) -> ColumnSet:
        """The columns selected by ``keep``."""
        return ColumnSet(self.family, self.order, self.block[keep], self.mapping[keep], self.bound[keep])


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
        for part in np.split(ranked, np.cumsum(WAVEFRONT)):
            alive = part if search.limit is None else part[bounds[part] <= search.limit]
            search.counts.blocks_pruned += len(part) - len(alive)
            if search.late() and len(alive):
                search.left_open(int(bounds[alive].min()))
                continue
            found = _bounded(search, family, alive)
            _seed(search, found)
            sets += found
    refined = [r for s in _merged(sets) for r in _refined(search, s)]
    limit = search.limit
    kept = [c for s in refined for c in _listed(s) if limit is None or c.bound <= limit]
    search.counts.columns_pruned += search.counts.columns - len(kept)
    return sorted(kept, key=lambda c: c.place)


def _merged(sets: list[ColumnSet]) -> list[ColumnSet]:
    """One set per family and order."""
    groups: dict[tuple[int, Order], list[ColumnSet]] = {}
    for item in sets:
        groups.setdefault((item.family.offset, item.order), []).append(item)
    return [
        ColumnSet(
            items[0].family,
            items[0].order,
            np.concatenate([i.block for i in items]),
            np.concatenate([i.mapping for i in items]),
            np.concatenate([i.bound for i in items]),
        )
        for items in groups.values()
    ]


def _listed(columns: ColumnSet) -> list[OpenColumn]:
    rows = zip(columns.bound.tolist(), columns.block.tolist(), columns.mapping.tolist(), strict=True)
    return [OpenColumn(bound, columns.family, block, mapping, columns.order) for bound, block, mapping in rows]


def _bounded(search: Search, family: FamilyFacts, blocks: Ints) -> list[ColumnSet]:
    """First pass over ``blocks``: mappings by their tile ops alone, then columns with deliveries left open."""
    facts, table, device = family.facts, family.table, search.device
    out = []
    for part in chunks(blocks, max(1, LANE_CHUNK // max(1, len(table.choices)))):
        lanes = lanes_of(facts, table, part)
        search.counts.mappings += len(lanes)
        limit = INFINITE if search.limit is None else search.limit
        keep = compute_bounds(facts, device, table, lanes) <= limit
        search.counts.mappings_pruned += len(lanes) - int(keep.sum())
        for bounded in column_bounds(facts, device, table, lanes.take(keep)):
            search.counts.columns += len(bounded.bound)
            columns = ColumnSet(family, bounded.order, bounded.lanes.block, bounded.lanes.spatial, bounded.bound)
            out.append(columns.take(np.nonzero(bounded.bound <= limit)[0]))
    return out


def _refined(search: Search, columns: ColumnSet) -> list[ColumnSet]:
    """Second pass: bounds with the real deliveries of each mapping, for columns still within the limit."""
    if search.limit is None:
        return [columns]
    alive = columns.take(np.nonzero(columns.bound <= search.limit)[0])
    out = []
    for part in chunks(np.arange(len(alive.block)), LANE_CHUNK):
        here = alive.take(part)
        family, lanes = here.family, Lanes(here.block, here.mapping)
        bound = refined_bounds(family.facts, search.device, family.table, lanes, here.order)
        raised = replace(here, bound=np.maximum(here.bound, bound))
        out.append(raised.take(np.nonzero(raised.bound <= search.limit)[0]))
    return out


def _seed(search: Search, sets: list[ColumnSet]) -> None:
    """Incumbents from the most promising columns of one round."""
    promising = [c for s in sets for c in _listed(s.take(np.argsort(s.bound, kind="stable")[:SEEDS]))]
    for column in sorted(promising, key=lambda c: c.place)[:SEEDS]:
        if search.late():
            return
        if search.limit is None or column.bound <= search.limit:
            _scored_site(search, column)


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
            search.counts.columns_pruned += len(columns) - number
            break
        if search.late():
            search.left_open(column.bound)
            break
        site = _scored_site(search, column)
        if site is None:
            search.counts.columns_pruned += 1
        else:
            sites.append(site)
        if number % 50 == 0:
            search.progress(f"{len(sites)} columns open of {number + 1} looked at")
    return search.still_open(sites)
