"""Tiles that must live in SRAM besides the buffers of loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from cpplan.tile.program import Buffer, Op, TileProgram


def buffers_of(program: TileProgram) -> tuple[Buffer, ...]:
    """Accumulators, computed dot operands, and results that feed a reduction and something else.

    Element-wise chains are streamed tile by tile and need none. A dot operand that is a load (or a load with axes of
    extent 1 dropped) uses the load's own buffer; a cast, transposed or broadcast copy of a load is a buffer of its own.
    """
    found: dict[str, Buffer] = {}
    for buffer in (*_accumulators(program), *_dot_operands(program), *_reused(program)):
        found.setdefault(buffer.name, buffer)
    return tuple(found.values())


def _accumulators(program: TileProgram) -> Iterator[Buffer]:
    made = {op.name: op for op in program.ops}
    for loop in program.loops:
        for carry in loop.carries:
            op = made.get(carry.yielded) or made.get(carry.initial)
            if op is not None and op.shape:
                yield Buffer(carry.argument, op.shape, op.dtype, loop.name, "carried from trip to trip")


def _dot_operands(program: TileProgram) -> Iterator[Buffer]:
    made = {op.name: op for op in program.ops}
    for dot in program.ops:
        for name in dot.operands[:2] if dot.kind == "dot" else ():
            op = made.get(name)
            if op is not None and not _is_load_view(op, program, made):
                yield Buffer(name, op.shape, op.dtype, op.loop, "operand of a dot")


def _is_load_view(op: Op, program: TileProgram, made: dict[str, Op]) -> bool:
    loaded = {access.value for access in program.loads()}
    while op.kind == "reshape":
        if op.operands[0] in loaded:
            return True
        if op.operands[0] not in made:
            return False
        op = made[op.operands[0]]
    return False


def _reused(program: TileProgram) -> Iterator[Buffer]:
    users: dict[str, list[Op]] = {}
    for op in program.ops:
        for name in set(op.operands):
            users.setdefault(name, []).append(op)
    stored = {name for access in program.accesses for name in access.operands}
    for op in program.ops:
        reductions = [user for user in users.get(op.name, []) if user.kind.startswith(("reduce", "scan"))]
        others = len(users.get(op.name, [])) - len(reductions) + (op.name in stored)
        if op.shape and reductions and (others or len(reductions) > 1):
            yield Buffer(op.name, op.shape, op.dtype, op.loop, "used by a reduction and again")
