"""Closed forms of integers in the block-shape parameters, found from samples and checked on held-out ones.

The forms, simplest first: a constant; a product of parameters; ceil(S / product of parameters) with S a size of the
launch; products of those; each times an integer; a multiple plus a constant; ratios; trips of causal loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Factor:
    """``prod(params[i] for i in subset)``, or ``ceil(size / that)`` when ``size`` is given."""

    subset: tuple[int, ...]
    size: int | None = None

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        product: Integers = np.prod(table[:, list(self.subset)], axis=1, dtype=np.int64)
        return product if self.size is None else -(-self.size // product)


@dataclass(frozen=True)
class Staircase:
    """Trips of a loop that ends at (or begins from) its block, as in causal attention.

    Block ``i`` of the ``ceil(size / params[rows])`` row blocks takes
    ``ceil((i + shift) * params[rows] / params[columns])`` trips; the value is their sum, or with ``last`` the trips of
    the last block.
    """

    rows: int
    columns: int
    size: int
    shift: int
    last: bool = False

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        height, width = table[:, self.rows], table[:, self.columns]
        blocks = -(-self.size // height)
        if self.last:
            return -(-(blocks - 1 + self.shift) * height // width)
        total = np.zeros(len(table), dtype=np.int64)
        for i in range(int(blocks.max())):
            total += np.where(i < blocks, -(-(i + self.shift) * height // width), 0)
        return total


@dataclass(frozen=True)
class Ratio:
    """``ceil(params[rows] / params[columns])``: the blocks of one kind inside one of another."""

    rows: int
    columns: int

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        return -(-table[:, self.rows] // table[:, self.columns])


AnyFactor = Factor | Staircase | Ratio


@dataclass(frozen=True)
class Form:
    """``scale * prod(factors) + shift``."""

    factors: tuple[AnyFactor, ...]
    scale: int = 1
    shift: int = 0

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        value = np.full(len(table), self.scale, dtype=np.int64)
        for factor in self.factors:
            value = value * factor.at(table)
        return value + self.shift


def matching_forms(
    column: Integers, samples: Integers, sizes: Sequence[int], parallel: Collection[int] = ()
) -> list[Form]:
    """All forms of the simplest level that give ``column`` on every row of ``samples``; empty when none does.

    ``parallel`` lists the parameters that tile parallel dims: only those can be the rows of a causal loop's staircase,
    and only others its columns (on powers of two the two roles cannot be told apart).
    """
    if bool((column == column[0]).all()):
        return [Form((), int(column[0]))]
    for level in _levels(samples.shape[1], sizes, parallel):
        found = [form for factors, shape in level for form in _fit(column, samples, factors, shape)]
        if found:
            return found
    return []


def _levels(
    parameters: int, sizes: Sequence[int], parallel: Collection[int]
) -> Iterator[list[tuple[tuple[AnyFactor, ...], str]]]:
    subsets = [s for n in range(1, parameters + 1) for s in itertools.combinations(range(parameters), n)]
    products = [Factor(s) for s in subsets]
    quotients = [Factor(s, size) for s in subsets for size in sizes]
    single = [q for q in quotients if len(q.subset) == 1]
    pairs = [(a, b) for a, b in itertools.combinations(single, 2) if a.subset != b.subset]
    triples = [t for t in itertools.combinations(single, 3) if len({f.subset for f in t}) == 3]
    yield [((p,), "exact") for p in products]
    yield [((q,), "exact") for q in quotients]
    yield [((p,), "scaled") for p in products]
    yield [((q,), "scaled") for q in quotients]
    yield [(pair, "exact") for pair in pairs]
    yield [(pair, "scaled") for pair in pairs]
    yield [(triple, "exact") for triple in triples]
    yield [((p, q), "scaled") for p in products for q in quotients]
    yield [((p,), "shifted") for p in products]
    yield [((q,), "shifted") for q in quotients]
    ordered = [(p, q) for p, q in itertools.permutations(range(parameters), 2) if p in parallel and q not in parallel]
    yield [((Ratio(p, q),), "scaled") for p, q in ordered]
    stairs = [(p, q, size, shift) for p, q in ordered for size in sizes for shift in (0, 1)]
    yield [((Staircase(*stair, last=last),), "scaled") for stair in stairs for last in (True, False)]


def _fit(column: Integers, samples: Integers, factors: tuple[AnyFactor, ...], shape: str) -> Iterator[Form]:
    base = Form(factors).at(samples)
    if shape == "exact":
        if bool((base == column).all()):
            yield Form(factors)
        return
    other = int(np.argmax(base != base[0])) if shape == "shifted" else 0
    rise, run = (
        (int(column[other] - column[0]), int(base[other] - base[0])) if other else (int(column[0]), int(base[0]))
    )
    if run == 0 or rise % run:
        return
    form = Form(factors, rise // run)
    if shape == "shifted":
        form = Form(factors, form.scale, int(column[0]) - form.scale * int(base[0]))
    if bool((form.at(samples) == column).all()):
        yield form
