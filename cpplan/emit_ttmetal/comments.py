"""Comments that tie emitted code to lines of the kernel."""

from __future__ import annotations

from collections.abc import Container, Iterable

from cpplan.tile.program import Op, TileProgram

_SILENT = ("constant", "reshape", "broadcast")
_QUIET = (*_SILENT, "cast", "fill")
"""Kinds that are named only where there is nothing else."""


def source_lines(program: TileProgram, value: str, stored: Container[str]) -> str:
    """``mul, exp (kernel.py:12); add (:13)``: what computes ``value`` from values in buffers, ``stored``."""
    ops = {op.name: op for op in program.ops}
    pending, needed = [value], set[str]()
    while pending:
        name = pending.pop()
        if name in ops and name not in needed and (name == value or name not in stored):
            needed.add(name)
            pending += ops[name].operands
    return by_line(op for op in program.ops if op.name in needed)


def by_line(ops: Iterable[Op]) -> str:
    """Kinds of ``ops`` by the line they come from; those that only move data are named where there are no others."""
    used = [op for op in ops if op.source]
    silent = _QUIET if any(op.kind not in _QUIET for op in used) else _SILENT
    found: dict[str, dict[str, None]] = {}
    for op in used:
        if op.kind not in silent:
            found.setdefault(op.source.rpartition("/")[2], {})[op.kind] = None
    out, file = [], ""
    for source, kinds in found.items():
        own, _, line = source.rpartition(":")
        out.append(f"{', '.join(kinds)} ({'' if own == file else own}:{line})")
        file = own
    return "; ".join(out)


def made_of(program: TileProgram, value: str, stored: Container[str], is_stored: bool) -> str:
    """The same for a comment on ``value``, which may be in a buffer already if it goes to DRAM from there."""
    if is_stored and value in stored:
        return f"{value}, as it is kept"
    return source_lines(program, value, stored)
