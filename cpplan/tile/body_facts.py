"""What the SSA graph of a body says about single values: constants, scalars, and what a maximum is taken over."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from cpplan.tile.program import Op

_LAID_OUT = frozenset({"cast", "reshape", "broadcast", "transpose"})
_SPREAD = frozenset({"broadcast", "reshape"})


@dataclass
class BodyFacts:
    """``makers`` maps every value of the program to its op, ``inside`` holds the values that the loop at hand makes."""

    makers: Mapping[str, Op]
    inside: Collection[str]

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

    def unscaled(self, name: str) -> str:
        """A value before it was multiplied by positive scalars, converted, or laid out otherwise."""
        while True:
            operand = self._in_same_order(self.makers.get(name))
            if operand is None:
                return name
            name = operand

    def compared(self, top: str) -> set[str]:
        """All values that ``top`` is the maximum of, up to positive scalars."""
        found: set[str] = set()
        pending = [top]
        while pending:
            name = pending.pop()
            op = self.makers.get(name)
            operand = self._in_same_order(op)
            if name not in found:
                found.add(name)
                pending += op.operands if op is not None and op.kind in ("max", "reduce_max") else ()
                pending += [operand] if operand is not None else []
        return found

    def _in_same_order(self, op: Op | None) -> str | None:
        """The operand that is largest where the result is."""
        if op is not None and op.kind in _LAID_OUT and op.operands:
            return op.operands[0]
        if op is None or op.kind not in ("mul", "div"):
            return None
        for value, by in (op.operands, op.operands[::-1])[: 2 if op.kind == "mul" else 1]:
            scalar = self.coefficient(by)
            if scalar is not None and scalar[0] > 0:
                return value
        return None
