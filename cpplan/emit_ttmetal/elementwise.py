"""Element-wise ops as rows of the table: domains, numbers beside operands, kinds that are made of others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cpplan.emit_ttmetal.nodes import Apply, Node, Number
from cpplan.emit_ttmetal.ops import FLOAT, IMMEDIATE, INTEGER, SYMBOLS, Domain
from cpplan.errors import ScheduleError
from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.program import Op

_FLIPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_COMMUTING = ("add", "mul", "max", "min")
_REAL = ("fp32", "bf16", "fp16", *BLOCK_FORMATS)
_WHOLE = ("int32", "uint32", "int64", "int16", "uint16", "int8", "uint8")


def refuse(op: Op, why: str) -> ScheduleError:
    """The error for an op of which no kernel can be made."""
    place = f"{op.source}: " if op.source else ""
    return ScheduleError(
        f"{place}{op.kind} ({op.name}) cannot be emitted for TT-Metalium: {why}. Change this line of the kernel, or "
        "add the operation to the table (docs/add-an-op.md)"
    )


_COMPOSED = ("cast", "and", "or", "xor", "log2", "fma", "clamp")
"""Kinds that are made of rows."""


def check_known(op: Op) -> None:
    """Raises :class:`~cpplan.errors.ScheduleError` for an op that the table has not, or that is no element-wise one."""
    if _kind(op) not in (*FLOAT, *INTEGER, *_COMPOSED):
        raise refuse(op, "it is not in the table")
    long = tuple(extent for extent in op.shape if extent > 1)
    for shape in op.operand_shapes:
        if shape and tuple(extent for extent in shape if extent > 1) != long:
            raise refuse(op, "its operands have other shapes than its result")


def applied(op: Op, operands: Sequence[Node]) -> Node:
    """``op`` on slots. Raises :class:`~cpplan.errors.ScheduleError` where elements have other types than slots."""
    for dtype in (op.dtype, *op.operand_dtypes):
        if dtype not in (*_REAL, *_WHOLE, "bool"):
            raise refuse(op, f"the compute unit does not work on elements of type {dtype}")
    kind = _kind(op)
    if kind == "cast":
        return _cast(op, operands[0])
    if kind == "where" and isinstance(operands[0], Number):
        return operands[1 if operands[0].value else 2]
    if any(node.domain == "int" for node in (operands[1:] if kind == "where" else operands)):
        return _integer(op, kind, operands)
    if op.dtype in _WHOLE and kind in ("div", "rem", "shl", "shr", "and", "or", "xor"):
        raise refuse(op, f"{kind} of {op.dtype} is not in the table")
    return _real(op, kind, [converted(node, "float") for node in operands])


def converted(node: Node, domain: Domain) -> Node:
    """``node`` in ``domain``."""
    if node.domain == domain:
        return node
    if isinstance(node, Number):
        return Number(node.value, domain)
    return Apply(FLOAT["to_int"] if domain == "int" else INTEGER["to_float"], (node,))


def _kind(op: Op) -> str:
    if op.kind == "cmp":
        return f"cmp_{dict(op.attributes)['predicate']}"
    symbol = dict(op.attributes).get("symbol")
    if not isinstance(symbol, str):
        return op.kind
    name = symbol.removeprefix("__nv_")
    return SYMBOLS.get(name) or SYMBOLS.get(name.removesuffix("f")) or symbol


def _cast(op: Op, value: Node) -> Node:
    before = op.operand_dtypes[0] if op.operand_dtypes else op.dtype
    if op.dtype in _REAL:
        return converted(value, "float")
    if before in _REAL:
        if op.dtype != "int32":
            raise refuse(op, f"conversion from {before} to {op.dtype} is not in the table")
        return Apply(FLOAT["to_int"], (Apply(FLOAT["trunc"], (value,)),))
    if op.dtype == "bool" or (value.domain == "int" and op.dtype not in ("int32", "uint32", "int64")):
        raise refuse(op, f"conversion from {before} to {op.dtype} is not in the table")
    return value


def _integer(op: Op, kind: str, operands: Sequence[Node]) -> Node:
    if kind not in INTEGER:
        raise refuse(op, f"{kind} of 32-bit integers is not in the table")
    return Apply(INTEGER[kind], tuple(converted(node, "int") for node in operands))


def _real(op: Op, kind: str, operands: list[Node]) -> Node:
    if (kind in IMMEDIATE and len(operands) == 2) or kind == "div":
        left, right = operands
        beside = _beside(kind, left, right)
        if beside is not None:
            return beside
    match kind:
        case "and":
            kind = "mul"
        case "or":
            kind = "max"
        case "xor":
            kind = "cmp_ne"
        case "log2":
            return Apply(IMMEDIATE["log_base"], (operands[0],), 1 / math.log(2))
        case "fma":
            product = _real(op, "mul", operands[:2])
            return _real(op, "add", [product, operands[2]])
        case "clamp":
            return _real(op, "min", [_real(op, "max", operands[:2]), operands[2]])
    row = FLOAT.get(kind)
    if row is None:
        raise refuse(op, "it is not in the table")
    return Apply(row, tuple(operands))


def _beside(kind: str, left: Node, right: Node) -> Node | None:
    """The op with one operand as a number inside the call, if that can be."""
    if isinstance(left, Number) and isinstance(right, Number):
        return None
    if isinstance(right, Number):
        value = right.value
        if kind == "div":
            return Apply(IMMEDIATE["mul"], (left,), 1 / value) if isinstance(value, float) and value else None
        return Apply(IMMEDIATE[kind], (left,), value)
    if isinstance(left, Number):
        if kind == "div":
            inverse = Apply(FLOAT["recip"], (right,))
            return inverse if left.value == 1.0 else Apply(IMMEDIATE["mul"], (inverse,), left.value)
        if kind == "sub":
            return Apply(IMMEDIATE["rsub"], (right,), left.value)
        if kind in _COMMUTING:
            return Apply(IMMEDIATE[kind], (right,), left.value)
        if kind.startswith("cmp_"):
            return Apply(IMMEDIATE[f"cmp_{_FLIPPED[kind.removeprefix('cmp_')]}"], (right,), left.value)
    return None
