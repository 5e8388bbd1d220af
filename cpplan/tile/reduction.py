"""Loops that several cores may share: what a loop carries from trip to trip is a reduction, so that parts of its trips
can be computed apart and combined afterwards.

Everything is decided from the SSA graph of the body; names and integers are never looked at, so a plain program and the
stacked program of a family give the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cpplan.tile.arith import Int
from cpplan.tile.program import Carry, Loop, Op, TileProgram

Role = Literal["sum", "max", "min", "scaled sum"]


@dataclass(frozen=True)
class State:
    """One carried value of a loop that may be split.

    ``argument`` and ``result`` are the names of the :class:`~cpplan.tile.program.Carry`; ``shape`` in elements.
    ``identity`` is the value that every part but the first starts from. A "scaled sum" is a sum of terms times
    ``exp(-reference)``, where ``reference`` is the ``result`` of a "max" state of the same loop. ``combined`` names the
    op of :attr:`Reduction.ops` that holds the state of both parts.
    """

    argument: str
    result: str
    shape: tuple[Int, ...]
    dtype: str
    role: Role
    identity: float
    combined: str
    reference: str | None = None


@dataclass(frozen=True)
class Reduction:
    """A loop whose trips may be divided among cores.

    ``kind`` is "sum", "max", "min" or "online softmax", or one of them per state where they differ. ``ops`` combine two
    parts: they read ``left.<result>`` (earlier trips) and ``right.<result>`` of every state, and own constants.
    ``initial_is_identity``: the first part may start from the identities as well; otherwise it alone starts from the
    loop's own initial values.
    """

    loop: str
    kind: str | tuple[str, ...]
    state: tuple[State, ...]
    ops: tuple[Op, ...]
    initial_is_identity: bool


def reductions(program: TileProgram) -> tuple[Reduction, ...]:
    """The loops of ``program`` that may be split over cores: its only outermost loop, if that is a reduction."""
    top = [loop for loop in program.loops if loop.parent is None]
    if len(top) != 1 or not top[0].carries:
        return ()
    (loop,) = top
    if any(a.kind != "load" and loop.name in program.loop_path(a.loop) for a in program.accesses):
        return ()
    makers = {op.name: op for op in program.ops}
    states, ops, neutral = [], [], True
    for carry in loop.carries:
        made = makers.get(carry.yielded)
        if made is None or not _adds_once(carry, loop, program, made):
            return ()
        start = makers.get(carry.initial)
        neutral &= start is not None and start.kind == "constant" and float(dict(start.attributes)["value"]) == 0
        name = f"combined.{carry.result}"
        states.append(State(carry.argument, carry.result, made.shape, made.dtype, "sum", 0.0, name))
        operands = (f"left.{carry.result}", f"right.{carry.result}")
        types = (made.shape, made.shape), (made.dtype, made.dtype)
        ops.append(Op(name, "add", operands, made.shape, made.dtype, None, (), *types))
    return (Reduction(loop.name, "sum", tuple(states), tuple(ops), neutral),)


def _adds_once(carry: Carry, loop: Loop, program: TileProgram, made: Op) -> bool:
    """``made`` adds to the carried value something that no carried value enters."""
    users = [op for op in program.ops if carry.argument in op.operands]
    position = {"dot": (2,), "add": (0, 1)}.get(made.kind, ())
    return users == [made] and any(made.operands[i : i + 1] == (carry.argument,) for i in position)
