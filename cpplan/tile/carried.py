"""What a value of a loop body is as a function of what the loop carries.

A value is described by up to four facets; one that has none of them is not understood. "Free" is whatever no carried
value enters: it may depend on the trip, on loads and on masks in any way.

log      sum(coefficient * reference) + free, for values that go into an exponential
weight   exp(sum(coefficient * reference)) * free
sum      carry * exp(..) + a weight
extreme  max(carry, free) or min(carry, free)

A reference is a carried value or the result of a maximum or minimum. Rounding is ignored, so a conversion between
floating-point types changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from cpplan.tile.arith import Int

Term = tuple[str, tuple[int, ...], tuple[str, ...]]
"""Reference, the axes of the value at hand along which its axes lie (those of more than one element), scalars from
outside the loop that multiply it."""


@dataclass(frozen=True)
class Exponent:
    """``sum(number * term)``, without zeros; ``base`` is the exponential that it stands in ("exp", "exp2" or none)."""

    terms: frozenset[tuple[Term, Fraction]] = frozenset()
    base: str = ""

    def plus(self, other: Exponent, sign: int = 1) -> Exponent | None:
        """The sum, None for exponents of different bases."""
        bases = {self.base, other.base} - {""}
        if len(bases) > 1:
            return None
        total = dict(self.terms)
        for term, number in other.terms:
            total[term] = total.get(term, Fraction(0)) + sign * number
        return _exponent(total, next(iter(bases), ""))

    def times(self, number: Fraction, factors: tuple[str, ...] = ()) -> Exponent:
        """The exponent multiplied by a scalar."""
        scaled = {(r, axes, tuple(sorted((*own, *factors)))): n * number for (r, axes, own), n in self.terms}
        return _exponent(scaled, self.base)

    def moved(self, place: Callable[[int], int | None]) -> Exponent | None:
        """The exponent of a value whose axes lie elsewhere; None when it varies along an axis without a place."""
        moved: dict[Term, Fraction] = {}
        for (reference, axes, factors), number in self.terms:
            places = [place(axis) for axis in axes]
            known = tuple(at for at in places if at is not None)
            if len(known) != len(axes):
                return None
            moved[reference, known, factors] = number
        return _exponent(moved, self.base)

    def cancelled(self, a: str, b: str) -> Exponent:
        """Without the terms of references ``a`` and ``b`` that add up to nothing if both are the same."""
        total = dict(self.terms)
        for (name, axes, factors), number in self.terms:
            if name == a and total.get((b, axes, factors)) == -number:
                total |= {(a, axes, factors): Fraction(0), (b, axes, factors): Fraction(0)}
        return _exponent(total, self.base)

    def raised(self, base: str) -> Exponent:
        """The exponent once it stands in an exponential."""
        return Exponent(self.terms, base if self.terms else "")


def _exponent(terms: dict[Term, Fraction], base: str) -> Exponent:
    kept = frozenset((term, number) for term, number in terms.items() if number)
    return Exponent(kept, base if kept else "")


NOTHING = Exponent()


@dataclass(frozen=True)
class Part:
    """An exponent, and the names of the free values beside it; ``exact`` when there are none."""

    exponent: Exponent = NOTHING
    beside: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether the value is nothing but the exponent, or its exponential."""
        return not self.beside


@dataclass(frozen=True)
class Sum:
    """``carry * exp(gain) + exp(added) * free``; ``added`` is None as long as nothing was added."""

    carry: str
    gain: Exponent = NOTHING
    added: Exponent | None = None

    def plus(self, exponent: Exponent) -> Sum | None:
        """With one more term, which must have the exponent of those before."""
        return replace(self, added=exponent) if self.added in (None, exponent) else None

    def times(self, exponent: Exponent, sign: int = 1) -> Sum | None:
        """Rescaled by an exponential."""
        gain = self.gain.plus(exponent, sign)
        added = self.added.plus(exponent, sign) if self.added is not None else None
        return None if gain is None or (added is None) != (self.added is None) else Sum(self.carry, gain, added)


@dataclass(frozen=True)
class Extreme:
    """``kind`` ("max" or "min") of ``carry`` and something free; no kind for the carried value itself."""

    carry: str
    kind: str = ""

    def joined(self, other: Extreme, kind: str) -> Extreme | None:
        """``kind`` of two of them."""
        fits = self.carry == other.carry and {self.kind, other.kind} <= {"", kind}
        return Extreme(self.carry, kind) if fits else None


@dataclass(frozen=True)
class Form:
    """The facets of one value."""

    log: Part | None = None
    weight: Part | None = None
    sum: Sum | None = None
    extreme: Extreme | None = None

    @property
    def is_free(self) -> bool:
        """Whether no carried value enters."""
        parts = [part for part in (self.log, self.weight) if part is not None]
        return any(not part.exponent.terms for part in parts)


def free(name: str) -> Form:
    """The form of a value that no carried value enters."""
    return Form(Part(beside=frozenset({name})), Part(beside=frozenset({name})))


FREE = free("")


def carried(argument: str, shape: tuple[Int, ...]) -> Form:
    """The form of a carried value at the start of a trip."""
    return Form(log=reference(argument, shape), sum=Sum(argument), extreme=Extreme(argument))


def reference(name: str, shape: tuple[Int, ...]) -> Part:
    """The log facet of a value that others may be taken relative to."""
    return Part(Exponent(frozenset({((name, long_axes(shape), ()), Fraction(1))})))


def long_axes(shape: tuple[Int, ...]) -> tuple[int, ...]:
    """Axes of more than one element, in some candidate of a stacked program at least."""
    return tuple(axis for axis, extent in enumerate(shape) if np.any(np.asarray(extent) != 1))
