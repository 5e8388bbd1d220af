"""The tile ops that combine the states of two parts of a loop into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cpplan.tile.arith import Int
from cpplan.tile.carried import long_axes
from cpplan.tile.carry_roles import Rescale
from cpplan.tile.program import Carry, Op

Shape = tuple[Int, ...]
Side = Literal["left", "right", "combined"]
SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class Tile:
    """A value of the combine step, named and typed."""

    name: str
    shape: Shape
    dtype: str


def state_of(side: Side, carry: Carry, shape: Shape, dtype: str) -> Tile:
    """The state of one part, or of both."""
    return Tile(f"{side}.{carry.result}", shape, dtype)


@dataclass
class Combine:
    """Builder of the ops. Every state is combined once; factors of an online softmax are shared by its sums."""

    shapes: dict[str, tuple[Shape, str]]  # carried result: shape and dtype
    ops: list[Op] = field(default_factory=list)
    _factors: dict[tuple[Side, str, str, object], Tile] = field(default_factory=dict)

    def plain(self, carry: Carry, kind: str) -> None:
        """``kind`` ("add", "max" or "min") of both parts."""
        left, right = (self._state(side, carry) for side in SIDES)
        self._emit(kind, (left, right), self._state("combined", carry))

    def rescaled(self, carry: Carry, rescale: Rescale) -> None:
        """``left * exp(left peak - peak) + right * exp(right peak - peak)``; the peak was combined before."""
        result = self._state("combined", carry)
        terms = []
        for side in SIDES:
            state = self._state(side, carry)
            factor = self._spread(self._factor(side, rescale), rescale.axes, state)
            terms.append(self._new("mul", (state, factor), state.shape, state.dtype))
        self._emit("add", terms, result)

    def _factor(self, side: Side, rescale: Rescale) -> Tile:
        """``base ** (number * factors * (peak of one part - peak of both))``."""
        key = (side, rescale.peak.result, rescale.base, (rescale.number, rescale.factors, rescale.guard))
        if key not in self._factors:
            part, both = self._state(side, rescale.peak), self._state("combined", rescale.peak)
            if rescale.guard is not None:
                both = self._guarded(both, rescale.guard)
            value = self._new("sub", (part, both), part.shape, part.dtype)
            if rescale.number != 1:
                value = self._times(value, self._constant(float(rescale.number), part.shape, part.dtype))
            for name in rescale.factors:
                scalar = Tile(name, (), part.dtype)
                value = self._times(value, self._new("broadcast", (scalar,), part.shape, part.dtype))
            self._factors[key] = self._new(rescale.base, (value,), part.shape, part.dtype)
        return self._factors[key]

    def _guarded(self, peak: Tile, fill: float) -> Tile:
        """The peak, or ``fill`` where it is minus infinity, since ``-inf - -inf`` is no number."""
        name = f"combine.{peak.name}.guarded"
        known = next((op for op in self.ops if op.name == name), None)
        if known is None:
            lowest = self._constant(float("-inf"), peak.shape, peak.dtype)
            test = self._new("cmp", (peak, lowest), peak.shape, "bool", (("predicate", "eq"),))
            other = self._constant(fill, peak.shape, peak.dtype)
            self._emit("where", (test, other, peak), Tile(name, peak.shape, peak.dtype))
        return Tile(name, peak.shape, peak.dtype)

    def _spread(self, factor: Tile, axes: Sequence[int], state: Tile) -> Tile:
        """A factor with the axes of the peak brought to the shape of the state."""
        if factor.dtype != state.dtype:
            factor = self._new("cast", (factor,), factor.shape, state.dtype)
        long = long_axes(factor.shape)
        if len(long) == len(factor.shape):
            for axis in range(len(state.shape)) if long else ():
                if axis not in axes:
                    nothing = state.shape[axis] * 0  # an array in a stacked program
                    shape = (*factor.shape[:axis], nothing + 1, *factor.shape[axis:])
                    factor = self._new("reshape", (factor,), shape, state.dtype, (("axis", nothing + axis),))
        elif len(factor.shape) != len(state.shape) or long != tuple(axes):
            shape = tuple(e if axis in axes else e * 0 + 1 for axis, e in enumerate(state.shape))
            factor = self._new("reshape", (factor,), shape, state.dtype)
        if not _same(factor.shape, state.shape):
            factor = self._new("broadcast", (factor,), state.shape, state.dtype)
        return factor

    # -- emission ------------------------------------------------------------------------------------------------------

    def _state(self, side: Side, carry: Carry) -> Tile:
        return state_of(side, carry, *self.shapes[carry.result])

    def _times(self, value: Tile, by: Tile) -> Tile:
        return self._new("mul", (value, by), value.shape, value.dtype)

    def _constant(self, value: float, shape: Shape, dtype: str) -> Tile:
        return self._new("constant", (), shape, dtype, (("value", str(value)),))

    def _new(
        self, kind: str, operands: Sequence[Tile], shape: Shape, dtype: str,
        attributes: tuple[tuple[str, Int | str], ...] = (),
    ) -> Tile:  # fmt: skip
        result = Tile(f"combine.{kind}_{len(self.ops)}", shape, dtype)
        self._emit(kind, operands, result, attributes)
        return result

    def _emit(
        self, kind: str, operands: Sequence[Tile], result: Tile, attributes: tuple[tuple[str, Int | str], ...] = ()
    ) -> None:
        names, shapes = tuple(tile.name for tile in operands), tuple(tile.shape for tile in operands)
        types = tuple(tile.dtype for tile in operands)
        self.ops.append(Op(result.name, kind, names, result.shape, result.dtype, None, attributes, shapes, types))


def _same(a: Shape, b: Shape) -> bool:
    return len(a) == len(b) and all(np.array_equal(m, n) for m, n in zip(a, b, strict=True))
