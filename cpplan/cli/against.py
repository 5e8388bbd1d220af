"""Why a plan is worse, change by change, in words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from cpplan.cli import words
from cpplan.cli.chosen import Chosen
from cpplan.cost.model import Cost, evaluate
from cpplan.device.device import Device
from cpplan.plan.artifact import plan_file
from cpplan.plan.changes import Choice, Kind, Step, chain, closest_image, comparable
from cpplan.plan.check import program_of
from cpplan.plan.plan import Combine
from cpplan.plan.schema import CostRecord
from cpplan.tile.program import Problem, TileProgram

AMOUNTS = (
    ("makespan_cycles", "cycles"),
    ("dram_bytes", "bytes over the DRAM ports"),
    ("noc_bytes", "bytes times links over the networks"),
    ("sram_bytes", "bytes of SRAM"),
)
"""What a change is said to save or to cost."""


def closest(problem: Problem, device: Device, better: Chosen, other: Chosen) -> Chosen:
    """``better``, or of its mirror images, which cost the same, the one closest to ``other``."""
    assert other.evaluation is not None
    assert better.evaluation is not None
    found = closest_image(device, better.evaluation, other.evaluation)
    if found.plan == better.evaluation.plan:
        return better
    cost = evaluate(found.program, device, found.plan)
    file = plan_file(
        problem, device, found.program, found.plan, cost, rank=better.file.rank, certificate=better.file.certificate
    )
    return Chosen(f"{better.name} mirrored", file, found)


def changes_between(problem: Problem, device: Device, other: Chosen, better: Chosen) -> list[Step]:
    """Changes that lead from ``other`` to ``better``; none when they decide about different things."""
    assert other.evaluation is not None
    assert better.evaluation is not None
    start, goal = other.evaluation.plan, better.evaluation.plan
    if not comparable(start, goal):
        return []
    return chain(_programs(problem, dict(start.block), dict(goal.block)), device, start, goal)


def _programs(
    problem: Problem, one: dict[str, int], other: dict[str, int]
) -> dict[tuple[tuple[str, int], ...], TileProgram]:
    """The block shapes whose parameters are those of ``one`` or of ``other``, as far as they are offered."""
    offered = {frozenset(block) for family in problem.families for block in family.blocks}
    mixed = itertools.product(*({one[name], other[name]} for name in one))
    blocks = [dict(zip(one, values, strict=True)) for values in mixed]
    programs = (program_of(problem, block) for block in blocks if frozenset(block.items()) in offered)
    return {program.block: program for program in programs}


def sentence(choice: Choice, before: Any, after: Any, dims: tuple[str, ...]) -> str:
    """One decision in words: ``a_ptr: x*11 instead of private``."""
    if choice.kind == "waves":
        return f"waves {words.loops(after)} instead of {words.loops(before)}"
    if choice.kind == "combine":
        return f"partial results: {_combined(after)} instead of {_combined(before)}"
    if choice == Choice("mapping"):
        return f"cores from {words.first_core(after)} on instead of from {words.first_core(before)} on"
    if choice.kind == "reader":
        return f"{choice.subject}: read by the {after} core of a group instead of the {before} one"
    return f"{choice.subject}: {_shown(choice.kind, after, dims)} instead of {_shown(choice.kind, before, dims)}"


def _combined(way: Combine | None) -> str:
    return "none" if way is None else f"combined in a {way.method} over noc{way.noc}"


def _shown(kind: Kind, value: Any, dims: tuple[str, ...]) -> str:
    if kind == "mapping":
        return words.digits(value) or "unused"
    if kind == "sharing":
        pattern, groups = value
        return words.sharing(pattern, groups, dims)
    if kind == "level":
        return f"@{words.level(value)}"
    if kind == "depth":
        return "double buffered" if value == 2 else "single buffered"
    return f"noc{value}" if kind == "noc" else str(value)


def effect(before: CostRecord | Cost, after: CostRecord | Cost) -> str:
    """What a change saves and costs: ``1,024 cycles and 2,048 bytes of SRAM fewer``."""
    differences = [(getattr(after, field) - getattr(before, field), unit) for field, unit in AMOUNTS]
    fewer = [f"{-change:,} {unit}" for change, unit in differences if change < 0]
    more = [f"{change:,} {unit}" for change, unit in differences if change > 0]
    said = [f"{', '.join(amounts)} {word}" for amounts, word in ((fewer, "fewer"), (more, "more")) if amounts]
    return "; ".join(said) or "costs the same"


def _stages(steps: Sequence[Step], other: Chosen) -> Iterator[tuple[Step, CostRecord | Cost]]:
    """Every step with the cost before it."""
    costs: list[CostRecord | Cost] = [other.file.cost, *(step.cost for step in steps)]
    yield from zip(steps, costs, strict=False)


def print_changes(console: Console, steps: Sequence[Step], other: Chosen, better: Chosen) -> None:
    """The chain as a numbered list."""
    if not steps:
        return
    dims = words.dims(better.file)
    console.print(f"\nFrom {other.name} to {better.name}, always the change that recovers most", markup=False)
    for number, (step, before) in enumerate(_stages(steps, other), 1):
        said = "; ".join(sentence(*change, dims) for change in step.changes)
        console.print(f"  {number}. {said}", markup=False, soft_wrap=True)
        left = f"{step.cost.makespan_cycles:,} cycles"
        console.print(f"     {effect(before, step.cost)}; then {left}", markup=False, soft_wrap=True)


def changes_as_data(steps: Sequence[Step], other: Chosen, dims: tuple[str, ...]) -> list[dict[str, Any]]:
    """The chain for programs; ``saved`` is negative where a step costs more."""
    return [
        {
            "changes": [sentence(*change, dims) for change in step.changes],
            "makespan_cycles": step.cost.makespan_cycles,
            "saved": {field: getattr(before, field) - getattr(step.cost, field) for field, _ in AMOUNTS},
        }
        for step, before in _stages(steps, other)
    ]
