"""Comments that tie emitted code to lines of the kernel."""

from __future__ import annotations

from collections.abc import Container

from cpplan.tile.program import TileProgram

_SILENT = ("constant", "reshape", "broadcast")


def source_lines(program: TileProgram, value: str, stored: Container[str]) -> str:
    """``mul, exp (kernel.py:12); add (kernel.py:13)``: what computes ``value`` from values in buffers, ``stored``."""
    ops = {op.name: op for op in program.ops}
    pending, needed = [value], set[str]()
    while pending:
        name = pending.pop()
        if name in ops and name not in needed and (name == value or name not in stored):
            needed.add(name)
            pending += ops[name].operands
    found: dict[str, dict[str, None]] = {}
    for op in program.ops:
        if op.name in needed and op.source and op.kind not in _SILENT:
            found.setdefault(op.source.rpartition("/")[2], {})[op.kind] = None
    return "; ".join(f"{', '.join(kinds)} ({source})" for source, kinds in found.items())
