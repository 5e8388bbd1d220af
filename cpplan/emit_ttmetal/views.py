"""How ops that only move elements change the view of a value."""

from __future__ import annotations

from cpplan.emit_ttmetal.elementwise import refuse
from cpplan.emit_ttmetal.places import Home, View, long_axes, long_extents
from cpplan.tile.program import Op


def reshaped(op: Op, view: View) -> View:
    """The view of what a reshape regards: only axes of one element may come or go."""
    if long_extents(op.operand_shapes[0]) != long_extents(op.shape):
        raise refuse(op, f"regroups elements, {_shape(op.operand_shapes[0])} to {_shape(op.shape)}")
    return view


def transposed(op: Op, view: View) -> View:
    """The view of what a transpose regards."""
    order = [int(axis) for axis in str(dict(op.attributes)["order"]).split(",")]
    roles = dict(zip(long_axes(op.shape), view, strict=True))
    source = {axis: roles[position] for position, axis in enumerate(order) if position in roles}
    return tuple(source[axis] for axis in sorted(source))


def aligned(op: Op) -> tuple[int, ...]:
    """Shape of what a broadcast spreads, with one axis for each of the result; the attribute ``lanes`` lists theirs."""
    source, lanes = op.operand_shapes[0], dict(op.attributes).get("lanes")
    if lanes is not None:
        own = [int(axis) for axis in str(lanes).split(",")]
        extents = dict(zip(own, source, strict=True)) if len(own) == len(source) else {}
        source = tuple(extents.get(axis, 1) for axis in range(len(op.shape)))
    if source and len(source) != len(op.shape):
        raise refuse(op, f"spreads {_shape(source)} to {_shape(op.shape)}, which does not say along which axis")
    return source


def scan_home(op: Op) -> Home:
    """How a running sum and its operand lie: the axis of the scan in the rows."""
    long = long_axes(op.shape)
    axis = int(dict(op.attributes)["axis"]) % len(op.shape)
    if axis not in long:
        return tuple("at" for _ in long)
    others = [a for a in long if a != axis]
    return tuple("row" if a == axis else ("col" if others and a == others[-1] else "at") for a in long)


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "one number"
