"""One rule per kind of tile op: the form of the result from the forms of the operands (:mod:`cpplan.tile.carried`).

Ops without a rule are understood where all their operands are free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from cpplan.tile.carried import FREE, Extreme, Form, Part, Sum, reference
from cpplan.tile.program import Op

FLOATS = frozenset({"fp64", "fp32", "bf16", "fp16", "fp8e4", "fp8e5"})
VANISHES = -1.0e20
"""A constant at or below this is minus infinity to any exponential."""

_SPREAD = frozenset({"broadcast", "reshape"})


@dataclass
class Rules:
    """Rules for the body of one loop.

    ``makers`` maps every value of the program to its op and ``inside`` holds the values that the loop makes.
    ``guarded`` collects references that stand for another one except where that is minus infinity, with the finite
    value which they have there.
    """

    makers: Mapping[str, Op]
    inside: Collection[str]
    guarded: dict[str, tuple[str, float]] = field(default_factory=dict)

    def form(self, op: Op, operands: list[Form]) -> Form:
        """The form of the result of ``op``."""
        if all(form.is_free for form in operands):
            return FREE
        rule = _RULES.get(op.kind)
        found = rule(self, op, operands) if rule is not None else Form()
        return FREE if found.is_free and found.sum is None else found

    # -- what is known without forms -----------------------------------------------------------------------------------

    def constant(self, name: str) -> float | None:
        """The value of a constant, also one that was broadcast."""
        op = self.makers.get(name)
        while op is not None and op.kind in _SPREAD and op.operands:
            op = self.makers.get(op.operands[0])
        if op is None or op.kind != "constant":
            return None
        try:
            return float(dict(op.attributes).get("value", ""))
        except ValueError:
            return None

    def coefficient(self, name: str) -> tuple[Fraction, tuple[str, ...]] | None:
        """A value as a scalar that every trip multiplies by: a number, or a scalar from outside the loop."""
        value = self.constant(name)
        if value is not None:
            return (Fraction(value), ()) if math.isfinite(value) else None
        op = self.makers.get(name)
        while op is not None and op.kind in _SPREAD and op.operands:
            if not op.operand_shapes[0] and op.operands[0] not in self.inside:
                return Fraction(1), (op.operands[0],)
            op = self.makers.get(op.operands[0])
        return (Fraction(1), (name,)) if op is not None and not op.shape and name not in self.inside else None

    # -- elementwise ---------------------------------------------------------------------------------------------------

    def add(self, op: Op, operands: list[Form], sign: int = 1) -> Form:
        """``a + b`` or ``a - b``."""
        a, b = operands
        log = _together(a.log, b.log, sign)
        total = _plus(a, b) or (_plus(b, a) if sign == 1 else None)
        return Form(log, _alike(a.weight, b.weight), total)

    def sub(self, op: Op, operands: list[Form]) -> Form:
        """``a - b``."""
        return self.add(op, operands, -1)

    def neg(self, op: Op, operands: list[Form]) -> Form:
        """``-a``."""
        (a,) = operands
        log = Part(a.log.exponent.times(Fraction(-1)), a.log.exact) if a.log else None
        return Form(log, Part(a.weight.exponent) if a.weight else None)

    def mul(self, op: Op, operands: list[Form]) -> Form:
        """``a * b``."""
        a, b = operands
        log = self._scaled(a, op.operands[1]) or self._scaled(b, op.operands[0])
        return Form(log, _together(a.weight, b.weight), _rescaled(a, b) or _rescaled(b, a))

    def div(self, op: Op, operands: list[Form]) -> Form:
        """``a / b``."""
        a, b = operands
        divisor = self.constant(op.operands[1])
        log = None
        if a.log and divisor and math.isfinite(divisor):
            log = Part(a.log.exponent.times(1 / Fraction(divisor)), a.log.exact)
        return Form(log, _together(a.weight, b.weight, -1), _rescaled(a, b, -1))

    def fma(self, op: Op, operands: list[Form]) -> Form:
        """``a * b + c``."""
        return self.add(op, [self.mul(op, operands[:2]), operands[2]])

    def exp(self, op: Op, operands: list[Form]) -> Form:
        """``exp(a)`` or ``exp2(a)``."""
        log = operands[0].log
        return Form(weight=Part(log.exponent.raised(op.kind), log.exact) if log else None)

    def extreme(self, op: Op, operands: list[Form], kind: str = "") -> Form:
        """``max(a, b)`` or ``min(a, b)``: a new reference."""
        a, b = operands
        found = None
        if a.extreme and b.extreme:
            found = a.extreme.joined(b.extreme, kind or op.kind)
        elif (a.extreme and b.is_free) or (b.extreme and a.is_free):
            one = a.extreme or b.extreme
            assert one is not None
            found = one.joined(one, kind or op.kind)
        return Form(reference(op.name, len(op.shape)), extreme=found) if found else Form()

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
        log, weight = _alike(a.log, b.log), _alike(a.weight, b.weight)
        for form, other in ((a, constants[1]), (b, constants[0])):
            if form.log and other is not None and other <= VANISHES:
                log = Part(form.log.exponent)
            if form.weight and other == 0:
                weight = Part(form.weight.exponent)
        extreme = self._both_extremes(a, b)
        if extreme and extreme.kind:
            log = reference(op.name, len(op.shape))
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
        of_peak = form.log == reference(test.operands[0], len(op.shape)) and op.operands[kept] == test.operands[0]
        if not is_peak or not of_peak or value is None or not math.isfinite(value):
            return Form()
        self.guarded[op.name] = (test.operands[0], value)
        return Form(reference(op.name, len(op.shape)))

    def _scaled(self, form: Form, by: str) -> Part | None:
        coefficient = self.coefficient(by)
        if form.log is None or coefficient is None:
            return None
        return Part(form.log.exponent.times(*coefficient), form.log.exact)

    # -- shape and contraction -----------------------------------------------------------------------------------------

    def reshape(self, op: Op, operands: list[Form]) -> Form:
        """A new axis of one element; other reshapes are not followed."""
        axis = _number(op, "axis")
        return Form() if axis is None else _moved(operands[0], lambda at: at + (at >= axis))

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
        return _moved(Form(weight=Part(weight.exponent)), lambda at: None if at == axis else at - (at > axis))

    def dot(self, op: Op, operands: list[Form]) -> Form:
        """``a @ b + c``; weights may not vary along the contraction."""
        rank = len(op.shape)
        a = _moved(operands[0], lambda at: None if at == rank - 1 else at).weight
        b = _moved(operands[1], lambda at: None if at == rank - 2 else at).weight
        product = Form(weight=_together(a, b))
        if len(operands) < 3 or self.constant(op.operands[2]) == 0:
            return product
        return Form(weight=_alike(product.weight, operands[2].weight), sum=_plus(operands[2], product))


def _together(a: Part | None, b: Part | None, sign: int = 1) -> Part | None:
    """Exponents added (or subtracted)."""
    exponent = a.exponent.plus(b.exponent, sign) if a and b else None
    return Part(exponent, bool(a and b and a.exact and b.exact)) if exponent is not None else None


def _alike(a: Part | None, b: Part | None) -> Part | None:
    return Part(a.exponent) if a and b and a.exponent == b.exponent else None


def _plus(a: Form, b: Form) -> Sum | None:
    """A running sum and one more term."""
    return a.sum.plus(b.weight.exponent) if a.sum and b.weight else None


def _rescaled(a: Form, b: Form, sign: int = 1) -> Sum | None:
    return a.sum.times(b.weight.exponent, sign) if a.sum and b.weight and b.weight.exact else None


def _either(a: Sum | None, b: Sum | None) -> Sum | None:
    """A running sum to which a term is added or not."""
    if a is None or b is None or (a.carry, a.gain) != (b.carry, b.gain):
        return None
    return a if b.added is None else a.plus(b.added) or (b if a.added is None else None)


def _moved(form: Form, place: Callable[[int], int | None]) -> Form:
    def follow(part: Part | None) -> Part | None:
        exponent = part.exponent.moved(place) if part else None
        return Part(exponent, part.exact) if part and exponent is not None else None

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
