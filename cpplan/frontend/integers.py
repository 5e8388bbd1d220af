"""Integer operations of TTIR on abstract values: exact where ranges or full evaluation decide, 'unknown' elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

import numpy as np

from cpplan.frontend.linear import Abstract, Atom, AtomKind, Linear, Predicate, Wrap
from cpplan.frontend.space import MAX_POINTS, Array, Space

Shape = tuple[int, ...]


def _divide(a: Array, b: Array) -> Array:
    safe = np.where(b == 0, 1, b)
    quotient = np.abs(a) // np.abs(safe) * np.sign(a) * np.sign(safe)
    return np.where(b == 0, 0, quotient)


EXACT: dict[str, Callable[[Array, Array], Array]] = {
    "muli": lambda a, b: a * b,
    "divsi": _divide,
    "divui": lambda a, b: a // np.where(b == 0, 1, b),
    "remsi": lambda a, b: a - _divide(a, b) * b,
    "remui": lambda a, b: a % np.where(b == 0, 1, b),
    "floordivsi": lambda a, b: a // np.where(b == 0, 1, b),
    "ceildivsi": lambda a, b: -(-a // np.where(b == 0, 1, b)),
    "minsi": np.minimum, "minui": np.minimum, "maxsi": np.maximum, "maxui": np.maximum,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
    "shli": np.left_shift, "shrsi": np.right_shift, "shrui": np.right_shift,
}  # fmt: skip
"""Scalar semantics, numpy in place of bit vectors (no wrap-around)."""

_LESS, _LESS_EQUAL, _GREATER, _GREATER_EQUAL = (2, 6), (3, 7), (4, 8), (5, 9)


class Integers:
    """Rules for integer arithmetic, comparisons and selects over one :class:`Space`."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._numbers = count(1)

    def fresh(self, kind: AtomKind, per_lane: bool = False) -> Linear:
        """A new unknown."""
        return Linear.atom(Atom(kind, next(self._numbers), per_lane))

    def unknown(self, inputs: Iterable[Abstract], shape: Shape) -> Linear:
        """The result of an operation without a rule: as much as its inputs allow to say."""
        kinds: set[str] = set()
        for item in inputs:
            kinds |= item.kinds() if isinstance(item, Linear) else {"data" if item is None else "opaque"}
        if "data" in kinds:
            return self.fresh("data", bool(shape))
        return self.fresh("lanes" if shape and "opaque" not in kinds else "opaque")

    def binary(self, name: str, a: Linear, b: Linear, shape: Shape) -> Linear:
        """``name`` without its dialect prefix, e.g. ``addi``."""
        if name == "addi":
            return a + b
        if name == "subi":
            return a - b
        if name == "muli" and (a.is_constant or b.is_constant):
            return b.scaled(a.const) if a.is_constant else a.scaled(b.const)
        if name == "shli" and b.is_constant:
            return a.scaled(1 << b.const)
        return self._by_range(name, a, b, shape) or self._by_evaluation(name, a, b) or self.unknown((a, b), shape)

    def _by_range(self, name: str, a: Linear, b: Linear, shape: Shape) -> Linear | None:
        if name in ("minsi", "minui", "maxsi", "maxui"):
            return self._extreme(name.startswith("min"), a, b, shape)
        if not b.is_constant or b.const <= 0:
            return None
        if name in ("remsi", "remui"):
            return self._remainder(a, b.const, shape)
        if name in ("divsi", "divui"):
            return self._quotient(a, b.const, shape)
        if name in ("shrsi", "shrui"):
            return self._quotient(a, 1 << b.const, shape)
        if name == "andi" and b.const & (b.const + 1) == 0:
            bounds = self.space.bounds(a, shape)
            return self._remainder(a, b.const + 1, shape) if bounds and bounds[0] >= 0 else None
        return None

    def _extreme(self, smaller: bool, a: Linear, b: Linear, shape: Shape) -> Linear | None:
        bounds = self.space.bounds(a - b, shape)
        if bounds is None or bounds[0] < 0 < bounds[1]:
            return None
        a_is_smaller = bounds[1] <= 0
        return a if a_is_smaller == smaller else b

    def _split(self, a: Linear, divisor: int, shape: Shape) -> tuple[Linear, Linear] | None:
        """``a = divisor * quotient + rest`` with ``0 <= rest < divisor`` on all points, if it falls apart that way."""
        multiple = Linear.of(((t, c) for t, c in a.terms if c % divisor == 0), a.const // divisor * divisor)
        rest = a - multiple
        rest_bounds, bounds = self.space.bounds(rest, shape), self.space.bounds(multiple, shape)
        if not rest_bounds or not bounds or rest_bounds[0] < 0 or rest_bounds[1] >= divisor or bounds[0] < 0:
            return None
        quotient = Linear.of(((t, c // divisor) for t, c in multiple.terms), multiple.const // divisor)
        return quotient, rest

    def _quotient(self, a: Linear, divisor: int, shape: Shape) -> Linear | None:
        parts = self._split(a, divisor, shape)
        return parts[0] if parts else None

    def _remainder(self, a: Linear, divisor: int, shape: Shape) -> Linear | None:
        """The remainder by ranges. A lane-wise ``x % bound`` that only the last block exceeds is a clamp at the edge:
        it is read as ``x`` and remembered, and the access decides whether a store mask makes that right."""
        parts = self._split(a, divisor, shape)
        has_lanes = "lane" in a.kinds()
        identity = parts is not None and parts[0].is_constant and parts[0].const == 0
        if parts is not None and not (has_lanes and identity):
            return parts[1]
        bounds = self.space.bounds(a, shape)
        if not has_lanes or bounds is None or bounds[0] < 0 or not (identity or self._only_edge(a, divisor, shape)):
            return None
        return Linear(a.const, a.terms, (*a.wraps, Wrap(Linear(a.const, a.terms), divisor)))

    def _only_edge(self, a: Linear, divisor: int, shape: Shape) -> bool:
        """Every block starts below the bound, so that wrapped lanes are the tail of an edge block."""
        scalar = a.keeping(lambda atom: atom.kind != "lane", const=True)
        bounds = self.space.bounds(scalar, shape)
        return bounds is not None and bounds[1] < divisor

    def _by_evaluation(self, name: str, a: Linear, b: Linear) -> Linear | None:
        left, right = self.space.array(a), self.space.array(b)
        rule = EXACT.get(name)
        if left is None or right is None or rule is None or np.broadcast(left, right).size > MAX_POINTS:
            return None
        known = len(self.space.tables)
        form = self.space.form(rule(left, right))
        if form == Linear.atom(Atom("table", known)):
            self.space.origins[known] = (name, Linear(a.const, a.terms), Linear(b.const, b.terms))
        return form

    def parts(self, form: Linear) -> list[Linear]:
        """Forms that are all ``>= 0`` where ``form`` is: a minimum counts twice, once for each of its arguments."""
        for atom, factor in form.terms:
            name, *sides = self.space.origins.get(atom.number, ("",)) if atom.kind == "table" else ("",)
            if name in (("minsi", "minui") if factor > 0 else ("maxsi", "maxui")):
                rest = form - Linear.atom(atom).scaled(factor)
                return [part for side in sides for part in self.parts(rest + side.scaled(factor))]
        return [form]

    def compare(self, predicate: int, a: Linear, b: Linear, shape: Shape) -> Predicate:
        """``arith.cmpi``: MLIR numbers eq 0, ne 1, slt 2, sle 3, sgt 4, sge 5, ult 6, ule 7, ugt 8, uge 9."""
        difference = Linear((a - b).const, (a - b).terms)
        if not self.is_exact(a, shape) or not self.is_exact(b, shape):
            return Predicate((), exact=False)
        if difference.kinds() & {"data", "opaque", "lanes", "carry"}:
            return Predicate((), exact=False, data="data" in difference.kinds())
        if predicate in _LESS:
            return Predicate((difference.scaled(-1).shifted(-1),))
        if predicate in _LESS_EQUAL:
            return Predicate((difference.scaled(-1),))
        if predicate in _GREATER:
            return Predicate((difference.shifted(-1),))
        if predicate in _GREATER_EQUAL:
            return Predicate((difference,))
        if predicate == 0:
            return Predicate((difference, difference.scaled(-1)))
        return self._unequal(difference, shape)

    def _unequal(self, difference: Linear, shape: Shape) -> Predicate:
        bounds = self.space.bounds(difference, shape)
        if bounds and (bounds[0] > 0 or bounds[1] < 0):
            return Predicate()
        if bounds == (0, 0):
            return Predicate((Linear(-1),))
        return Predicate((), exact=False)

    def decide(self, predicate: Abstract, shape: Shape) -> bool | None:
        """The predicate's value when it is the same on all points and lanes."""
        if isinstance(predicate, Linear):
            return bool(predicate.const) if predicate.is_constant else None
        if not isinstance(predicate, Predicate):
            return None
        verdicts = [self.holds(form, shape) for form in predicate.forms]
        if False in verdicts:
            return False
        return True if predicate.exact and None not in verdicts else None

    def holds(self, form: Linear, shape: Shape) -> bool | None:
        """Whether ``form >= 0`` everywhere (True), nowhere (False) or somewhere (None, also when unknown)."""
        bounds = self.space.bounds(form, shape)
        if bounds is None or bounds[0] < 0 <= bounds[1]:
            return None
        return bounds[0] >= 0

    def is_exact(self, form: Linear, shape: Shape) -> bool:
        """Whether a form equals its value on every lane: none of its wraps ever happens."""
        return all(self.holds(wrap.below_bound, shape) is True for wrap in form.wraps)

    def _clamped(self, condition: Abstract, a: Linear, b: Linear) -> Linear | None:
        """``where(x < bound, x, constant)`` is ``x`` but for an edge, like ``x % bound``."""
        if not isinstance(condition, Predicate) or not condition.exact or not b.is_constant or "lane" not in a.kinds():
            return None
        bare = Linear(a.const, a.terms)
        rests = [form + bare for form in condition.forms]
        if not rests or not all(rest.is_constant for rest in rests):
            return None
        return Linear(a.const, a.terms, (*a.wraps, *(Wrap(bare, rest.const + 1) for rest in rests)))

    def select(self, condition: Abstract, a: Linear, b: Linear, shape: Shape) -> Linear:
        """``condition ? a : b`` for scalars and index tensors."""
        clamped = self._clamped(condition, a, b)
        if clamped is not None:
            return clamped
        verdict = self.decide(condition, shape)
        if verdict is not None:
            return a if verdict else b
        if a == b:
            return a
        left, right = self.space.array(a), self.space.array(b)
        if isinstance(condition, Predicate) and condition.exact and left is not None and right is not None:
            arrays = [self.space.array(form) for form in condition.forms]
            if all(item is not None for item in arrays):
                holds = np.ones((1,) * self.space.rank, dtype=bool)
                for item in arrays:
                    holds = holds & (np.asarray(item) >= 0)
                return self.space.form(np.where(holds, left, right))
        depends_on_data = not isinstance(condition, Predicate) or condition.data
        return self.fresh("data", bool(shape)) if depends_on_data else self.unknown((a, b), shape)
