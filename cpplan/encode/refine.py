"""From spreads to mappings: real deliveries, weights that decide columns by the thousand, and branch and bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cpplan.encode.blocks import INFINITE, Ints
from cpplan.encode.branch_and_bound import Choice, decide
from cpplan.encode.cohorts import Cohort, cohorts, combinations
from cpplan.encode.column_set import ColumnSet, listed, merged
from cpplan.encode.lanes import earns
from cpplan.encode.orders import Limited, refined_bounds, widest_bounds
from cpplan.encode.search import FamilyFacts, Search
from cpplan.encode.sites import score_choice
from cpplan.encode.stacked import Stack
from cpplan.plan.plan import Split
from cpplan.plan.space import Spatial, group_sizes, is_shareable, required_group_ends

REFINED = 4_096
"""Columns that weights decide between two looks at the clock."""
EXPANDED = 256
"""Columns whose mappings are looked at between two looks at the clock."""
_NONE = np.zeros(0, dtype=np.int64)
STEPS = 1_000
"""Steps of branch and bound on the way: as long as better plans are still to be found elsewhere, proofs are dear."""
FEW = 10
"""Combinations of options up to which a column is cheaper to price exactly."""
VAIN = 12
"""Choices scored in a row without a better plan; networks and readers tell the plans apart that are left then."""
TRIED = 2
"""Columns scored of those that branch and bound ends at."""


def refined(search: Search, sets: Sequence[ColumnSet]) -> list[ColumnSet]:
    """Second pass: the legal mappings of every spread, with bounds from their real deliveries.

    These bounds tell good columns from bad ones, so the best spreads of all families come first: what is found in them
    spares most others the pass.
    """
    out = list[ColumnSet]()
    waiting = [columns.take(columns.bound.argsort(kind="stable")) for columns in sets]
    pools = [columns.take(_NONE) for columns in sets]
    while any(len(columns.bound) for columns in (*waiting, *pools)):
        for number, columns in enumerate(waiting):
            fresh = _weighed(search, columns.take(np.arange(min(REFINED, len(columns.bound)))).within(search.limit))
            waiting[number] = columns.take(np.arange(REFINED, len(columns.bound))).within(search.limit)
            pool = merged([pools[number], fresh])[0]
            ranked = pool.bound.argsort(kind="stable")
            out.append(_decided(search, pool.take(ranked[:EXPANDED])))
            pools[number] = pool.take(ranked[EXPANDED:]).within(search.limit)
    return [_settled(search, columns) for columns in merged(out)]


def _settled(search: Search, columns: ColumnSet) -> ColumnSet:
    """What is left of ``columns`` of mappings at the limit that all of them led to."""
    here, limit = columns.within(search.limit), limited(search, columns.family)
    if limit is None or search.late() or not len(here.bound):
        return here
    place = here.block, here.spatial, here.order
    bound, stacks = refined_bounds(here.family.facts, search.device, here.family.table, *place, limit)
    out = _branched(search, replace(here, bound=np.maximum(here.bound, bound)), stacks)
    search.counts.mapped_pruned += len(columns.bound) - len(out.bound)
    return out


def _decided(search: Search, columns: ColumnSet) -> ColumnSet:
    """The mappings of ``columns`` without those that bounds decide; the best that these meet are scored."""
    here = columns.within(search.limit)
    if search.late() and len(here.bound):
        search.left_open(int(here.bound.min()))
        return here.take(np.zeros(0, dtype=np.int64))
    search.counts.columns_kept += len(here.bound)
    listed_ones, stacks = mapped(search, here, limited(search, here.family))
    legal = listed_ones.take(np.nonzero(listed_ones.bound < INFINITE)[0])
    out = legal if search.limit is None else _branched(search, listed_ones, stacks, STEPS)
    search.counts.mapped_pruned += len(listed_ones.bound) - len(out.bound)
    return out


def _branched(
    search: Search, columns: ColumnSet, stacks: list[tuple[Stack, Ints]], steps: float = math.inf
) -> ColumnSet:
    """What branch and bound over cohorts leaves of ``columns`` (docs/encoding.md, section 4), in at most so many
    ``steps``."""
    found = list[tuple[float, Cohort]]()
    for stack, here in stacks:
        hard = combinations(stack) > FEW
        for cohort in cohorts(stack.take(hard), here[hard]):
            found.append((float(columns.bound[cohort.columns].min()), cohort))

    def limit() -> int:
        assert search.limit is not None
        return search.limit

    taken, vain = itertools.count(), 0

    def attempt(choice: Choice) -> None:
        nonlocal vain
        before = limit()
        ranked = choice.columns[np.argsort(columns.bound[choice.columns], kind="stable")]
        for column in listed(columns.take(ranked[:TRIED])):
            score_choice(search, column, choice.levels, choice.depths)
        vain = 0 if limit() < before else vain + 1

    def stop() -> bool:
        return search.late() or vain >= VAIN or next(taken) >= steps

    bounds, looked_at = columns.bound.copy(), np.zeros(len(columns.bound), dtype=bool)
    for _, cohort in found:
        looked_at[cohort.columns] = True
    kept = [np.nonzero(~looked_at)[0]]
    for left, bound in decide(search.device, found, limit, stop, attempt):
        bounds[left] = np.maximum(bounds[left], math.ceil(bound))
        kept.append(left)
    return replace(columns, bound=bounds).take(np.concatenate(kept)).within(search.limit)


def limited(search: Search, family: FamilyFacts) -> Limited | None:
    """The limit of a search with the weights that are known to work for ``family``."""
    return None if search.limit is None else Limited(search.limit, search.weights[family.offset])


def _weighed(search: Search, columns: ColumnSet) -> ColumnSet:
    """``columns`` of spreads without those that weights decide."""
    limit = limited(search, columns.family)
    if limit is None or not len(columns.bound) or search.late():
        return columns
    place = columns.block, columns.spatial, columns.order
    bound = widest_bounds(columns.family.facts, search.device, columns.family.table, place, columns.bound, limit)
    return replace(columns, bound=bound).within(search.limit)


def expanded(search: Search, columns: ColumnSet) -> ColumnSet:
    """The columns of all legal mappings within the limit, with bounds from their real deliveries."""
    found, _ = mapped(search, columns, None)
    return found.take(np.nonzero(found.bound < INFINITE)[0]).within(search.limit)


def mapped(search: Search, columns: ColumnSet, limit: Limited | None) -> tuple[ColumnSet, list[tuple[Stack, Ints]]]:
    """The columns of all legal mappings, and with a ``limit`` the stacks of those that weights do not decide."""
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
    bound, stacks = refined_bounds(facts, search.device, table, block, mapping, order, limit)
    raised = np.maximum(columns.bound[source], bound)
    return ColumnSet(columns.family, block, mapping, order, raised), stacks


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
