"""Partial states of a loop that cores share, as the compute thread starts, hands on and combines them.

Only the first core starts from the loop's own values, the others from the identities. The states that others are scaled
by are combined last: until then the old ones are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cpplan.cost.model import COMBINE
from cpplan.emit_ttmetal.combine_ring import exchange_in_ring
from cpplan.emit_ttmetal.lives import Where
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.places import Place
from cpplan.errors import InternalError
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.buffers import OUTGOING
from cpplan.schedule.schedule import Exchange, Schedule
from cpplan.tile.program import Carry, Loop, Op
from cpplan.tile.reduction import Reduction, State

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.body import Body


def is_shared(schedule: Schedule, loop: str) -> bool:
    """Whether several cores run the trips of ``loop``."""
    return cores_per_dim(schedule.plan.spatial).get(loop, 1) > 1


def start_states(body: Body, loop: Loop, carry: Carry, place: Place, extents: str) -> None:
    """The value that this core's part of a shared loop starts from, also for blocks outside the grid."""
    state = next(s for s in _reduction(body.schedule, loop.name).state if s.argument == carry.argument)
    constant = Op(f"{carry.argument}.identity", "constant", (), state.shape, state.dtype, None,
                  (("value", str(state.identity)),))  # fmt: skip
    if _reduction(body.schedule, loop.name).initial_is_identity:
        _start(body, constant, constant.name, place, loop)
        return
    own = f"core_{identifier(loop.name)} == 0" + (f" && {extents}" if extents else "")
    with body.text.block(f"if ({own})"):
        _start(body, constant, carry.initial, place, loop)
    with body.text.block("else"):
        body.maker.unit.forget()
        _start(body, constant, constant.name, place, loop)
    body.maker.unit.forget()


def exchange_states(body: Body, step: Exchange, where: Where) -> None:
    """All rounds of the tree over the cores of the loop, or all steps of the ring."""
    schedule = body.schedule
    reduction = _reduction(schedule, step.loop)
    if step.combine.method == "ring":
        exchange_in_ring(body, reduction, where)
        return
    cores, core = cores_per_dim(schedule.plan.spatial)[step.loop], f"core_{identifier(step.loop)}"
    for number in range((cores - 1).bit_length()):
        stride = 1 << number
        body.text.line(f"// round {number} of combining loop {step.loop} over {cores} cores")
        with body.text.block(f"if ({core} % {2 * stride} == {stride})"):
            body.maker.unit.forget()
            for state in reduction.state:
                place = _like(body, state, f"{OUTGOING}.{state.result}")
                body.trees.begin(None)
                body.maker.make(body.text, state.result, place, "handed")
            body.note_uses(where)
        with body.text.block(f"else if ({core} % {2 * stride} == 0 && {core} + {stride} < {cores})"):
            body.maker.unit.forget()
            _combine(body, reduction, (*where, -1), where)
        body.maker.unit.forget()


def _combine(body: Body, reduction: Reduction, inside: Where, where: Where) -> None:
    """This core's states and those that arrived become one."""
    made = {op.name: op for op in reduction.ops}
    for op in reduction.ops:
        body.shapes |= dict(zip(op.operands, op.operand_shapes, strict=True)) | {op.name: op.shape}
        body.dtypes |= dict(zip(op.operands, op.operand_dtypes, strict=True)) | {op.name: op.dtype}
    for state in reduction.state:
        right = _like(body, state, f"{COMBINE}.{state.result}")
        body.text.line(f"cb_wait_front({body.cb(right.buffer)}, {right.pages});")
        body.places[f"left.{state.result}"] = body.places[state.result]
        body.places[f"right.{state.result}"] = [right]
    body.trees.extra = made
    for op in reduction.ops:
        body.keep(op.name, op, inside)
    for state in _peaks_last(reduction):
        (own,) = body.places[state.result]
        body.text.line(f"// {state.result} of both")
        body.trees.begin(None)
        body.maker.make(body.text, state.combined, own, "chain")
        body.note_uses(inside)
    body.trees.extra = {}
    body.end(inside)
    for state in reduction.state:
        right = _like(body, state, f"{COMBINE}.{state.result}")
        body.text.line(f"cb_pop_front({body.cb(right.buffer)}, {right.pages});")
        del body.places[f"left.{state.result}"], body.places[f"right.{state.result}"]
    body.lives.used([body.places[state.result][0].buffer for state in reduction.state], where)


def _start(body: Body, constant: Op, value: str, place: Place, loop: Loop) -> None:
    body.trees.extra = {constant.name: constant}
    body.trees.begin(loop.parent)
    body.maker.make(body.text, value, place, "whole")
    body.trees.extra = {}


def _like(body: Body, state: State, buffer: str) -> Place:
    own = body.places[state.result][0]
    return Place(buffer, own.home, own.extents)


def _peaks_last(reduction: Reduction) -> Iterator[State]:
    references = {state.reference for state in reduction.state}
    yield from (state for state in reduction.state if state.result not in references)
    yield from (state for state in reduction.state if state.result in references)


def _reduction(schedule: Schedule, loop: str) -> Reduction:
    reduction = schedule.program.reduction
    if reduction is None or reduction.loop != loop:
        raise InternalError(f"loop {loop} is shared by cores although it is no reduction")
    return reduction
