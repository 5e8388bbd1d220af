"""Ops between a tile as it lies in memory and the value the kernel computes with: fill, transpose, broadcast, mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cpplan.frontend.affine import RawAccess
from cpplan.frontend.axes import AxisMap
from cpplan.frontend.body import Body, dtype_of, source_of
from cpplan.frontend.generic import Value
from cpplan.frontend.guards import Guard
from cpplan.frontend.numbering import Maps
from cpplan.tile.program import Op

Step = tuple[str, tuple[int, ...], tuple[tuple[str, str], ...]]
"""Kind, result shape, attributes."""


def connect(raw: RawAccess, maps: Maps, guard: Guard, loop: str | None, body: Body) -> tuple[str, str]:
    """SSA names of a tile and its mask: as it lies in memory with masked elements zero (loads), or as it is stored.

    Where the kernel's value differs from the tile (a mask that fills in something else, permuted or broadcast lanes),
    ops that lead from one to the other are put at the load or store. Where bounds per axis are not the whole mask, the
    mask itself is needed: by a ``where`` after a load, or by the store.
    """
    if raw.kind != "load":
        mask = "" if guard.whole else _stored(raw, raw.masked_by, maps, loop, body)
        return _stored(raw, raw.value, maps, loop, body), mask
    steps = list(_steps(raw, maps, guard, body.fold)) if maps is not None else []
    if not guard.whole and raw.other is not None:
        steps.append(("where", raw.shape, ()))
    if not steps:
        return body.name_of(raw.value), ""
    tile = value = body.names.new(f"{raw.value.label or 'loaded'}_tile")
    shape = tuple(raw.shape[lane] for lane in _lanes(maps)) if maps is not None else raw.shape
    for position, (kind, after, attributes) in enumerate(steps):
        last = position == len(steps) - 1
        target = body.name_of(raw.value) if last else body.names.new(f"{tile}_{kind}")
        op = _op(raw.value, target, kind, value, shape, after, attributes, loop, source_of(raw.op))
        body.attach(raw.op, _masked(op, raw, body) if kind == "where" else op)
        value, shape = target, after
    return tile, ""


def values_needed(raw: RawAccess, guard: Guard) -> Iterator[Value]:
    """Values that an access takes from the body besides the tile that it loads."""
    if raw.kind != "load":
        yield raw.value
    if not guard.whole and raw.masked_by is not None and (raw.kind != "load" or raw.other is not None):
        yield raw.masked_by
    if not guard.whole and raw.other is not None:
        yield raw.other


def _masked(op: Op, raw: RawAccess, body: Body) -> Op:
    """``op`` with the mask of a load before its operand and what stands for masked elements after it."""
    mask, other = raw.masked_by, raw.other
    assert mask is not None and other is not None
    return replace(
        op,
        operands=(body.use(mask), *op.operands, body.use(other)),
        operand_shapes=(mask.type.shape, *op.operand_shapes, other.type.shape),
        operand_dtypes=(dtype_of(mask), *op.operand_dtypes, dtype_of(other)),
    )


def _stored(raw: RawAccess, value: Value | None, maps: Maps, loop: str | None, body: Body) -> str:
    """A value stored across the axes of the tensor (or the mask of it) is transposed first."""
    assert value is not None
    lanes = _lanes(maps) if maps is not None else []
    if lanes == sorted(lanes) or len(lanes) != sum(extent > 1 for extent in raw.shape):
        return body.use(value)
    name, after = body.names.new("stored"), tuple(raw.shape[lane] for lane in lanes)
    order = (("order", ",".join(map(str, lanes))),)
    op = _op(value, name, "transpose", body.use(value), raw.shape, after, order, loop, source_of(raw.op))
    body.attach(raw.op, op)
    return name


def _steps(raw: RawAccess, maps: tuple[AxisMap, ...], guard: Guard, fold: bool) -> Iterator[Step]:
    lanes = _lanes(maps)
    shape, ordered = tuple(raw.shape[lane] for lane in lanes), sorted(lanes)
    cuts = any(item.guarded for item in maps) or not fold
    if guard.fill and guard.whole and cuts:
        yield "fill", shape, (("value", str(guard.fill)),)
    if lanes != ordered:
        order = ",".join(str(lanes.index(lane)) for lane in ordered)
        yield "transpose", tuple(raw.shape[lane] for lane in ordered), (("order", order),)
    if ordered != [lane for lane in range(len(raw.shape)) if raw.shape[lane] > 1]:
        yield "broadcast", raw.shape, (("lanes", ",".join(map(str, ordered))),)


def _lanes(maps: tuple[AxisMap, ...]) -> list[int]:
    """Lanes in the order in which they lie in memory, slow to fast."""
    return [lane for item in maps for lane in item.lanes]


def _op(
    value: Value, name: str, kind: str, operand: str, before: tuple[int, ...], after: tuple[int, ...],
    attributes: tuple[tuple[str, str], ...], loop: str | None, source: str,
) -> Op:  # fmt: skip
    dtype = dtype_of(value)
    return Op(name, kind, (operand,), after, dtype, loop, attributes, (before,), (dtype,), source)
