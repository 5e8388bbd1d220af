"""From block shapes to open columns: everything that bounds can decide is decided here, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cpplan.encode.blocks import INFINITE, Ints, block_bounds
from cpplan.encode.bounds import lane_bounds, lane_ops
from cpplan.encode.column_set import ColumnSet, OpenColumn, listed, merged
from cpplan.encode.incumbent import can_be_scored
from cpplan.encode.lanes import Lanes, chunks, lane_block_cycles, lane_waves, spread_lanes, spread_lanes_within
from cpplan.encode.orders import column_bounds, count_orders
from cpplan.encode.refine import expanded, refined
from cpplan.encode.restricted import allowed_orders
from cpplan.encode.scouting import scout
from cpplan.encode.search import FamilyFacts, Search
from cpplan.encode.seeds import seed, seed_within
from cpplan.encode.sites import SITES

BLOCK_ROUNDS = (64, 192, 768)
"""Block shapes per round, best bound first: early rounds find incumbents, later rounds are pruned by them."""
LANE_ROUNDS = (2048, 4096)
"""Lanes per round, best bound first, for the same reason."""
LANE_CHUNK = 400_000
"""Lanes per vectorised pass (memory)."""
GUESS = 32
"""Part of the least bound of a block shape by which a first guess of the makespan exceeds it."""
CONSTRUCTED_BLOCKS, CONSTRUCTED = 4, 24
"""Block shapes and spreads from which the first plans are built where nothing is guessed, or no plan is within that."""
FOLLOWED = 48
"""Partial sequences of wave loops followed per depth while building the first plans."""
FEW = 32
"""Columns of spreads up to which exact prices of their mappings are tried before sharper bounds."""


def open_columns(search: Search) -> list[OpenColumn]:
    """Columns whose bound does not exceed the k-th incumbent, best bound first."""
    bounds = [block_bounds(family.facts, search.device) for family in search.families]
    rounds = [_block_rounds(one) for one in bounds]
    firsts = [_first_columns(search, *given) for given in zip(search.families, rounds, bounds, strict=True)]
    sets: list[ColumnSet] = []
    for family, parts, bound, first in zip(search.families, rounds, bounds, firsts, strict=True):
        sets += first or []
        for part in parts if first is None else [np.concatenate(parts[1:])]:
            sets += _alive_columns(search, family, part, bound)
    alive_sets = []
    for columns in merged(sets):
        alive_set = columns.within(search.limit)
        if search.late() and len(alive_set.bound):
            search.counts.columns_kept += len(alive_set.bound)
            search.left_open(int(alive_set.bound.min()))
        else:
            alive_sets.append(alive_set)
    scout(search, alive_sets)
    small = _small_columns(search, alive_sets)
    kept = small if small is not None else [c for columns in refined(search, alive_sets) for c in listed(columns)]
    limit = search.limit
    return sorted((c for c in kept if limit is None or c.bound <= limit), key=lambda c: c.place)


def _small_columns(search: Search, sets: list[ColumnSet]) -> list[OpenColumn] | None:
    """The mappings of ``sets`` when these are few and exact prices leave few plans in each; None when they do not."""
    before, few = search.counts.mapped, sum(len(s.bound) for s in sets)
    known = [site for site in search.sites.values() if site is not None]
    if few > FEW or search.limit is None or search.late() or not known:
        return None
    best = search.pruned(min(known, key=lambda site: site.bound))
    if best is not None and not can_be_scored(best.column.combinations):
        return None
    columns = sorted((c for s in sets if len(s.bound) for c in listed(expanded(search, s))), key=lambda c: c.place)
    for column in columns[: SITES + 1]:
        site = search.site(column.family, column.block, column.mapping, column.order)
        if len(columns) > SITES or (site is not None and not can_be_scored(site.column.combinations)):
            search.counts.mapped = before
            return None
    search.counts.columns_kept += few
    search.counts.mapped_pruned += search.counts.mapped - before - len(columns)
    return columns


def _block_rounds(bounds: Ints) -> list[Ints]:
    """Block shapes that fit, best bound first, in rounds."""
    ranked = np.argsort(bounds, kind="stable")
    return np.split(ranked[bounds[ranked] < INFINITE], np.cumsum(BLOCK_ROUNDS))


def _first_columns(search: Search, family: FamilyFacts, rounds: list[Ints], bounds: Ints) -> list[ColumnSet] | None:
    """First incumbents of ``family``; its columns of the first of ``rounds`` where a guess decides them."""
    if search.late():
        return None
    found = _guessed_columns(search, family, rounds[0], bounds)
    if found is None:
        _construct(search, family, rounds[0][:CONSTRUCTED_BLOCKS])
    return found


def _alive_columns(search: Search, family: FamilyFacts, blocks: Ints, bounds: Ints) -> list[ColumnSet]:
    """First pass: the columns of those ``blocks`` that ``bounds`` leave within the limit, by spread."""
    alive = blocks if search.limit is None else blocks[bounds[blocks] <= search.limit]
    search.counts.blocks_pruned += len(blocks) - len(alive)
    if search.late() and len(alive):
        search.left_open(int(bounds[alive].min()))
        return []
    return _spread_columns(search, family, alive)


def _guessed_columns(search: Search, family: FamilyFacts, blocks: Ints, bounds: Ints) -> list[ColumnSet] | None:
    """The columns of ``blocks`` within a guessed makespan, if a plan is; None if none is found.

    Among many block shapes, the first few are a poor sample; a low limit leaves few columns and tells the good ones. A
    guess that is too low costs little.
    """
    if len(blocks) <= CONSTRUCTED_BLOCKS:
        return None
    guess, before = int(bounds[blocks[0]]) * (GUESS + 1) // GUESS, replace(search.counts)
    if search.limit is not None:
        guess = min(guess, search.limit)
    alive = blocks[bounds[blocks] <= guess]
    search.counts.blocks_pruned += len(blocks) - len(alive)
    found = list[ColumnSet]()
    for part in _lane_chunks(family, alive):
        lanes, spread, _ = _lanes_within(search, family, part, guess)
        found += _bounded(search, family, lanes, spread, guess)
    seed_within(search, found, guess)
    if search.limit is not None and search.limit <= guess:
        return found
    search.counts = before
    return None


def _construct(search: Search, family: FamilyFacts, blocks: Ints) -> None:
    """First incumbents: the spreads that finish the tile ops soonest, under the most promising orders."""
    facts, before = family.facts, replace(search.counts)
    lanes, spread = spread_lanes(facts, family.table, blocks)
    compute = np.prod(lane_waves(facts, lanes), axis=0) * lane_block_cycles(facts, search.device, lanes)
    soonest = np.lexsort((lane_bounds(facts, search.device, lanes), compute))[:CONSTRUCTED]
    seed(search, list(_bounded(search, family, lanes.take(soonest), spread[soonest], search.limit, FOLLOWED)))
    search.counts = before


def _spread_columns(search: Search, family: FamilyFacts, blocks: Ints) -> list[ColumnSet]:
    """Columns of ``blocks`` by spread, in rounds of lanes; each round looks for incumbents."""
    out = []
    for lanes, spread, bound in _ranked_lanes(search, family, blocks):
        here = np.nonzero(bound <= (INFINITE if search.limit is None else search.limit))[0]
        search.counts.lanes_pruned += len(bound) - len(here)
        if search.late() and len(here):
            search.left_open(int(bound[here].min()))
            continue
        found = []
        for columns in _bounded(search, family, lanes.take(here), spread[here], search.limit):
            if search.late():
                search.left_open(int(bound[here].min()))
                break
            found.append(columns)
        seed(search, found)
        out += found
    return out


def _bounded(
    search: Search, family: FamilyFacts, lanes: Lanes, spread: Ints, limit: int | None, widest: int | None = None
) -> Iterator[ColumnSet]:
    """Columns of ``lanes`` within ``limit``, in wave orders that the restriction allows."""
    facts = family.facts
    search.counts.columns += sum(map(count_orders, (lane_waves(facts, lanes) > 1).sum(axis=0)))
    for found in column_bounds(facts, search.device, lanes, limit, widest):
        keep = allowed_orders(found.order, facts.program, search.restriction)
        lane = found.lane[keep]
        yield ColumnSet(family, lanes.block[lane], spread[lane], found.order[keep], found.bound[keep])


def _ranked_lanes(search: Search, family: FamilyFacts, blocks: Ints) -> Iterator[tuple[Lanes, Ints, Ints]]:
    """Lanes of ``blocks`` within the limit, best bound first, in rounds."""
    for part in _lane_chunks(family, blocks):
        lanes, spread, bound = _lanes_within(search, family, part, search.limit)
        ranked = np.argsort(bound, kind="stable")
        for batch in np.split(ranked, np.cumsum(LANE_ROUNDS)):
            if len(batch):
                yield lanes.take(batch), spread[batch], bound[batch]


def _lane_chunks(family: FamilyFacts, blocks: Ints) -> Iterator[Ints]:
    """``blocks`` in runs with not too many lanes."""
    return chunks(blocks, max(1, LANE_CHUNK // max(1, family.table.spreads.shape[1])))


def _lanes_within(search: Search, family: FamilyFacts, blocks: Ints, limit: int | None) -> tuple[Lanes, Ints, Ints]:
    """The lanes of ``blocks`` within ``limit`` with their spreads and bounds."""
    facts, device = family.facts, search.device
    if limit is None:
        lanes, spread = spread_lanes(facts, family.table, blocks)
        count = len(lanes)
    else:
        left = limit - device.launch_cycles
        lanes, spread, count = spread_lanes_within(facts, family.table, blocks, left)
        soon = np.nonzero(device.launch_cycles + lane_ops(facts, lanes) <= limit)[0]
        lanes, spread = lanes.take(soon), spread[soon]
    bound = lane_bounds(facts, device, lanes)
    here = np.nonzero(bound <= (INFINITE if limit is None else limit))[0]
    search.counts.lanes += count
    search.counts.lanes_pruned += count - len(here)
    return lanes.take(here), spread[here], bound[here]
