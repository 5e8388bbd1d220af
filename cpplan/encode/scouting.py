"""Incumbents for large problems, before thousands of columns are bounded: rounding finds where fast plans are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.column_set import ColumnSet, listed, merged
from cpplan.encode.orders import widest_stacks
from cpplan.encode.refine import limited, mapped
from cpplan.encode.rounding import Options, Rounded, better, descended, options_of, rounded
from cpplan.encode.search import Search
from cpplan.encode.sites import score_choice
from cpplan.encode.stacked import Stack, by_shape

WORTH = 256
"""Spreads from which on scouting costs less than it saves."""
SCOUTED = 512
"""Spreads of one shape whose choices are rounded, best bound first."""
SOURCES = 3
"""Spreads per shape whose relaxations price the options of all."""
DESCENDED, FOLLOWED = 32, 128
"""Of so many spreads, one has its choices improved, and one its mappings scouted too."""
VAIN, ALIKE = 12, 2
"""Choices scored in a row without a better plan, and of those that look equally fast."""


@dataclass(frozen=True)
class _Scouted:
    """Columns of one shape with a choice for each."""

    columns: ColumnSet
    stack: Stack
    options: Options
    choice: Rounded

    def take(self, keep: Ints) -> _Scouted:
        """The columns selected by ``keep``."""
        return _Scouted(self.columns.take(keep), self.stack.take(keep), self.options.take(keep), self.choice.take(keep))


def scout(search: Search, sets: Sequence[ColumnSet]) -> None:
    """Plans of the spreads ``sets`` where whole choices promise most enter the incumbents."""
    count = sum(len(columns.bound) for columns in sets)
    if search.limit is None or count < WORTH:
        return
    search.progress("scouting for better plans")
    before = search.counts.mapped
    spreads = [one for columns in sets for one in _scouted(search, columns, _stacks(search, columns))]
    improved = _improved(search.device, spreads, count // DESCENDED)
    followed = merged([one.columns for one in _fastest(improved, count // FOLLOWED)])
    mappings = [mapped(search, columns, limited(search, columns.family)) for columns in followed]
    found = [one for columns, stacks in mappings for one in _scouted(search, columns, stacks)]
    _score(search, _improved(search.device, found, count // DESCENDED))
    search.counts.mapped = before


def _stacks(search: Search, columns: ColumnSet) -> list[tuple[Stack, Ints]]:
    """The spreads ``columns`` by shape, whatever their deliveries."""
    place = columns.block, columns.spatial, columns.order
    here, limit = columns.family, search.limit
    assert limit is not None
    return widest_stacks(here.facts, search.device, here.table, place, columns.bound, limit)


def _scouted(search: Search, columns: ColumnSet, stacks: Sequence[tuple[Stack, Ints]]) -> Iterator[_Scouted]:
    """The best columns of every shape with the best choices that the prices of some of their relaxations lead to."""
    for whole, here in by_shape(stacks):
        if search.late():
            return
        ranked = np.argsort(columns.bound[here], kind="stable")[:SCOUTED]
        stack = whole.take(ranked)
        options, choice = options_of(stack), None
        for source in range(0, len(ranked), -(-len(ranked) // SOURCES)):
            shares = stack.shares(search.device, source)
            if shares is not None:
                choice = better(choice, rounded(search.device, stack, options, shares))
        if choice is not None:
            yield _Scouted(columns.take(here[ranked]), stack, options, choice)


def _improved(device: Device, found: Sequence[_Scouted], count: int) -> list[_Scouted]:
    """The ``count`` fastest of ``found`` with improved choices."""
    return [
        replace(one, choice=descended(device, one.stack, one.options, one.choice)) for one in _fastest(found, count)
    ]


def _fastest(found: Sequence[_Scouted], count: int) -> list[_Scouted]:
    """The ``count`` columns of ``found`` with the fastest choices."""
    cycles = np.concatenate([one.choice.cycles for one in found] or [np.zeros(0)])
    kept = np.zeros(len(cycles), dtype=bool)
    kept[np.argsort(cycles, kind="stable")[:count]] = True
    parts = np.split(kept & np.isfinite(cycles), np.cumsum([len(one.choice.cycles) for one in found])[:-1])
    return [one.take(np.nonzero(part)[0]) for one, part in zip(found, parts, strict=False) if part.any()]


def _score(search: Search, found: Sequence[_Scouted]) -> None:
    """Incumbents from the choices of ``found``, fastest first, until they do not get better."""
    ranked = sorted((float(c), n, i) for n, one in enumerate(found) for i, c in enumerate(one.choice.cycles))
    vain, alike = 0, Counter[float]()
    for cycles, number, position in ranked:
        limit = search.limit
        if search.late() or vain >= VAIN or limit is None or cycles > limit - 1:
            return
        alike[cycles] += 1
        if alike[cycles] > ALIKE:
            continue
        one = found[number].take(np.array([position]))
        (column,), access = listed(one.columns), np.arange(len(one.choice.picks))
        picks = one.choice.picks[:, 0]
        levels, depths = (tuple(table[access, picks].tolist()) for table in (one.options.level, one.options.depth))
        score_choice(search, column, levels, depths)
        vain = vain + 1 if search.limit == limit else 0
