"""One rule per kind of tile op: the form of the result from the forms of the operands (:mod:`cpplan.tile.carried`).

Ops without a rule are understood where all their operands are free.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from cpplan.tile.body_facts import BodyFacts
from cpplan.tile.carried import FREE, Exponent, Extreme, Form, Part, Sum, free, reference
from cpplan.tile.program import Op

FLOATS = frozenset({"fp64", "fp32", "bf16", "fp16", "fp8e4", "fp8e5", "bfp8_b", "bfp4_b"})
VANISHES = -1.0e20
"""A constant at or below this is minus infinity to any exponential."""


@dataclass
class Rules(BodyFacts):
    """Rules for the body of one loop.

    ``guarded`` collects references that stand for another one except where that is minus infinity, with the finite
    value which they have there; ``tops`` the free values of which a reference is the maximum.
    """

    guarded: dict[str, tuple[str, float]] = field(default_factory=dict)
    tops: dict[str, frozenset[str]] = field(default_factory=dict)

    def form(self, op: Op, operands: list[Form]) -> Form:
        """The form of the result of ``op``."""
        if all(form.is_free for form in operands):
            return FREE
        named = [free(name) if form.is_free else form for name, form in zip(op.operands, operands, strict=True)]
        rule = _RULES.get(op.kind)
        found = rule(self, op, named) if rule is not None else Form()
        return FREE if found.is_free and found.sum is None else found

    # -- elementwise ---------------------------------------------------------------------------------------------------

    def add(self, op: Op, operands: list[Form], sign: int = 1) -> Form:
        """``a + b`` or ``a - b``."""
        a, b = operands
        log = _together(a.log, b.log, sign)
        total = _plus(a, b) or (_plus(b, a) if sign == 1 else None)
        return Form(log, _alike(op, a.weight, b.weight), total)

    def sub(self, op: Op, operands: list[Form]) -> Form:
        """``a - b``."""
        return self.add(op, operands, -1)

    def neg(self, op: Op, operands: list[Form]) -> Form:
        """``-a``."""
        (a,) = operands
        log = replace(a.log, exponent=a.log.exponent.times(Fraction(-1))) if a.log else None
        return Form(log, _beside(op, a.weight))

    def mul(self, op: Op, operands: list[Form]) -> Form:
        """``a * b``."""
        a, b = operands
        log = self._scaled(a, op.operands[1]) or self._scaled(b, op.operands[0])
        weight = self._settled(_together(a.weight, b.weight))
        return Form(log, weight, self._rescaled(a, b) or self._rescaled(b, a))

    def div(self, op: Op, operands: list[Form]) -> Form:
        """``a / b``."""
        a, b = operands
        divisor = self.constant(op.operands[1])
        log = None
        if a.log and divisor and math.isfinite(divisor):
            log = replace(a.log, exponent=a.log.exponent.times(1 / Fraction(divisor)))
        return Form(log, self._settled(_together(a.weight, b.weight, -1)), self._rescaled(a, b, -1))

    def fma(self, op: Op, operands: list[Form]) -> Form:
        """``a * b + c``."""
        return self.add(op, [self.mul(op, operands[:2]), operands[2]])

    def exp(self, op: Op, operands: list[Form]) -> Form:
        """``exp(a)`` or ``exp2(a)``; what is free in ``a`` must be what the reference is the maximum of."""
        log = operands[0].log
        if log is None or not (log.exact or self._is_bounded(log)):
            return Form()
        return Form(weight=Part(log.exponent.raised(op.kind), log.beside))

    def extreme(self, op: Op, operands: list[Form], kind: str = "") -> Form:
        """``max(a, b)`` or ``min(a, b)``: a new reference."""
        found, tops = None, set[str]()
        for one, other in (operands, operands[::-1]):
            if one.extreme is not None:
                found = one.extreme.joined(other.extreme or one.extreme, kind or op.kind)
            if one.extreme is None and not one.is_free:
                return Form()
        for name, form in zip(op.operands[-2:], operands, strict=True):
            tops |= {name} if form.is_free else self.tops.get(name, frozenset())
        if (kind or op.kind) == "max":
            self.tops[op.name] = frozenset(tops)
        return Form(reference(op.name, op.shape), extreme=found) if found else Form()

    def _is_bounded(self, log: Part) -> bool:
        """Whether the free part is one of the values of which a reference that is subtracted is the maximum.

        Else that reference may be minus infinity, or very small, beside terms that are not.
        """
        references = [self.guarded.get(name, (name, 0.0))[0] for (name, _, _), _ in log.exponent.terms]
        scores = {self.unscaled(name) for name in log.beside}
        return any(scores & self.compared(top) for name in references for top in self.tops.get(name, ()))

    def _settled(self, part: Part | None) -> Part | None:
        return replace(part, exponent=self._settle(part.exponent)) if part else None

    def _settle(self, exponent: Exponent) -> Exponent:
        """A guarded reference and the one that it stands for cancel: where they differ all terms are zero."""
        for safe, (peak, _) in self.guarded.items():
            exponent = exponent.cancelled(safe, peak)
        return exponent

    def _rescaled(self, a: Form, b: Form, sign: int = 1) -> Sum | None:
        """A running sum times an exponential."""
        if a.sum is None or b.weight is None or not b.weight.exact:
            return None
        found = a.sum.times(b.weight.exponent, sign)
        if found is None:
            return None
        added = self._settle(found.added) if found.added is not None else None
        return Sum(found.carry, self._settle(found.gain), added)

    def cast(self, op: Op, operands: list[Form]) -> Form:
        """A conversion between floating-point types; others change the value."""
        floats = {op.dtype, *op.operand_dtypes} <= FLOATS
        return operands[0] if floats else Form()

    def where(self, op: Op, operands: list[Form]) -> Form:
        """``a`` or ``b``, as a condition says."""
        condition, a, b = operands
        names = op.operands[1:]
        kind = self._comparison(op)
        if kind is not None:
            return self.extreme(op, [a, b], kind)
        if not condition.is_free:
            return self._guard(op, a, b)
        constants = [self.constant(name) for name in names]
        log, weight = _alike(op, a.log, b.log), _alike(op, a.weight, b.weight)
        for form, other in ((a, constants[1]), (b, constants[0])):
            if form.log and other is not None and other <= VANISHES:
                log = _beside(op, form.log)
            if form.weight and other == 0:
                weight = _beside(op, form.weight)
        extreme = self._both_extremes(a, b)
        if extreme and extreme.kind:
            log = reference(op.name, op.shape)
        return Form(log, weight, _either(a.sum, b.sum), extreme)

    def _both_extremes(self, a: Form, b: Form) -> Extreme | None:
        if a.extreme is None or b.extreme is None:
            return None
        return a.extreme.joined(b.extreme, a.extreme.kind or b.extreme.kind)

    def _comparison(self, op: Op) -> str | None:
        """``where(a > b, a, b)`` is a maximum."""
        test = self.makers.get(op.operands[0])
        if test is None or test.kind != "cmp" or set(test.operands) != set(op.operands[1:]):
            return None
        predicate = str(dict(test.attributes).get("predicate"))[:1]
        if predicate not in ("g", "l"):
            return None
        return "max" if (predicate == "g") == (test.operands == op.operands[1:]) else "min"

    def _guard(self, op: Op, a: Form, b: Form) -> Form:
        """``where(m == -inf, 0, m)``: ``m`` wherever that is finite."""
        test = self.makers.get(op.operands[0])
        if test is None or test.kind != "cmp" or self.constant(test.operands[1]) != -math.inf:
            return Form()
        predicate = dict(test.attributes).get("predicate")
        if predicate not in ("eq", "le", "ne", "gt"):
            return Form()
        kept, fill = (2, 1) if predicate in ("eq", "le") else (1, 2)
        value, form = self.constant(op.operands[fill]), (a, b)[kept - 1]
        is_peak = form.extreme is not None and form.extreme.kind == "max"
        of_peak = form.log == reference(test.operands[0], op.shape) and op.operands[kept] == test.operands[0]
        if not is_peak or not of_peak or value is None or not math.isfinite(value):
            return Form()
        self.guarded[op.name] = (test.operands[0], value)
        return Form(reference(op.name, op.shape))

    def _scaled(self, form: Form, by: str) -> Part | None:
        coefficient = self.coefficient(by)
        if form.log is None or coefficient is None:
            return None
        return replace(form.log, exponent=form.log.exponent.times(*coefficient))

    # -- shape and contraction -----------------------------------------------------------------------------------------

    def reshape(self, op: Op, operands: list[Form]) -> Form:
        """A new axis of one element; other reshapes are followed where nothing varies along the axes."""
        axis = _number(op, "axis")
        if axis is not None:
            return _moved(operands[0], lambda at: at + (at >= axis))
        stays = len(op.operand_shapes[0]) == len(op.shape) == 1
        return _moved(operands[0], lambda at: at if stays else None)

    def broadcast(self, op: Op, operands: list[Form]) -> Form:
        """Axes of one element repeated, or a scalar everywhere."""
        rank = len(op.operand_shapes[0])
        return _moved(operands[0], lambda at: at) if rank in (0, len(op.shape)) else Form()

    def transpose(self, op: Op, operands: list[Form]) -> Form:
        """Axes in another order."""
        order = [int(axis) for axis in str(dict(op.attributes)["order"]).split(",")]
        return _moved(operands[0], order.index)

    def reduce_sum(self, op: Op, operands: list[Form]) -> Form:
        """A sum over one axis, along which the weight may not vary."""
        axis, weight = _number(op, "axis"), operands[0].weight
        if axis is None or weight is None or dict(op.attributes).get("result") is not None:
            return Form()
        return _moved(Form(weight=_beside(op, weight)), lambda at: None if at == axis else at - (at > axis))

    def dot(self, op: Op, operands: list[Form]) -> Form:
        """``a @ b + c``; weights may not vary along the contraction."""
        rank = len(op.shape)
        a = _moved(operands[0], lambda at: None if at == rank - 1 else at).weight
        b = _moved(operands[1], lambda at: None if at == rank - 2 else at).weight
        product = Form(weight=_beside(op, _together(a, b)))
        if len(operands) < 3 or self.constant(op.operands[2]) == 0:
            return product
        return Form(weight=_alike(op, product.weight, operands[2].weight), sum=_plus(operands[2], product))


def _together(a: Part | None, b: Part | None, sign: int = 1) -> Part | None:
    """Exponents added (or subtracted)."""
    if a is None or b is None:
        return None
    exponent = a.exponent.plus(b.exponent, sign)
    return Part(exponent, a.beside | b.beside) if exponent is not None else None


def _alike(op: Op, a: Part | None, b: Part | None) -> Part | None:
    """A sum or choice of two values of one exponent."""
    return _beside(op, Part(a.exponent, a.beside | b.beside)) if a and b and a.exponent == b.exponent else None


def _beside(op: Op, part: Part | None) -> Part | None:
    """A value that is more than its exponent because of ``op``."""
    return replace(part, beside=part.beside | {op.name}) if part else None


def _plus(a: Form, b: Form) -> Sum | None:
    """A running sum and one more term."""
    return a.sum.plus(b.weight.exponent) if a.sum and b.weight else None


def _either(a: Sum | None, b: Sum | None) -> Sum | None:
    """A running sum to which a term is added or not."""
    if a is None or b is None or (a.carry, a.gain) != (b.carry, b.gain):
        return None
    return a if b.added is None else a.plus(b.added) or (b if a.added is None else None)


def _moved(form: Form, place: Callable[[int], int | None]) -> Form:
    def follow(part: Part | None) -> Part | None:
        exponent = part.exponent.moved(place) if part else None
        return replace(part, exponent=exponent) if part and exponent is not None else None

    return Form(follow(form.log), follow(form.weight))


def _number(op: Op, attribute: str) -> int | None:
    """An integer attribute; None where the candidates of a stacked program differ in it."""
    values = np.unique(dict(op.attributes).get(attribute, ()))
    return int(values[0]) if values.size == 1 else None


_RULES: dict[str, Callable[[Rules, Op, list[Form]], Form]] = {
    "add": Rules.add, "sub": Rules.sub, "neg": Rules.neg, "mul": Rules.mul, "div": Rules.div, "fma": Rules.fma,
    "exp": Rules.exp, "exp2": Rules.exp, "max": Rules.extreme, "min": Rules.extreme, "cast": Rules.cast,
    "where": Rules.where, "reshape": Rules.reshape, "broadcast": Rules.broadcast, "transpose": Rules.transpose,
    "reduce_sum": Rules.reduce_sum, "dot": Rules.dot,
}  # fmt: skip
