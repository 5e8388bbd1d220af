"""How a one-dimensional tile lies in hardware tiles: along the first column or along the first row of each.

A value that is spread over the columns of a matrix (``x[:, None]``) must be a column, one that is spread over its rows
(``x[None, :]``) a row. Reductions along axis 1 leave columns, along axis 0 rows. Everything computed element by element
lies as its operands do, and so does what loops carry, so these values form classes that share one orientation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from cpplan.tile.program import Op, TileProgram

Orientation = Literal["row", "column"]


def orientation(program: TileProgram, value: str) -> Orientation:
    """Where the long axis of ``value`` lies: "row" (along the columns of a hardware tile, in its row 0) or "column".

    A shape of two axes says it itself: [n, 1] is a column, all others are rows. Of a class of one-dimensional values
    that are used both ways the orientation is "column"; of one that nothing tells apart it is "row".
    """
    shape = _shapes(program).get(value, ())
    if len(shape) >= 2:
        return "column" if shape[-1] == 1 and shape[-2] > 1 else "row"
    return _orientations(program).get(value, "row")


@lru_cache(maxsize=64)
def _shapes(program: TileProgram) -> dict[str, tuple[int, ...]]:
    """Shape of every value that ops make or use, and of what loops carry."""
    shapes: dict[str, tuple[int, ...]] = {}
    for op in program.ops:
        shapes |= zip(op.operands, op.operand_shapes, strict=False)
    shapes |= {op.name: op.shape for op in program.ops}
    for _ in program.loops:  # what an inner loop carries may be known from an outer one, or the other way round
        for loop in program.loops:
            for carry in loop.carries:
                names = (carry.initial, carry.argument, carry.yielded, carry.result)
                known = next((shapes[name] for name in names if name in shapes), None)
                if known is not None:
                    shapes |= dict.fromkeys(names, known)
    return shapes


@lru_cache(maxsize=64)
def _orientations(program: TileProgram) -> dict[str, Orientation]:
    """Orientation of every one-dimensional value that something decides."""
    parents: dict[str, str] = {}

    def find(name: str) -> str:
        while (parent := parents.setdefault(name, name)) != name:
            name = parent
        return name

    for first, second in _alike(program):
        parents[find(first)] = find(second)
    found: dict[str, Orientation] = {}
    for name, way in _evidence(program):
        top = find(name)
        if found.get(top) != "column":
            found[top] = way
    return {name: found[find(name)] for name in list(parents) if find(name) in found}


def _alike(program: TileProgram) -> Iterator[tuple[str, str]]:
    """Pairs of one-dimensional values that must lie alike."""
    for op in program.ops:
        for operand, shape in zip(op.operands, op.operand_shapes, strict=False):
            if len(shape) == len(op.shape) == 1 and shape == op.shape:
                yield operand, op.name
    shapes = _shapes(program)
    for loop in program.loops:
        for carry in loop.carries:
            if len(shapes.get(carry.argument, ())) == 1:
                yield carry.initial, carry.argument
                yield carry.yielded, carry.argument
                yield carry.result, carry.argument


def _evidence(program: TileProgram) -> Iterator[tuple[str, Orientation]]:
    """One-dimensional values whose orientation an op decides."""
    for op in program.ops:
        operand = op.operand_shapes[0] if op.operand_shapes else ()
        if op.kind == "reshape" and len(operand) == 1 and len(op.shape) == 2 and operand[0] > 1:
            yield op.operands[0], "column" if op.shape[-1] == 1 else "row"
        elif op.kind == "reshape" and len(op.shape) == 1 and len(operand) == 2 and op.shape[0] > 1:
            yield op.name, "column" if operand[-1] == 1 else "row"
        elif op.kind.startswith("reduce") and len(operand) == 2 and len(op.shape) == 1:
            yield op.name, "column" if _axis(op) == 1 else "row"
        elif op.kind == "broadcast" and len(operand) == 1 and len(op.shape) == 2:
            lanes = str(dict(op.attributes).get("lanes", "1"))
            yield op.operands[0], "column" if lanes == "0" else "row"


def _axis(op: Op) -> int:
    axis = int(dict(op.attributes).get("axis", 0))
    return axis if axis >= 0 else axis + len(op.operand_shapes[0])
