"""Program order of a tile program: its accesses and ops merged into one sequence of nested loops.

Accesses and ops are two lists, each in program order. They are merged so that values are defined before use and every
loop is entered once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cpplan.errors import InternalError
from cpplan.tile.program import Access, Loop, Op, TileProgram


@dataclass(frozen=True)
class Step:
    """Entering or leaving ``loop``, or performing an access or an op."""

    kind: Literal["enter", "leave", "access", "op"]
    item: Loop | Access | Op


def program_order(program: TileProgram) -> Iterator[Step]:
    """All steps of the block body, outermost level first."""
    return _Merge(program).steps()


class _Merge:
    def __init__(self, program: TileProgram) -> None:
        self.program = program
        self.accesses, self.ops = list(program.accesses), list(program.ops)
        self.loops = {loop.name: loop for loop in program.loops}
        self.rank = {loop.name: position for position, loop in enumerate(program.loops)}
        self.entered: set[str] = set()
        self.path: list[str] = []
        self.pending = {op.name for op in program.ops} | {a.value for a in program.accesses if a.kind == "load"}
        self.pending |= {c.result for loop in program.loops for c in loop.carries}
        self.pending |= {c.argument for loop in program.loops for c in loop.carries}

    def steps(self) -> Iterator[Step]:
        while self.accesses or self.ops:
            item = self._next()
            yield from self._move(self.program.loop_path(item.loop))
            if isinstance(item, Access):
                self.accesses.pop(0)
                self.pending.discard(item.value if item.kind == "load" else "")
                yield Step("access", item)
            else:
                self.ops.pop(0)
                self.pending.discard(item.name)
                yield Step("op", item)
        yield from self._move(())
        for loop in self.program.loops:  # loops without content
            if loop.name not in self.entered:
                yield from self._move(self.program.loop_path(loop.name))
                yield from self._move(())

    def _next(self) -> Access | Op:
        """The head that keeps to the open loop if possible, else the one whose loop comes first."""
        heads: list[Access | Op] = [*self.accesses[:1], *self.ops[:1]]
        ready = [head for head in heads if self._ready(head)]
        if not ready:
            raise InternalError(f"tile program {self.program.name}: a value is used before it is defined")
        return min(ready, key=self._distance)

    def _ready(self, head: Access | Op) -> bool:
        """Operands exist; entering a loop defines its arguments, leaving one defines its results."""
        path = self.program.loop_path(head.loop)
        defined = {c.argument for name in path for c in self.loops[name].carries}
        defined |= {c.result for name in self.path if name not in path for c in self.loops[name].carries}
        initial = {c.initial for name in path if name not in self.path for c in self.loops[name].carries}
        operands = set(head.operands)
        blocked = (self.pending - defined) & (operands | initial)
        reentered = any(name in self.entered and name not in self.path for name in path)
        return not blocked and not reentered and self._may_leave(path)

    def _may_leave(self, path: tuple[str, ...]) -> bool:
        """A loop may be left when neither list has more for it."""
        left = {name for name in self.path if name not in path}
        rest: list[Access | Op] = [*self.accesses, *self.ops]
        return not left or not any(left & set(self.program.loop_path(item.loop)) for item in rest)

    def _distance(self, head: Access | Op) -> tuple[int, int]:
        path = self.program.loop_path(head.loop)
        common = sum(1 for a, b in zip(path, self.path, strict=False) if a == b)
        moves = len(path) + len(self.path) - 2 * common
        new = [self.rank[name] for name in path if name not in self.path]
        return moves, new[0] if new else -1

    def _move(self, path: tuple[str, ...]) -> Iterator[Step]:
        while self.path and tuple(self.path) != path[: len(self.path)]:
            loop = self.loops[self.path.pop()]
            self.pending -= {c.result for c in loop.carries}
            yield Step("leave", loop)
        for name in path[len(self.path) :]:
            loop = self.loops[name]
            self.path.append(name)
            self.entered.add(name)
            self.pending -= {c.argument for c in loop.carries}
            yield Step("enter", loop)
