"""Between which steps of the compute thread the buffers are alive.

Steps are numbered in the order in which the thread comes to them, bodies after their heads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cpplan.schedule.schedule import Buffer, Compute, Exchange, For, Guard, Let, Step, Thread
from cpplan.tile.program import TileProgram


@dataclass(frozen=True)
class _Numbered:
    """A step with its number and that of the last step inside it."""

    number: int
    end: int
    step: Step


def with_lives(program: TileProgram, buffers: Iterable[Buffer], compute: Thread) -> tuple[Buffer, ...]:
    """``buffers`` with the steps between which they hold something."""
    steps = list(_numbered(compute.steps, 0))
    return tuple(_alive(program, buffer, steps) for buffer in buffers)


def _alive(program: TileProgram, buffer: Buffer, steps: Sequence[_Numbered]) -> Buffer:
    """Data movement fills and empties buffers of accesses whenever it can; others live while something touches them."""
    last = max((item.end for item in steps), default=0)
    if buffer.role in ("load", "store"):
        return replace(buffer, first=0, last=last)
    if buffer.role in ("partial", "outgoing"):
        touching = [(item.number, item.end) for item in steps if isinstance(item.step, Exchange)]
    else:
        touching = list(_touching(program, buffer.name, steps))
    if not touching:
        return replace(buffer, first=0, last=last)
    return replace(buffer, first=min(a for a, _ in touching), last=max(b for _, b in touching))


def _touching(program: TileProgram, value: str, steps: Sequence[_Numbered]) -> Iterator[tuple[int, int]]:
    """Steps that make or use a value; a carried one also lives through all trips of its loops."""
    names, loops = {value}, set()
    for loop in program.loops:
        for carry in loop.carries:
            if carry.argument == value:
                names |= {carry.result}
                loops.add(loop.name)
    ops = {op.name: op for op in program.ops}
    for item in steps:
        match item.step:
            case Compute(ops=computed):
                used = {name for op in computed if op in ops for name in (op, *ops[op].operands)}
                if names & used:
                    yield item.number, item.end
            case For(counter=counter, body=body):
                runs = {counter, *(step.name for step in body if isinstance(step, Let))}
                if loops & runs:
                    yield item.number, item.end


def _numbered(steps: Sequence[Step], first: int) -> Iterator[_Numbered]:
    number = first
    for step in steps:
        if isinstance(step, For | Guard):
            body = list(_numbered(step.body, number + 1))
            end = max((item.end for item in body), default=number)
            yield _Numbered(number, end, step)
            yield from body
        else:
            end = number
            yield _Numbered(number, end, step)
        number = end + 1
