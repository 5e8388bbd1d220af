"""From block shapes to open columns: everything that bounds can decide is decided here, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.encode.alternatives import alternatives, narrow
from cpplan.encode.blocks import INFINITE, Ints, block_bounds
from cpplan.encode.bounds import lane_bounds
from cpplan.encode.incumbent import Site, score, score_alternatives
from cpplan.encode.lanes import Lanes, chunks, earns, lane_block_cycles, lane_waves, spread_lanes
from cpplan.encode.orders import (
    Bounded,
    Limited,
    Order,
    column_bounds,
    count_orders,
    order_of,
    refined_bounds,
    widest_bounds,
)
from cpplan.encode.restricted import allowed_orders
from cpplan.encode.search import FamilyFacts, Search
from cpplan.plan.plan import Split
from cpplan.plan.space import Spatial, group_sizes, is_shareable, required_group_ends

BLOCK_ROUNDS = (4, 12, 48, 192, 768)
"""Block shapes per round, best bound first: early rounds find incumbents, later rounds are pruned by them."""
LANE_ROUNDS = (16, 64, 256, 1024, 4096)
"""Lanes per round, best bound first, for the same reason."""
LANE_CHUNK = 400_000
"""Lanes per vectorised pass (memory)."""
REFINED = 2_048
"""Columns that weights decide between two looks at the clock."""
EXPANDED = 256
"""Columns whose mappings are looked at between two looks at the clock."""
CONSTRUCTED = 24
"""Spreads from which the first plans are built."""
SEEDS = 6
"""Columns scored per round while looking for incumbents."""
FOLLOWED = 48
"""Partial sequences of wave loops followed per depth while looking for the first plans."""
SITES = 64
"""Columns priced before the best of them are scored."""
EARLY_SITES = 32
"""The same while columns are still being looked for."""
PATIENCE = 6
"""Columns scored in vain before the rest of a round is left to the model."""
SELDOM = 8
"""Once rounds find nothing better, only every so many of them looks for incumbents."""
SCORED = 6_000
"""Row combinations scored exactly per column."""


@dataclass(frozen=True)
class ColumnSet:
    """Columns of one family with their bounds in cycles.

    ``spatial`` numbers spreads in the first pass and mappings in the second; ``order`` is the code of the wave loops.
    """

    family: FamilyFacts
    block: Ints
    spatial: Ints
    order: Ints
    bound: Ints

    def take(self, keep: Ints) -> ColumnSet:
        """The columns selected by ``keep``."""
        kept = (getattr(self, name)[keep] for name in ("block", "spatial", "order", "bound"))
        return ColumnSet(self.family, *kept)

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
        if not search.late():
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
            search.counts.columns_kept += len(alive_set.bound)
            search.left_open(int(alive_set.bound.min()))
        else:
            kept += _listed(_refined(search, alive_set))
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


def _merged(sets: list[ColumnSet]) -> list[ColumnSet]:
    """One set per family."""
    groups: dict[int, list[ColumnSet]] = {}
    for item in sets:
        groups.setdefault(item.family.offset, []).append(item)
    return [
        ColumnSet(
            items[0].family,
            *(np.concatenate([getattr(i, name) for i in items]) for name in ("block", "spatial", "order", "bound")),
        )
        for items in groups.values()
    ]


def _listed(columns: ColumnSet) -> list[OpenColumn]:
    dims = len(columns.family.facts.program.dims)
    rows = zip(*(getattr(columns, name).tolist() for name in ("bound", "block", "spatial", "order")), strict=True)
    return [OpenColumn(b, columns.family, block, mapping, order_of(code, dims)) for b, block, mapping, code in rows]


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


def _refined(search: Search, columns: ColumnSet) -> ColumnSet:
    """Second pass: the legal mappings of every spread, with bounds from their real deliveries, best bound first.

    These bounds tell good columns from bad ones, so the best of them are scored as soon as they are known: what they
    find spares most others the pass.
    """
    out, kept = list[ColumnSet](), list[ColumnSet]()
    for number, part in enumerate(_by_bound(columns, REFINED)):
        found = _weighed(search, columns.take(part).within(search.limit))
        if number == 0:  # what the best of them find spares the others much
            first, *rest = [*_by_bound(found, EXPANDED), np.zeros(0, dtype=np.int64)]
            _expand(search, found.take(first), out)
            found = found.take(np.concatenate(rest)) if rest else found.take(first[:0])
        kept.append(found)
    left = _merged(kept)[0] if kept else columns
    for number, part in enumerate(_by_bound(left, EXPANDED)):
        _expand(search, left.take(part), out, look=number & (number - 1) == 0)  # seldom as time goes on
    return _weighed_again(search, _merged(out)[0]) if out else columns.take(np.zeros(0, dtype=np.int64))


def _weighed_again(search: Search, columns: ColumnSet) -> ColumnSet:
    """``columns`` of mappings without those that weights decide at the limit as it is now."""
    limit, family = _limited(search, columns.family), columns.family
    if limit is None or search.late():
        return columns.within(search.limit)
    out = [columns.take(np.zeros(0, dtype=np.int64))]
    for part in _by_bound(columns, REFINED):
        here = columns.take(part).within(search.limit)
        place = here.block, here.spatial, here.order
        bound = refined_bounds(family.facts, search.device, family.table, *place, limit)
        out.append(replace(here, bound=np.maximum(here.bound, bound)).within(search.limit))
    search.counts.mapped_pruned += len(columns.bound) - sum(len(kept.bound) for kept in out)
    return _merged(out)[0]


def _expand(search: Search, columns: ColumnSet, out: list[ColumnSet], look: bool = True) -> None:
    """Add what is left of the mappings of ``columns`` to ``out``; then ``look`` for incumbents, as long as they get
    better."""
    here = columns.within(search.limit)
    if search.late() and len(here.bound):
        search.left_open(int(here.bound.min()))
        return
    search.counts.columns_kept += len(here.bound)
    out.append(_expanded(search, here, weigh=True))
    while look and not search.late():
        before = search.best[0].rank if search.best else None
        _score_listed(search, _not_seen(search, out, EARLY_SITES))
        look = bool(search.best) and search.best[0].rank != before


def _by_bound(columns: ColumnSet, size: int) -> Iterator[Ints]:
    """``columns`` in runs of ``size``, best bound first."""
    return chunks(np.argsort(columns.bound, kind="stable"), size)


def _not_seen(search: Search, sets: list[ColumnSet], count: int) -> list[OpenColumn]:
    """The ``count`` columns of least bound whose plans were not looked at yet."""
    merged = _merged(sets)[0]
    ranked = np.argsort(merged.bound, kind="stable")[: count + len(search.sites)]
    fresh = [c for c in _listed(merged.take(ranked)) if c.place[1:] not in search.sites]
    return fresh[:count]


def _score_listed(search: Search, columns: list[OpenColumn]) -> None:
    """Incumbents from ``columns``, those with the best option bounds first, as long as they get better."""
    sites = []
    for column in columns:
        if search.late() or (search.limit is not None and column.bound > search.limit):
            break
        site = search.site(column.family, column.block, column.mapping, column.order)
        if site is not None:
            sites.append(site)
    _scored_sites(search, sites)


def _limited(search: Search, family: FamilyFacts) -> Limited | None:
    """The limit of a search with the weights that are known to work for ``family``."""
    return None if search.limit is None else Limited(search.limit, search.weights[family.offset])


def _weighed(search: Search, columns: ColumnSet) -> ColumnSet:
    """``columns`` of spreads without those that weights decide."""
    limit = _limited(search, columns.family)
    if limit is None or not len(columns.bound) or search.late():
        return columns
    place = columns.block, columns.spatial, columns.order
    bound = widest_bounds(columns.family.facts, search.device, columns.family.table, place, columns.bound, limit)
    return replace(columns, bound=bound).within(search.limit)


def _expanded(search: Search, columns: ColumnSet, weigh: bool = False) -> ColumnSet:
    """The columns of all legal mappings, with bounds from their real deliveries; also by weights if ``weigh``."""
    facts, table = columns.family.facts, columns.family.table
    size = (table.first[1:] - table.first[:-1])[columns.spatial]
    source = np.repeat(np.arange(len(size)), size)
    within = np.arange(len(source)) - np.repeat(np.cumsum(size) - size, size)
    mapping = table.members[table.first[columns.spatial[source]] + within]
    legal = np.nonzero(earns(facts, table, columns.block[source], mapping))[0]
    legal = legal[_can_be_canonical(columns.family, mapping[legal])]
    source, mapping = source[legal], mapping[legal]
    search.counts.mapped += len(mapping)
    block, order = columns.block[source], columns.order[source]
    limit = _limited(search, columns.family) if weigh else None
    bound = refined_bounds(facts, search.device, table, block, mapping, order, limit)
    raised = ColumnSet(columns.family, block, mapping, order, np.maximum(columns.bound[source], bound))
    kept = raised.take(np.nonzero(raised.bound < INFINITE)[0]).within(search.limit)
    search.counts.mapped_pruned += len(mapping) - len(kept.bound)
    return kept


def _can_be_canonical(family: FamilyFacts, mapping: Ints) -> npt.NDArray[np.bool_]:
    """Whether some load may end a sharing group wherever the digit order of a mapping asks for one."""
    distinct, which = np.unique(mapping, return_inverse=True)
    program = family.facts.program
    shared = [access for access in program.loads() if is_shareable(program, access)]
    known: dict[tuple[Split, ...], bool] = {}

    def offered(spatial: Spatial, dim: int) -> bool:
        """Whether every size at which the digits of ``dim`` ask for an end is a group of some access."""
        splits = spatial[dim]
        if splits not in known:
            alone = tuple(splits if d == dim else () for d in range(len(spatial)))
            ends = required_group_ends(program, alone)
            sizes = [group_sizes(splits, access.indices) for access in shared] if ends else []
            known[splits] = all(any(size in one for one in sizes) for _, size in ends)
        return known[splits]

    found = [all(offered(s, d) for d in range(len(s))) for s in map(family.table.mapping, distinct.tolist())]
    return np.array(found, dtype=bool)[which.ravel()]


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
    for bound, number, i in sorted(ranked)[:SEEDS]:
        if search.late() or (search.limit is not None and bound > search.limit):
            break
        expanded = _listed(_expanded(search, sets[number].take(np.array([i]))))
        for column in sorted(expanded, key=lambda c: c.place)[:2]:
            site = search.site(column.family, column.block, column.mapping, column.order)
            if site is not None:
                search.admit(score(search.device, site, search.k, SCORED, search.limit)[0])
    search.counts.mapped, search.counts.mapped_pruned = before
    if last is None or search.best[-1].rank != last:
        search.idle = 0


def open_sites(search: Search, columns: list[OpenColumn]) -> list[Site]:
    """Columns that exact option bounds do not decide either, with their option rows."""
    sites: list[Site] = []
    for part in chunks(np.arange(len(columns)), SITES):
        fresh: list[Site] = []
        for number in part.tolist():
            column = columns[number]
            if search.limit is not None and column.bound > search.limit:
                search.counts.mapped_pruned += len(columns) - number
                return search.still_open(sites + _scored_sites(search, fresh))
            if search.late():
                search.left_open(column.bound)
                return search.still_open(sites + fresh)
            site = search.site(column.family, column.block, column.mapping, column.order)
            if site is None:
                search.counts.mapped_pruned += 1
            else:
                fresh.append(site)
        sites += _scored_sites(search, fresh)
        search.progress(f"{len(sites)} columns open of {int(part[-1]) + 1} looked at")
    return search.still_open(sites)


def _scored_sites(search: Search, sites: list[Site]) -> list[Site]:
    """Plans of the most promising ``sites`` enter the incumbents, until those do not get better."""
    out = []
    idle = 0
    for site in sorted(sites, key=lambda s: (s.bound, s.place)):
        small = site.column.combinations <= SCORED
        if search.late() or (idle >= PATIENCE and not small and site.pruned.additive is None):
            out.append(site)
            continue
        before = search.best[-1].rank if search.best else None
        narrowed = site if small else _narrowed(search, site)
        if narrowed is None:
            search.counts.mapped_scored += 1
        elif narrowed.scored or (idle >= PATIENCE and not small):
            out.append(narrowed)
        else:
            found, least = score(search.device, narrowed, search.k, SCORED, search.limit)
            search.admit(found)
            out.append(narrowed if least is None else replace(narrowed, scored=least))
        idle = idle + 1 if before is not None and search.best[-1].rank == before else 0
    return search.still_open(out)


def _narrowed(search: Search, site: Site) -> Site | None:
    """``site`` with the options that some combination within the limit takes, scored when those are few; None when no
    plan is left."""
    limit, additive = search.limit, site.pruned.additive
    if limit is None or additive is None:
        return site
    left = alternatives(search.device, site.column, additive, limit)
    if left is None:
        return site
    if left.combinations <= SCORED:
        found, least = score_alternatives(search.device, site, search.k, left, limit)
        search.admit(found)
        return replace(site, pruned=narrow(site.pruned, left), scored=least) if least <= limit else None
    return replace(site, pruned=narrow(site.pruned, left))
