"""From one plan to a better one, decision by decision: which single change recovers most, then which next.

A decision changed alone may not fit the rest (a sharing group of cores that are no longer there). It then takes along
what it needs from the better plan: the placements that became illegal, or else wave order, mapping and block shape too,
and where SRAM runs out the levels and depths of transfers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cpplan.cost.combine import state_price
from cpplan.cost.model import Cost, fixed_buffers
from cpplan.cost.table import position_cycles
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.plan.check import Evaluation, check_plan
from cpplan.plan.forms import rules_of
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Placement, Plan
from cpplan.plan.space import first_cores, placements
from cpplan.plan.symmetry import image, symmetries
from cpplan.tile.program import TileProgram

Kind = Literal["block", "mapping", "waves", "combine", "level", "depth", "sharing", "noc", "reader"]


@dataclass(frozen=True)
class Choice:
    """Names one decision: ``subject`` is a block parameter, a spatial dim or an access, or "" for one of the whole (of
    the mapping: the first core in use)."""

    kind: Kind
    subject: str = ""


@dataclass(frozen=True)
class Step:
    """Decisions that change together, with their values before and after, and the cost of the plan they lead to."""

    changes: tuple[tuple[Choice, Any, Any], ...]
    cost: Cost


def decisions(device: Device, plan: Plan) -> dict[Choice, Any]:
    """All decisions of ``plan`` one by one; sharing is (pattern, groups)."""
    out: dict[Choice, Any] = {Choice("block", name): value for name, value in plan.block}
    out |= {Choice("mapping", dim.name): splits for dim, splits in zip(device.dims, plan.spatial, strict=True)}
    out[Choice("mapping")] = plan.origin
    out[Choice("waves")] = plan.order
    out[Choice("combine")] = plan.combine
    for place in plan.placements:
        out[Choice("level", place.access)] = place.level
        out[Choice("depth", place.access)] = place.depth
        out[Choice("sharing", place.access)] = (place.pattern, place.groups)
        out[Choice("noc", place.access)] = place.noc
        out[Choice("reader", place.access)] = place.reader
    return out


def differing(device: Device, one: Plan, other: Plan) -> list[Choice]:
    """Decisions in which two plans differ; a wave loop that only one of them has makes levels in it differ too."""
    mine, theirs = decisions(device, one), decisions(device, other)
    return [choice for choice, value in mine.items() if theirs.get(choice) != value]


def closest_image(device: Device, target: Evaluation, start: Evaluation) -> Evaluation:
    """Of ``target`` and its mirror images at its own or the start's block shape, the one closest to ``start``."""
    found = [target]
    for program in dict.fromkeys([target.program, start.program]):
        if _price(program, device) == _price(target.program, device):
            plans = (image(program, target.plan, s) for s in symmetries(target.program, program))
            found += [replace(target, program=program, plan=plan) for plan in plans]
    return min(found, key=lambda found: len(differing(device, start.plan, found.plan)))


def _price(program: TileProgram, device: Device) -> tuple[object, ...]:
    """What mirror images have in common besides their accesses."""
    fixed = sum(size for _, size in fixed_buffers(program, device))
    return position_cycles(program, device), fixed, state_price(program, device)


Programs = Mapping[tuple[tuple[str, int], ...], TileProgram]
"""Block-shape candidates by their parameters."""


def chain(programs: Programs, device: Device, start: Plan, target: Plan) -> list[Step]:
    """Changes that lead from ``start`` to ``target``, each the one that recovers most cycles where it stands.

    Single decisions go first, then those that must take others along, then whatever recovers nothing; of equally good
    changes the smaller one. Both must be plans of the space at block shapes with the same accesses
    (:func:`comparable`).
    """
    here, now, steps = start, _cycles(programs, device, start), []
    while left := differing(device, here, target):
        alone = [_changed(programs, device, here, target, choice) for choice in left]
        tried = [found for found in alone if found is not None]
        if not tried:
            everything = _together(programs, device, here, target, left)
            assert everything is not None, "the target is a plan of the space"
            tried = [everything]
        best = min(tried, key=lambda found: _preference(found[0], now))
        step, here = _without_ballast(programs, device, here, target, best)
        now = step.cost.makespan_cycles
        steps.append(step)
    return steps


def _cycles(programs: Programs, device: Device, plan: Plan) -> int:
    cost = check_plan(programs[plan.block], device, plan).cost
    assert cost is not None, "the start is a plan of the space"
    return cost.makespan_cycles


def _preference(step: Step, now: int) -> tuple[bool, bool, tuple[int, int, int, int], int]:
    """Order in which changes are taken when the plan so far takes ``now`` cycles."""
    return step.cost.makespan_cycles >= now, len(step.changes) > 1, step.cost.key, len(step.changes)


def _without_ballast(
    programs: Programs, device: Device, here: Plan, target: Plan, found: tuple[Step, Plan]
) -> tuple[Step, Plan]:
    """``found`` without the decisions that it does as well without."""
    for choice, _, _ in found[0].changes:
        kept = [c for c, _, _ in found[0].changes if c != choice]
        less = _together(programs, device, here, target, kept) if kept else None
        if less is not None and less[0].cost.key <= found[0].cost.key:
            found = less
    return found


def comparable(one: Plan, other: Plan) -> bool:
    """Whether two plans decide about the same things: variants of one kernel may differ in their accesses."""
    return [p.access for p in one.placements] == [p.access for p in other.placements] and dict(
        one.block
    ).keys() == dict(other.block).keys()


def _changed(programs: Programs, device: Device, here: Plan, target: Plan, choice: Choice) -> tuple[Step, Plan] | None:
    """``choice`` as in ``target``, with as little else as it takes to make a plan of it; None when that fails."""
    left = differing(device, here, target)
    taken = [choice]
    for kind in (None, "combine", "waves", "mapping", "block", "level", "depth"):
        taken += [c for c in left if c.kind == kind and c not in taken]
        plan = _with(device, here, target, taken)
        if plan.block not in programs or plan.origin not in first_cores(device, plan.spatial):
            continue
        stuck = _stuck(programs[plan.block], device, plan)
        found = _together(programs, device, here, target, [*taken, *(c for c in left if c.subject in stuck)])
        if found is not None:
            return found
    return None


def _stuck(program: TileProgram, device: Device, plan: Plan) -> set[str]:
    """Accesses whose placements are not possible under the mapping and wave loops of ``plan``."""
    nest, device = build_nest(program, plan.spatial, plan.order), seen_from(device, plan.origin)
    out = set()
    for access, place in zip(program.accesses, plan.placements, strict=True):
        plain = replace(place, reader=rules_of(device, plan.spatial, place)[0])
        if plain not in placements(program, device, plan.spatial, nest, access):
            out.add(access.name)
    return out


def _together(
    programs: Programs, device: Device, here: Plan, target: Plan, taken: Sequence[Choice]
) -> tuple[Step, Plan] | None:
    """``here`` with the decisions ``taken`` from ``target``; None when that is no plan, or too large."""
    taken = list(dict.fromkeys(taken))
    plan = _with(device, here, target, taken)
    if plan.block not in programs:
        return None
    evaluation = check_plan(programs[plan.block], device, plan)
    if evaluation.cost is None or evaluation.violations:
        return None
    before, after = decisions(device, here), decisions(device, plan)
    changes = tuple((c, before[c], after[c]) for c in taken if before[c] != after[c])
    return Step(changes, evaluation.cost), plan


def _with(device: Device, here: Plan, target: Plan, taken: Sequence[Choice]) -> Plan:
    """``here`` with the decisions ``taken`` from ``target``, as they are written there."""
    chosen, goal = decisions(device, here), decisions(device, target)
    chosen |= {choice: goal[choice] for choice in taken}
    return Plan(
        block=tuple((name, chosen[Choice("block", name)]) for name, _ in here.block),
        spatial=tuple(chosen[Choice("mapping", dim.name)] for dim in device.dims),
        order=chosen[Choice("waves")],
        placements=tuple(_placement(chosen, place.access) for place in here.placements),
        combine=chosen[Choice("combine")],
        origin=chosen[Choice("mapping")],
    )


def _placement(chosen: Mapping[Choice, Any], access: str) -> Placement:
    pattern, groups = chosen[Choice("sharing", access)]
    level, depth = chosen[Choice("level", access)], chosen[Choice("depth", access)]
    return Placement(
        access, level, depth, groups, pattern, chosen[Choice("noc", access)], chosen[Choice("reader", access)]
    )
