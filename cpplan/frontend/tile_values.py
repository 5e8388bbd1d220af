"""Ops between a tile as it lies in memory and the value the kernel computes with: fill, transpose, broadcast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cpplan.frontend.affine import RawAccess
from cpplan.frontend.axes import AxisMap
from cpplan.frontend.body import Body, dtype_of, source_of
from cpplan.frontend.generic import Value
from cpplan.frontend.numbering import Maps
from cpplan.tile.program import Op

COMPUTED_FILL = ("value", "operand")
"""Attribute of a fill whose value is its second operand."""

Step = tuple[str, tuple[int, ...], tuple[str, str]]
"""Kind, result shape, attribute."""


def connect(raw: RawAccess, maps: Maps, loop: str | None, body: Body) -> str:
    """SSA name of the tile: as it lies in memory with masked elements zero (loads), or as it is stored.

    Where the kernel's value differs from the tile (a mask that fills in something else, permuted or broadcast lanes),
    ops that lead from one to the other are put at the load or store.
    """
    if raw.kind != "load":
        return _stored(raw, maps, loop, body)
    steps = list(_steps(raw, maps, body.fold)) if maps is not None else []
    if not steps or maps is None:
        return body.name_of(raw.value)
    tile = value = body.names.new(f"{raw.value.label or 'loaded'}_tile")
    shape = tuple(raw.shape[lane] for lane in _lanes(maps))
    for position, (kind, after, attribute) in enumerate(steps):
        last = position == len(steps) - 1
        target = body.name_of(raw.value) if last else body.names.new(f"{tile}_{kind}")
        op = _op(raw, target, kind, value, shape, after, attribute, loop)
        body.attach(raw.op, _with_fill(op, raw, body) if attribute == COMPUTED_FILL else op)
        value, shape = target, after
    return tile


def computed_fill(raw: RawAccess) -> Value | None:
    """The value that a masked load takes where its mask is false, if that is computed rather than a constant."""
    if raw.mask is None or raw.other is None or raw.other.op is None or raw.other.op.name == "arith.constant":
        return None
    return raw.other


def _with_fill(op: Op, raw: RawAccess, body: Body) -> Op:
    """``op`` with the computed fill as second operand, in the lane shape of the kernel."""
    assert raw.other is not None
    return replace(
        op,
        operands=(*op.operands, body.name_of(raw.other)),
        operand_shapes=(*op.operand_shapes, raw.other.type.shape),
        operand_dtypes=(*op.operand_dtypes, dtype_of(raw.other)),
    )


def _stored(raw: RawAccess, maps: Maps, loop: str | None, body: Body) -> str:
    """A value stored across the axes of the tensor is transposed first."""
    lanes = _lanes(maps) if maps is not None else []
    if lanes == sorted(lanes) or len(lanes) != sum(extent > 1 for extent in raw.shape):
        return body.name_of(raw.value)
    name, after = body.names.new("stored"), tuple(raw.shape[lane] for lane in lanes)
    order = ("order", ",".join(map(str, lanes)))
    body.attach(raw.op, _op(raw, name, "transpose", body.name_of(raw.value), raw.shape, after, order, loop))
    return name


def _steps(raw: RawAccess, maps: tuple[AxisMap, ...], fold: bool) -> Iterator[Step]:
    lanes = _lanes(maps)
    shape, ordered = tuple(raw.shape[lane] for lane in lanes), sorted(lanes)
    fill, cuts = _fill_value(raw), any(item.guarded for item in maps) or not fold
    if fill is not None and cuts:
        yield "fill", shape, ("value", str(fill))
    if lanes != ordered:
        order = ",".join(str(lanes.index(lane)) for lane in ordered)
        yield "transpose", tuple(raw.shape[lane] for lane in ordered), ("order", order)
    if ordered != [lane for lane in range(len(raw.shape)) if raw.shape[lane] > 1]:
        yield "broadcast", raw.shape, ("lanes", ",".join(map(str, ordered)))
    if computed_fill(raw) is not None and cuts:
        yield "fill", raw.shape, COMPUTED_FILL


def _lanes(maps: tuple[AxisMap, ...]) -> list[int]:
    """Lanes in the order in which they lie in memory, slow to fast."""
    return [lane for item in maps for lane in item.lanes]


def _fill_value(raw: RawAccess) -> float | None:
    """What a masked load puts where the mask is false, if it is not zero."""
    other = raw.other.op if raw.other is not None else None
    if raw.mask is None or other is None or other.name != "arith.constant":
        return None
    value = other.attributes.get("value")
    return float(value) if isinstance(value, (int, float)) and value != 0 else None


def _op(
    raw: RawAccess, name: str, kind: str, operand: str, before: tuple[int, ...], after: tuple[int, ...],
    attribute: tuple[str, str], loop: str | None,
) -> Op:  # fmt: skip
    dtype = dtype_of(raw.value)
    return Op(name, kind, (operand,), after, dtype, loop, (attribute,), (before,), (dtype,), source_of(raw.op))
