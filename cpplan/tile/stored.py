"""Tensors that the device stores in a block format, whatever element type the kernel gives them.

Triton has no type in which neighbouring elements share an exponent, so a kernel says bf16 where its weights lie in DRAM
as bfp8_b. Here a program learns of that: its tensor has the format, and ops that read the tensor's tiles from SRAM have
operands of it. What ops compute keeps the kernel's types, since unpacking gives those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.program import Access, Op, Tensor, TileProgram
from cpplan.tile.stored_edges import why_not_at_edges

DECLARED = ("fp32", "bf16", "fp16")
"""Element types that a kernel may give to a tensor in a block format."""

VIEWS = ("reshape", "transpose")
"""Ops through which a product reads the tile that they see otherwise."""


def stored_as(program: TileProgram, formats: Mapping[str, str]) -> TileProgram:
    """``program`` with tensors in ``formats`` (tensor -> block format); those that it has not are left aside."""
    formats = {t.name: formats[t.name] for t in program.tensors if t.name in formats}
    if not formats:
        return program
    declared = {tensor.name: tensor.dtype for tensor in program.tensors}
    loaded = {a.value: (declared[a.tensor], formats[a.tensor]) for a in program.loads() if a.tensor in formats}
    made = {op.name: op for op in program.ops}

    def read(op: Op, position: int) -> str:
        name, dtype = op.operands[position], op.operand_dtypes[position]
        while op.kind == "dot" and position < 2 and name in made and made[name].kind in VIEWS:
            name = made[name].operands[0]
        kernels, format_ = loaded.get(name, ("", ""))
        return format_ if kernels == dtype else dtype

    return replace(
        program,
        tensors=tuple(replace(t, dtype=formats.get(t.name, t.dtype)) for t in program.tensors),
        ops=tuple(
            replace(op, operand_dtypes=tuple(read(op, position) for position in range(len(op.operand_dtypes))))
            for op in program.ops
        ),
    )


def block_formats(program: TileProgram) -> dict[str, str]:
    """The tensors that are stored in block formats, and in which."""
    return {tensor.name: tensor.dtype for tensor in program.tensors if tensor.dtype in BLOCK_FORMATS}


def why_not_stored(program: TileProgram, tensor: Tensor, declared: str) -> str:
    """Why ``tensor`` of ``program``, plain or stacked, cannot be in the block format that it has; "" if it can.

    ``declared`` is the element type that the kernel gives it. The answer ends with what to do instead.
    """
    if declared not in DECLARED:
        return f"its elements are {declared}, and block formats hold floating-point numbers: leave its --format out"
    accesses = [access for access in program.accesses if access.tensor == tensor.name]
    return next((reason for access in accesses for reason in _reasons(program, access, declared)), "")


def _reasons(program: TileProgram, access: Access, declared: str) -> Iterator[str]:
    line = f" ({access.source})" if access.source else ""
    if access.kind == "atomic" or any(other.replaces == access.name for other in program.accesses):
        yield f"atomics update its elements one by one{line}, and 16 of them share an exponent: leave its --format out"
    if access.klass != "affine" or access.lanes != "dense":
        note = access.note or "its lanes are no neighbours in memory"
        yield f"the kernel does not take whole tiles of it{line}: {note}. Leave its --format out"
    if _anywhere(program.in_runs):
        yield (
            "the kernel works on rows, which lie in memory as runs of 1,024 elements, and block formats need hardware "
            "tiles of 32x32: use blocks of several rows and columns"
        )
    if _anywhere(sum(np.asarray(extent) > 1 for extent in access.tile) < 2):
        yield (
            f"the kernel takes vectors of it{line}, of which a hardware tile would hold one, and block formats are for "
            "matrices: leave its --format out"
        )
    at_edges = why_not_at_edges(program, access)
    if at_edges:
        yield at_edges
    for dtype in _types_seen(program, access):
        if dtype != declared and dtype not in BLOCK_FORMATS:
            yield (
                f"the kernel takes its {declared} elements for {dtype}{line}, and block formats have other bits: "
                "leave its --format out"
            )


def _types_seen(program: TileProgram, access: Access) -> Iterator[str]:
    """Element types for which the body takes the value of an access."""
    if access.kind != "load":
        yield from (op.dtype for op in program.ops if op.name == access.value)
        return
    for op in program.ops:
        for name, dtype in zip(op.operands, op.operand_dtypes, strict=False):
            if name == access.value:
                yield op.dtype if op.kind == "bitcast" else dtype
    for other in program.accesses:
        if other.kind != "load" and other.value == access.value:  # stored as it is, so it has the type of both
            yield program.tensor(other.tensor).dtype


def _anywhere(condition: Any) -> bool:
    return bool(np.any(condition))
