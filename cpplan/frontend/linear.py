"""Values of the address analysis: linear forms over atoms, pointers, descriptors and boundary predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

AtomKind = Literal["lane", "axis", "table", "carry", "data", "lanes", "opaque"]


class Atom(NamedTuple):
    """An unknown of a linear form.

    lane    position along tensor dimension ``number`` of the value at hand
    axis    grid axis ``number`` (0-2) or iteration of loop ``number - 3``
    table   an interned non-linear function of the axes, known exactly on every point
    carry   a loop-carried value whose closed form is being looked for
    data    something loaded from memory (``per_lane``: a different one per lane)
    lanes   known at compile time but not linear in the lanes
    opaque  anything else
    """

    kind: AtomKind
    number: int
    per_lane: bool = False


class Wrap(NamedTuple):
    """``expression % bound`` or ``where(expression < bound, expression, c)`` was read as ``expression``: right where
    ``expression < bound``, another address elsewhere."""

    expression: Linear
    bound: int

    @property
    def below_bound(self) -> Linear:
        """Non-negative exactly where nothing wraps."""
        return self.expression.scaled(-1).shifted(self.bound - 1)


@dataclass(frozen=True)
class Linear:
    """``const + sum(coefficient * atom)``, exact; ``wraps`` lists the modulos that were read as the identity."""

    const: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()
    wraps: tuple[Wrap, ...] = ()

    @staticmethod
    def of(terms: Iterable[tuple[Atom, int]], const: int = 0, wraps: Iterable[Wrap] = ()) -> Linear:
        """Normal form: equal atoms added up, zero terms dropped, terms sorted."""
        total: dict[Atom, int] = {}
        for atom, coefficient in terms:
            total[atom] = total.get(atom, 0) + coefficient
        kept = tuple(sorted((a, c) for a, c in total.items() if c))
        return Linear(const, kept, tuple(dict.fromkeys(wraps)))

    @staticmethod
    def atom(atom: Atom) -> Linear:
        """The form that is just ``atom``."""
        return Linear(0, ((atom, 1),))

    def __add__(self, other: Linear) -> Linear:
        return Linear.of((*self.terms, *other.terms), self.const + other.const, (*self.wraps, *other.wraps))

    def __sub__(self, other: Linear) -> Linear:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Linear:
        """This form times an integer."""
        return Linear.of(((a, c * factor) for a, c in self.terms), self.const * factor, self.wraps)

    def shifted(self, amount: int) -> Linear:
        """This form plus an integer."""
        return Linear(self.const + amount, self.terms, self.wraps)

    @property
    def is_constant(self) -> bool:
        """Whether no atom is left."""
        return not self.terms

    def kinds(self) -> frozenset[AtomKind]:
        """Kinds of the atoms used."""
        return frozenset(atom.kind for atom, _ in self.terms)

    def keeping(self, wanted: Callable[[Atom], bool], const: bool = False) -> Linear:
        """The terms whose atom is wanted, with or without the constant."""
        return Linear(self.const if const else 0, tuple(t for t in self.terms if wanted(t[0])))

    def coefficient(self, atom: Atom) -> int:
        """Coefficient of ``atom``, 0 when absent."""
        return next((c for a, c in self.terms if a == atom), 0)

    def with_lanes(self, new_lane: Callable[[int], int | None]) -> Linear:
        """Lanes renumbered; None drops a lane (a dimension of extent 1)."""
        terms: list[tuple[Atom, int]] = []
        for atom, coefficient in self.terms:
            target = new_lane(atom.number) if atom.kind == "lane" else atom.number
            if target is not None:
                terms.append((atom._replace(number=target), coefficient))
        wraps = (Wrap(w.expression.with_lanes(new_lane), w.bound) for w in self.wraps)
        return Linear.of(terms, self.const, wraps)


@dataclass(frozen=True)
class Pointer:
    """``base`` argument slot (None when unknown) plus an offset in elements."""

    base: int | None
    offset: Linear


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor: tiles of ``block`` elements out of a tensor of ``shape`` and ``strides`` at ``base``."""

    base: int | None
    offset: Linear
    shape: tuple[Linear, ...]
    strides: tuple[Linear, ...]


@dataclass(frozen=True)
class BlockPointer:
    """A block pointer (Triton up to 3.7): a descriptor plus the offsets of its tile."""

    descriptor: Descriptor
    offsets: tuple[Linear, ...]


@dataclass(frozen=True)
class Predicate:
    """Conjunction of ``form >= 0``. ``exact`` is False when part of it could not be expressed; ``data`` when it
    depends on something loaded."""

    forms: tuple[Linear, ...] = ()
    exact: bool = True
    data: bool = False

    def __and__(self, other: Predicate) -> Predicate:
        return Predicate(
            tuple(dict.fromkeys((*self.forms, *other.forms))), self.exact and other.exact, self.data or other.data
        )

    def with_lanes(self, new_lane: Callable[[int], int | None]) -> Predicate:
        """Lanes renumbered in every form."""
        return Predicate(tuple(f.with_lanes(new_lane) for f in self.forms), self.exact, self.data)


UNKNOWN_PREDICATE = Predicate((), exact=False, data=True)

Abstract = Linear | Pointer | Descriptor | BlockPointer | Predicate | None
"""What is known of an SSA value; None for values that are computed data (floats, loaded integers)."""
