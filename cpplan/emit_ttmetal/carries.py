"""When the values that a loop carries take their next value, so that every op still sees the one it should.

The next value replaces the old one tile by tile in one buffer. It can do so at the end of the trip if nothing in the
trip uses it, or where its op stands if nothing later in the trip uses the old one. Otherwise it is made in a buffer of
its own and copied at the end.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from cpplan.errors import ScheduleError
from cpplan.tile.program import Carry, Loop, Op, TileProgram

When = Literal["end", "op", "copy"]


@dataclass(frozen=True)
class Update:
    """How ``carry`` takes its next value."""

    carry: Carry
    when: When


def updates(
    program: TileProgram, loop: Loop, kept: Collection[str], used: Collection[str], copied: Collection[str]
) -> tuple[Update, ...]:
    """The updates of a trip, those at its end in an order in which each still finds what it reads.

    ``kept`` are values in buffers of their own, ``used`` the arguments that anything depends on, ``copied`` those that
    cannot take their next value in place.
    """
    uses = _Uses(program, loop, kept)
    carries = [carry for carry in loop.carries if carry.argument in used]
    when: dict[str, When] = {}
    for carry in carries:
        when[carry.argument] = "copy" if carry.argument in copied else _when(uses, carry, carries)
    return tuple(Update(carry, when[carry.argument]) for carry in _in_order(uses, carries, when, loop))


def _when(uses: _Uses, carry: Carry, carries: list[Carry]) -> When:
    own = uses.number.get(carry.yielded)
    readers = [(at, root) for at, root in uses.roots if root != carry.yielded]
    if own is None or not any(uses.reaches(root, carry.yielded) for _, root in readers):
        return "copy" if own is not None and carry.yielded in uses.kept else "end"
    next_value = carry.yielded  # in its buffer once it is made, so nobody computes it from the old one again
    old = [at for at, root in readers if uses.reaches(root, carry.argument, next_value)]
    old += [
        math.inf
        for other in carries
        if other is not carry
        and uses.reaches(other.yielded, carry.argument, next_value)
        and other.yielded not in uses.kept
    ]
    return "op" if all(at < own for at in old) and carry.yielded not in uses.kept else "copy"


def _in_order(uses: _Uses, carries: list[Carry], when: dict[str, When], loop: Loop) -> Iterator[Carry]:
    """Carries whose old value others still read come after those; where that goes in a circle, one is copied."""
    left = list(carries)
    while left:
        ready = [
            carry
            for carry in left
            if not any(
                other is not carry and when[other.argument] == "end" and uses.reaches(other.yielded, carry.argument)
                for other in left
            )
        ]
        if not ready:
            made = [c for c in left if when[c.argument] == "end" and c.yielded in uses.number]
            if not made:
                names = ", ".join(carry.argument for carry in left)
                raise ScheduleError(
                    f"{uses.program.source or uses.program.name}: loop {loop.name} exchanges the values of {names}, "
                    "which is not emitted; compute one of them anew instead"
                )
            when[made[0].argument] = "copy"
        yield from ready
        left = [carry for carry in left if carry not in ready]


class _Uses:
    """What the points of a loop's body, the values that are made in buffers or stored, are computed from."""

    def __init__(self, program: TileProgram, loop: Loop, kept: Collection[str]) -> None:
        self.program, self.kept = program, set(kept)
        self.ops = {op.name: op for op in program.ops}
        self.number = {op.name: i for i, op in enumerate(program.ops) if op.loop == loop.name}
        inside = {item.name for item in program.loops if loop.name in program.loop_path(item.name)}
        order = {op.name: i for i, op in enumerate(program.ops)}
        self.roots: list[tuple[float, str]] = [
            (order[op.name], op.name) for op in program.ops if op.loop in inside and op.name in self.kept
        ]
        for access in program.accesses:
            if access.kind != "load" and access.loop in inside:
                self.roots.append((order.get(access.value, math.inf), access.value))
        for other in program.loops:
            if other.name in inside and other is not loop:
                at = max((i for i, op in enumerate(program.ops) if op.loop == other.name), default=0)
                self.roots += [(at, name) for c in other.carries for name in (c.initial, c.yielded)]
        self._below: dict[tuple[str, str], frozenset[str]] = {}

    def reaches(self, root: str, name: str, stored: str = "") -> bool:
        """Whether computing ``root`` takes ``name``, through values that are not in buffers; ``stored`` is one more
        that is."""
        return (name == root and name not in self.ops) or name in self._inputs(root, stored)

    def _inputs(self, name: str, stored: str) -> frozenset[str]:
        if (name, stored) not in self._below:
            op: Op | None = self.ops.get(name)
            found: set[str] = set()
            for operand in op.operands if op is not None else ():
                found.add(operand)
                if operand not in self.kept and operand != stored:
                    found |= self._inputs(operand, stored)
            self._below[name, stored] = frozenset(found)
        return self._below[name, stored]
