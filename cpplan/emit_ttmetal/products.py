"""Products of matrices: where their operands lie, and how the matrix unit reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cpplan.emit_ttmetal.elementwise import refuse
from cpplan.emit_ttmetal.needs import NeedHome
from cpplan.emit_ttmetal.nodes import Dot, Node, Number, Read
from cpplan.emit_ttmetal.places import LANE_SIZE, Lane, Role, View, lanes_of, long_axes, reading
from cpplan.emit_ttmetal.text import ZERO, symbol
from cpplan.emit_ttmetal.views import reshaped, transposed
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Op

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.tree import Trees


def product(trees: Trees, op: Op, view: View, lanes: frozenset[Lane]) -> Node:
    """The tile ``view`` of a product. Its rows lie in rows and its columns in columns, else it must be kept first."""
    roles = dict(zip(long_axes(op.shape), view, strict=True))
    rank = len(op.shape)
    wanted: dict[int, Lane] = {rank - 2: "row", rank - 1: "col"}
    straight = all(role.lane == wanted.get(axis, "at") for axis, role in roles.items())
    if not straight or lanes - lanes_of(view):
        raise NeedHome(op.name, tuple(wanted.get(axis, "at") for axis in roles))
    if "int" in op.dtype or any("int" in dtype for dtype in op.operand_dtypes[:2]):
        raise refuse(op, "the matrix unit multiplies floating-point numbers")
    depth = int(dict(op.attributes)["k"])
    tiles, step = ceil_div(depth, LANE_SIZE["col"]), trees.new("k")
    left_roles = {axis: role for axis, role in roles.items() if axis != rank - 1}
    right_roles = {axis: role for axis, role in roles.items() if axis != rank - 2}
    if depth > 1:
        at = symbol(step) if tiles > 1 else ZERO
        left_roles[rank - 1], right_roles[rank - 2] = Role("col", at), Role("row", at)
    partial = bool(depth % LANE_SIZE["col"])
    left = _operand(trees, op.operands[0], left_roles, partial)
    right, turned = _right(trees, op.operands[1], right_roles, rank, partial)
    initial = trees.node(op.operands[2], view, lanes) if len(op.operands) > 2 else None
    if isinstance(initial, Number) and initial.value == 0.0:
        initial = None
    return Dot(left, right, tiles, step, initial, tiles, tiles if turned else 1, turned)


def _operand(trees: Trees, operand: str, roles: Mapping[int, Role], partial: bool) -> Read:
    """The page of an operand; where the last tile of the inner axis is ``partial``, its unused elements must be 0."""
    view = tuple(roles[axis] for axis in sorted(roles))
    name = _stored(trees, operand)
    home = tuple(role.lane for role in view)
    for place in trees.places.get(name, []):
        is_clean = not (partial and place.buffer in trees.filled)
        if place.home == home and is_clean and (view or place.pages == 1):
            return Read(place.buffer, place.page({axis: role.index for axis, role in enumerate(view)}), "copy")
    raise NeedHome(name, home)


def _right(trees: Trees, operand: str, roles: Mapping[int, Role], rank: int, partial: bool) -> tuple[Read, bool]:
    """The right operand; one that lies transposed is turned by the matrix unit as it reads tiles."""
    name = _stored(trees, operand)
    source = trees.op(name)
    if not trees.places.get(name) and source is not None and source.kind == "transpose" and len(roles) == rank:
        view = transposed(source, tuple(roles[axis] for axis in sorted(roles)))
        for place in trees.places.get(_stored(trees, source.operands[0]), []):
            is_clean = not (partial and place.buffer in trees.filled)
            if is_clean and reading(place.home, view, lanes_of(view)) == "transpose":
                page = place.page({axis: role.index for axis, role in enumerate(view)})
                return Read(place.buffer, page, "copy"), True
    return _operand(trees, operand, roles, partial), False


def _stored(trees: Trees, name: str) -> str:
    """The value whose buffer ``name`` is a view of: reshapes that drop or add axes of one element are free."""
    while not trees.places.get(name):
        op = trees.op(name)
        if op is None or op.kind != "reshape":
            break
        reshaped(op, ())
        name = op.operands[0]
    return name
