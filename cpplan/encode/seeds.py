"""Incumbents from the most promising columns, before bounds have decided the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from cpplan.encode.blocks import INFINITE
from cpplan.encode.column_set import ColumnSet, OpenColumn, listed, merged
from cpplan.encode.incumbent import score
from cpplan.encode.refine import expanded
from cpplan.encode.scouting import WORTH
from cpplan.encode.search import Search
from cpplan.encode.sites import PATIENCE

SEEDS, EACH = 6, 2
"""Columns scored per round while looking for incumbents, and mappings of each."""
SCOUTED_SEEDS, SCOUTED_EACH = 3, 1
"""The same where so many columns are found that scouting follows."""
TURNS = 8
"""Turns until k plans are known, since without a limit nothing is left out."""
SELDOM = 8
"""Once rounds find nothing better, only every so many of them looks for incumbents."""
TRIED = (2, 30)
"""Columns whose mappings are looked at for plans within a guess: a few, then more."""


def seed(search: Search, sets: Sequence[ColumnSet]) -> None:
    """Incumbents from the most promising columns of one round."""
    many = sum(len(columns.bound) for columns in sets) >= WORTH
    seeds, each = (SCOUTED_SEEDS, SCOUTED_EACH) if many else (SEEDS, EACH)
    ranked = sorted(
        (int(s.bound[i]), n, int(i))
        for n, s in enumerate(sets)
        for i in np.argsort(s.bound, kind="stable")[: seeds * TURNS]
    )
    last = search.best[-1].rank if search.best else None
    search.idle += 1
    if search.idle > PATIENCE and search.idle % SELDOM:
        return
    for turn in range(TURNS):
        for columns in merged([sets[n].take(np.array([i])) for _, n, i in ranked[turn * seeds : (turn + 1) * seeds]]):
            _score_best(search, columns, each, pairs=not many)
        if search.limit is not None:
            break
    if last is None or search.best[-1].rank != last:
        search.idle = 0


def seed_within(search: Search, sets: Sequence[ColumnSet], guess: int) -> None:
    """Incumbents within ``guess`` from the most promising columns, as long as these may be faster than those known."""
    for columns in merged(list(sets)):
        best = columns.bound.argsort(kind="stable")[: sum(TRIED)]
        for part in np.split(best, TRIED[:1]):
            _score_best(search, columns.take(part), 1, guess)


def _score_best(
    search: Search, columns: ColumnSet, each: int, guess: int | None = None, *, pairs: bool = False
) -> None:
    """Incumbents from the ``each`` best mappings of ``columns`` of spreads that may be faster than those known and
    within a ``guess``; of a guess no more when too many in a row were not. ``pairs``: see :func:`score`."""
    before, vain = search.counts.mapped, 0
    faster = columns if search.limit is None else columns.within(search.limit - 1)
    for column in _best_of_each(listed(expanded(search, faster)) if len(faster.bound) else [], each):
        limit = min(INFINITE if guess is None else guess, INFINITE if search.limit is None else search.limit - 1)
        if search.late() or column.bound > limit or (guess is not None and vain >= PATIENCE):
            break
        site = search.site(column.family, column.block, column.mapping, column.order)
        if site is not None:
            search.admit(score(search.device, site, search.k, search.last, pairs=pairs)[0])
        vain = 0 if search.limit is not None and search.limit <= limit else vain + 1
    search.counts.mapped = before


def _best_of_each(columns: list[OpenColumn], each: int) -> list[OpenColumn]:
    """Of every spread and wave order the ``each`` mappings of least bound, best first."""
    out: list[OpenColumn] = []
    count = Counter[tuple[object, ...]]()
    for column in sorted(columns, key=lambda c: c.place):
        same = column.block, column.order, tuple(column.family.table.cores[:, column.mapping].tolist())
        count[same] += 1
        if count[same] <= each:
            out.append(column)
    return out
