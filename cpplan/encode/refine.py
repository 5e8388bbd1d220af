"""From spreads to mappings: their real deliveries, and weights that decide columns by the thousand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cpplan.encode.blocks import INFINITE, Ints
from cpplan.encode.column_set import ColumnSet, OpenColumn, by_bound, listed, merged
from cpplan.encode.lanes import earns
from cpplan.encode.orders import Limited, refined_bounds, widest_bounds
from cpplan.encode.search import FamilyFacts, Search
from cpplan.encode.sites import score_listed
from cpplan.plan.plan import Split
from cpplan.plan.space import Spatial, group_sizes, is_shareable, required_group_ends

REFINED = 2_048
"""Columns that weights decide between two looks at the clock."""
EXPANDED = 256
"""Columns whose mappings are looked at between two looks at the clock."""
EARLY_SITES = 32
"""Columns priced before the best of them are scored, while columns are still being looked for."""


def refined(search: Search, columns: ColumnSet) -> ColumnSet:
    """Second pass: the legal mappings of every spread, with bounds from their real deliveries, best bound first.

    These bounds tell good columns from bad ones, so the best of them are scored as soon as they are known: what they
    find spares most others the pass.
    """
    out, kept = list[ColumnSet](), list[ColumnSet]()
    for number, part in enumerate(by_bound(columns, REFINED)):
        found = _weighed(search, columns.take(part).within(search.limit))
        if number == 0:  # what the best of them find spares the others much
            ranked = np.argsort(found.bound, kind="stable")
            _expand(search, found.take(ranked[:EXPANDED]), out)
            found = found.take(ranked[EXPANDED:])
        kept.append(found)
    left = merged(kept)[0] if kept else columns
    for number, part in enumerate(by_bound(left, EXPANDED)):
        _expand(search, left.take(part), out, look=number & (number - 1) == 0)  # seldom as time goes on
    return _weighed_again(search, merged(out)[0]) if out else columns.take(np.zeros(0, dtype=np.int64))


def _weighed_again(search: Search, columns: ColumnSet) -> ColumnSet:
    """``columns`` of mappings without those that weights decide at the limit as it is now."""
    limit, family = _limited(search, columns.family), columns.family
    if limit is None or search.late():
        return columns.within(search.limit)
    out = [columns.take(np.zeros(0, dtype=np.int64))]
    for part in by_bound(columns, REFINED):
        here = columns.take(part).within(search.limit)
        place = here.block, here.spatial, here.order
        bound = refined_bounds(family.facts, search.device, family.table, *place, limit)
        out.append(replace(here, bound=np.maximum(here.bound, bound)).within(search.limit))
    search.counts.mapped_pruned += len(columns.bound) - sum(len(kept.bound) for kept in out)
    return merged(out)[0]


def _expand(search: Search, columns: ColumnSet, out: list[ColumnSet], look: bool = True) -> None:
    """Add what is left of the mappings of ``columns`` to ``out``; then ``look`` for incumbents, as long as they get
    better."""
    here = columns.within(search.limit)
    if search.late() and len(here.bound):
        search.left_open(int(here.bound.min()))
        return
    search.counts.columns_kept += len(here.bound)
    out.append(expanded(search, here, weigh=True))
    while look and not search.late():
        before = search.best[0].rank if search.best else None
        score_listed(search, _not_seen(search, out, EARLY_SITES))
        look = bool(search.best) and search.best[0].rank != before


def _not_seen(search: Search, sets: list[ColumnSet], count: int) -> list[OpenColumn]:
    """The ``count`` columns of least bound whose plans were not looked at yet."""
    columns = merged(sets)[0]
    ranked = np.argsort(columns.bound, kind="stable")[: count + len(search.sites)]
    fresh = [c for c in listed(columns.take(ranked)) if c.place[1:] not in search.sites]
    return fresh[:count]


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


def expanded(search: Search, columns: ColumnSet, weigh: bool = False) -> ColumnSet:
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
