"""Closed forms of integers in the block-shape parameters, found from samples and checked on held-out ones.

The forms, simplest first: a constant; a product of parameters; ceil(S / product of parameters) with S a size of the
launch; products of those; each times an integer; a product divided by a number or by another product; a multiple plus
a constant.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

Subset = tuple[int, ...]
"""Parameters that are multiplied, by number; one may come twice."""


@dataclass(frozen=True)
class Factor:
    """``prod(params[i] for i in subset)``, divided by a constant or by another product where ``over`` says so, or
    ``ceil(size / that)`` when ``size`` is given (``down``: the floor)."""

    subset: Subset
    size: int | None = None
    down: bool = False
    over: int | Subset = 1

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        product = _product(self.subset, table)
        if self.size is None:
            return product // self._divisor(table)
        return self.size // product if self.down else -(-self.size // product)

    def _divisor(self, table: Integers) -> Integers:
        return np.full(1, self.over, dtype=np.int64) if isinstance(self.over, int) else _product(self.over, table)

    def divides(self, table: Integers) -> NDArray[np.bool_]:
        """Rows at which the size is a multiple of the product."""
        return np.asarray(self.size is None or self.size % _product(self.subset, table) == 0)

    def is_whole(self, table: Integers) -> NDArray[np.bool_]:
        """Rows at which the product is a multiple of what it is divided by."""
        return np.asarray(self.size is not None or _product(self.subset, table) % self._divisor(table) == 0)

    def __str__(self) -> str:
        product = _text(self.subset)
        if self.size is not None:
            return f"{'floor' if self.down else 'ceil'}({self.size} / ({product}))"
        return product if self.over == 1 else f"{product} / {_text(self.over)}"


@dataclass(frozen=True)
class Form:
    """``scale * prod(factors) + shift``."""

    factors: tuple[Factor, ...]
    scale: int = 1
    shift: int = 0

    def at(self, table: Integers) -> Integers:
        """Value for every row of a (candidates x parameters) table."""
        value = np.full(len(table), self.scale, dtype=np.int64)
        for factor in self.factors:
            value = value * factor.at(table)
        return value + self.shift

    def __str__(self) -> str:
        product = " * ".join(map(str, (self.scale, *self.factors)))
        return f"{product} + {self.shift}" if self.shift else product


def _product(subset: Subset, table: Integers) -> Integers:
    product: Integers = np.prod(table[:, list(subset)], axis=1, dtype=np.int64)
    return product


def _text(subset: int | Subset) -> str:
    return str(subset) if isinstance(subset, int) else " * ".join(f"p{i}" for i in subset)


@dataclass(frozen=True)
class Sizes:
    """Integers that quotients may divide: ``whole`` ones of the launch, and ``parts`` of these (a size that a fixed
    number of programs share), which are considered last."""

    whole: tuple[int, ...]
    parts: tuple[int, ...] = ()


def matching_forms(column: Integers, samples: Integers, sizes: Sizes, down: bool = False) -> list[Form]:
    """All forms of the simplest level that give ``column`` on every row of ``samples``; empty when none does.

    Quotients are rounded up. Those rounded ``down`` are only told from them where sizes are no multiples.
    """
    if bool((column == column[0]).all()):
        return [Form((), int(column[0]))]
    for level in _levels(samples.shape[1], sizes, (False, True) if down else (False,)):
        found = [form for factors, shape in level for form in _fit(column, samples, factors, shape)]
        if found:
            return found
    return []


def _levels(parameters: int, sizes: Sizes, roundings: Sequence[bool]) -> Iterator[list[tuple[tuple[Factor, ...], str]]]:
    subsets = [s for n in range(1, parameters + 1) for s in itertools.combinations(range(parameters), n)]
    products = [Factor(s) for s in subsets]
    squares = [Factor((i, *s)) for s in subsets for i in s]
    quotients = [Factor(s, size, down) for s in subsets for size in sizes.whole for down in roundings]
    of_parts = [Factor(s, size) for s in subsets for size in sizes.parts]
    single = [q for q in quotients if len(q.subset) == 1]
    pairs = [(a, b) for a, b in itertools.combinations(single, 2) if a.subset != b.subset]
    triples = [t for t in itertools.combinations(single, 3) if len({f.subset for f in t}) == 3]
    ratios = [Factor(a, over=b) for a in subsets for b in subsets if not set(a) & set(b)]
    yield [((p,), "exact") for p in products]
    yield [((q,), "exact") for q in quotients]
    yield [((p,), "scaled") for p in products]
    yield [(pair, "exact") for pair in pairs]
    yield [(triple, "exact") for triple in triples]
    yield [((p,), "scaled") for p in squares]
    yield [((p,), "divided") for p in (*products, *squares)]
    yield [((q,), "scaled") for q in quotients]
    yield [(pair, "scaled") for pair in pairs]
    yield [((p, q), "scaled") for p in products for q in quotients]
    yield [((r,), "scaled") for r in ratios]
    yield [((q,), "exact") for q in of_parts]
    yield [((p,), "shifted") for p in products]
    yield [((q,), "shifted") for q in quotients]


def _fit(column: Integers, samples: Integers, factors: tuple[Factor, ...], shape: str) -> Iterator[Form]:
    base = Form(factors).at(samples)
    form = Form(factors)
    if shape == "divided":
        form = Form((Factor(factors[0].subset, over=max(1, _whole_ratio(base[0], column[0]))),))
    elif shape == "scaled":
        form = Form(factors, _whole_ratio(column[0], base[0]))
    elif shape == "shifted":
        other = int(np.argmax(base != base[0]))
        scale = _whole_ratio(column[other] - column[0], base[other] - base[0])
        form = Form(factors, scale, int(column[0]) - scale * int(base[0]))
    if form.scale and bool((form.at(samples) == column).all()):
        yield form


def _whole_ratio(a: np.int64, b: np.int64) -> int:
    """``a / b``, or 0 where that is no integer."""
    return 0 if b == 0 or a % b else int(a // b)
