"""What the SSA graph of a kernel says to its emission: shapes and types of values, and which of them matter."""

from __future__ import annotations

from typing import TypeVar

from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.program import HARDWARE_TILE, TileProgram

_T = TypeVar("_T")
_WIDE = ("fp32", "fp16", "int32", "uint32", "int64", "uint16", "uint8", "bool")
"""Element types that 16-bit slots, which are bfloat16, do not hold."""


def shapes_of(program: TileProgram) -> dict[str, tuple[int, ...]]:
    """Shape of every value: results of ops, loads as their users see them, and what loops carry."""
    shapes = {access.value: access.tile for access in program.loads()}
    for op in program.ops:
        shapes |= dict(zip(op.operands, op.operand_shapes, strict=False))
    shapes |= {op.name: op.shape for op in program.ops}
    return _carried(program, shapes)


def dtypes_of(program: TileProgram) -> dict[str, str]:
    """dtype of every value; what comes from a block format is bf16, which holds all of its numbers."""
    loaded = {access.value: program.tensor(access.tensor).dtype for access in program.loads()}
    found = {name: dtype for name, dtype in loaded.items() if dtype not in BLOCK_FORMATS}
    found |= {op.name: op.dtype for op in program.ops}
    return dict.fromkeys(loaded, "bf16") | _carried(program, found)


def _carried(program: TileProgram, known: dict[str, _T]) -> dict[str, _T]:
    for _ in program.loops:  # an inner loop may start from what an outer one carries, or the other way round
        for loop in program.loops:
            for carry in loop.carries:
                names = (carry.initial, carry.yielded, carry.argument, carry.result)
                one = next((known[name] for name in names if name in known), None)
                if one is not None:
                    known |= {name: known.get(name, one) for name in names}
    return known


def live_carries(program: TileProgram) -> set[str]:
    """Arguments of what loops carry and some store depends on."""
    sources = {op.name: op.operands for op in program.ops}
    for loop in program.loops:
        for carry in loop.carries:
            sources[carry.argument] = sources[carry.result] = (carry.initial, carry.yielded, carry.argument)
    pending = [name for access in program.accesses for name in access.operands]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += sources.get(name, ())
    return {c.argument for loop in program.loops for c in loop.carries if c.argument in found}


def zeroed_axes(program: TileProgram) -> dict[str, frozenset[int]]:
    """Long axes of operands of products along which unused elements must be 0: the one that is summed over."""
    found: dict[str, frozenset[int]] = {}
    views = {op.name: op.operands[0] for op in program.ops if op.kind == "reshape"}
    for op in program.ops:
        if op.kind != "dot":
            continue
        for operand, shape, axis in zip(op.operands[:2], op.operand_shapes[:2], (-1, -2), strict=True):
            place = len(shape) + axis
            if shape[place] > 1 and shape[place] % HARDWARE_TILE:
                position = sum(extent > 1 for extent in shape[:place])
                name: str | None = operand
                while name is not None:  # the same long axes
                    found[name] = found.get(name, frozenset()) | {position}
                    name = views.get(name)
    for loop in program.loops:
        for carry in loop.carries:
            names = (carry.argument, carry.result, carry.initial, carry.yielded)
            axes = frozenset[int]().union(*(found.get(name, ()) for name in names[:2]))
            found |= {name: found.get(name, frozenset()) | axes for name in names if axes}
    return found


def computes_in_32_bits(program: TileProgram) -> bool:
    """Whether DST must hold 32-bit numbers."""
    wide = any((op.dtype in _WIDE and op.kind != "cmp") or op.kind in ("mask", "index") for op in program.ops)
    return wide or any(program.tensor(access.tensor).dtype in _WIDE for access in program.accesses)
