"""Loops that several cores may share: what a loop carries from trip to trip is a reduction, so that parts of its trips
can be computed apart and combined afterwards.

Everything is decided from the SSA graph of the body; names and extents are never looked at, so a plain program and the
stacked program of a family give the same answer. Rounding is ignored: a sum in parts is the same sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from cpplan.tile.arith import Int
from cpplan.tile.carry_roles import Role, Roles
from cpplan.tile.combine import Combine
from cpplan.tile.program import Access, Carry, Loop, Op, TileProgram

RoleName = Literal["sum", "max", "min", "scaled sum"]

LARGEST = {"fp64": 1.7976931348623157e308, "fp32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38,
           "fp16": 65504.0}  # fmt: skip
"""Largest finite value of each element type that a running maximum may have."""


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
    role: RoleName
    identity: float
    combined: str
    reference: str | None = None


@dataclass(frozen=True)
class Reduction:
    """A loop whose trips may be divided among cores, each of which computes some of them in ascending order.

    ``kind`` is "sum", "max", "min" or "online softmax", or one role per state where they differ. ``ops`` combine two
    parts: they read ``left.<result>`` and ``right.<result>`` of every state, and constants of their own.
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
    return tuple(verdict for _, verdict in _verdicts(program) if isinstance(verdict, Reduction))


def why_not(program: TileProgram) -> tuple[tuple[str, str], ...]:
    """Name of every outermost loop that may not be split, and the reason in words."""
    return tuple((loop.name, verdict) for loop, verdict in _verdicts(program) if isinstance(verdict, str))


def _verdicts(program: TileProgram) -> Iterator[tuple[Loop, Reduction | str]]:
    outermost = [loop for loop in program.loops if loop.parent is None]
    for loop in outermost:
        if len(outermost) > 1:
            others = ", ".join(other.name for other in outermost if other is not loop)
            yield loop, f"it is not the only loop of the kernel: {others}"
        else:
            yield loop, _obstacle(program, loop) or _judge(program, loop)


def _obstacle(program: TileProgram, loop: Loop) -> str | None:
    """What forbids a split whatever the loop carries."""
    inside = [access for access in program.accesses if loop.name in program.loop_path(access.loop)]
    for access in inside:
        if access.kind != "load":
            return f"every trip writes {access.tensor}{_at(access)}"
        if program.is_written(access.tensor):
            return f"it reads {access.tensor}, which the kernel writes{_at(access)}"
        if access.klass == "opaque":  # the data that it depends on may be carried from trip to trip
            return f"which elements of {access.tensor} it reads may depend on earlier trips{_at(access)}"
    for op in program.ops:
        if op.kind == "while" and loop.name in program.loop_path(op.loop):
            return f"it holds a while loop{_at(op)}"
    return None


def _judge(program: TileProgram, loop: Loop) -> Reduction | str:
    carries = _live(program, loop)
    if not carries:
        return "it hands nothing on that is used after it"
    roles = Roles(program, loop)
    found = {carry.result: (carry, roles.role(carry)) for carry in carries}
    for carry, role in found.values():
        problem = _problem(program, roles, carry, role)
        if problem is not None:
            return problem
    chosen = [(carry, cast(Role, role)) for carry, role in found.values()]
    states = tuple(_state(carry, role, roles, chosen) for carry, role in chosen)
    neutral = all(_starts_neutral(carry, role, roles) for carry, role in chosen)
    return Reduction(loop.name, _kind(states), states, _combine(chosen, states), neutral)


def _combine(chosen: list[tuple[Carry, Role]], states: tuple[State, ...]) -> tuple[Op, ...]:
    combine = Combine({state.result: (state.shape, state.dtype) for state in states})
    for carry, role in chosen:
        if role.rescale is None:
            combine.plain(carry, "add" if role.kind == "sum" else role.kind)
    for carry, role in chosen:
        if role.rescale is not None:
            combine.rescaled(carry, role.rescale)
    return tuple(combine.ops)


def _kind(states: tuple[State, ...]) -> str | tuple[str, ...]:
    kinds = [state.role for state in states]
    references = {state.reference for state in states if state.reference is not None}
    if references and all(state.reference is not None or state.result in references for state in states):
        return "online softmax"
    return kinds[0] if len(set(kinds)) == 1 else tuple(kinds)


# -- states ------------------------------------------------------------------------------------------------------------


def _state(carry: Carry, role: Role, roles: Roles, chosen: list[tuple[Carry, Role]]) -> State:
    shape, dtype = roles.types[carry.argument]
    identity = 0.0 if role.kind in ("sum", "scaled sum") else _lowest(carry, role, dtype, roles, chosen)
    peak = role.rescale.peak.result if role.rescale else None
    kind = cast(RoleName, role.kind)
    return State(carry.argument, carry.result, shape, dtype, kind, identity, f"combined.{carry.result}", peak)


def _lowest(carry: Carry, role: Role, dtype: str, roles: Roles, chosen: list[tuple[Carry, Role]]) -> float:
    """Where a maximum (minimum) starts: at the loop's own constant, which cannot change it twice, else at infinity.

    A peak that others are scaled by starts at the largest finite value instead, since a part may see nothing but minus
    infinity; it is small enough that its products stay finite. A kernel that guards its exponents starts at infinity.
    """
    own, sign = roles.rules.constant(carry.initial), -1 if role.kind == "max" else 1
    if own is not None and math.isfinite(own):
        return own
    scales = [r.rescale for _, r in chosen if r.rescale and r.rescale.peak is carry and r.rescale.guard is None]
    if not scales or dtype not in LARGEST:
        return sign * math.inf
    room = max(32 if scale.factors else math.ceil(math.log2(abs(scale.number))) for scale in scales)
    return sign * LARGEST[dtype] / 2.0 ** max(0, room)


def _starts_neutral(carry: Carry, role: Role, roles: Roles) -> bool:
    start = roles.rules.constant(carry.initial)
    if role.kind in ("sum", "scaled sum"):
        return start == 0
    return start is not None and (math.isfinite(start) or start == (-math.inf if role.kind == "max" else math.inf))


# -- reasons -----------------------------------------------------------------------------------------------------------

_WORDS = {
    "mul": "is multiplied by something else than the rescale of an online softmax",
    "div": "is divided by something else than the rescale of an online softmax",
    "sub": "is subtracted from something",
    "add": "has something added that depends on earlier trips",
    "max": "is compared with something that depends on earlier trips",
    "min": "is compared with something that depends on earlier trips",
    "dot": "enters a product of matrices",
    "where": "is replaced in some places or trips",
    "cmp": "decides something in the next trip",
}


def _problem(program: TileProgram, roles: Roles, carry: Carry, role: Role | None) -> str | None:
    """Why a carried value is no reduction; None when it is one."""
    if role is not None:
        return _unsupported(roles, carry, role)
    if roles.value(carry.yielded).is_free:
        return f"{carry.argument} takes a new value in every trip{_made_at(program, carry)}"
    op = _culprit(program, roles, carry)
    if op is None and roles.value(carry.yielded).sum is not None:
        return (
            f"{carry.argument} is rescaled, but not to the peak that new terms are taken to{_made_at(program, carry)}"
        )
    if op is None:
        return f"{carry.argument} is neither a sum, a maximum nor an online softmax{_made_at(program, carry)}"
    return f"{carry.argument} {_WORDS.get(op.kind, f'goes through {op.kind}')}{_at(op)}"


def _unsupported(roles: Roles, carry: Carry, role: Role) -> str | None:
    _, dtype = roles.types[carry.argument]
    start = roles.rules.constant(carry.initial)
    if role.kind == "sum" and role.added.terms:
        return f"what is added to {carry.argument} depends on earlier trips"
    if role.kind in ("max", "min") and dtype not in LARGEST and (start is None or not math.isfinite(start)):
        return f"the {role.kind} {carry.argument} does not start from a known {dtype} value"
    if role.rescale is not None and list(role.rescale.axes) != sorted(set(role.rescale.axes)):
        return f"{carry.argument} is rescaled along other axes than those of {role.rescale.peak.argument}"
    return None


def _culprit(program: TileProgram, roles: Roles, carry: Carry) -> Op | None:
    """The first op that takes the carried value and makes something else of it, on the way to its next value."""
    needed = _reached(program, roles.loop, carry.yielded)
    for op in program.ops:
        if op.name not in needed:
            continue
        form = roles.value(op.name)
        kept = {facet.carry for facet in (form.sum, form.extreme) if facet is not None}
        entering = [roles.value(name) for name in op.operands]
        lost = {facet.carry for one in entering for facet in (one.sum, one.extreme) if facet is not None} - kept
        if carry.argument in lost:
            return op
    return None


def _at(item: Access | Op) -> str:
    return f" ({item.source})" if item.source else ""


def _made_at(program: TileProgram, carry: Carry) -> str:
    makers: list[Access | Op] = [op for op in program.ops if op.name == carry.yielded]
    makers += [access for access in program.accesses if access.kind == "load" and access.value == carry.yielded]
    return _at(makers[0]) if makers else ""


# -- what is used ------------------------------------------------------------------------------------------------------


def _live(program: TileProgram, loop: Loop) -> tuple[Carry, ...]:
    """The carries that something after the loop uses, directly or through other carries."""
    used = {name for access in program.accesses for name in access.operands}
    used |= {name for op in program.ops if loop.name not in program.loop_path(op.loop) for name in op.operands}
    for other in program.loops:
        if other is not loop and loop.name not in program.loop_path(other.name):
            used |= {name for carry in other.carries for name in (carry.initial, carry.yielded)}
    alive = {carry.argument for carry in loop.carries if carry.result in used}
    while True:
        reached = {name for c in loop.carries if c.argument in alive for name in _reached(program, loop, c.yielded)}
        grown = alive | {carry.argument for carry in loop.carries if carry.argument in reached}
        if grown == alive:
            return tuple(carry for carry in loop.carries if carry.argument in alive)
        alive = grown


def _reached(program: TileProgram, loop: Loop, root: str) -> set[str]:
    """All values that one trip computes ``root`` from."""
    sources: dict[str, tuple[str, ...]] = {op.name: op.operands for op in program.ops}
    for inner in program.loops:
        if inner is not loop and loop.name in program.loop_path(inner.name):
            for carry in inner.carries:
                sources[carry.result] = sources[carry.argument] = (carry.initial, carry.yielded)
    found: set[str] = set()
    pending = [root]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(sources.get(name, ()))
    return found
