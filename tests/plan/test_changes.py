"""The chain of changes from one plan to a better one: each step is a plan, priced by the model, the last the target."""

from __future__ import annotations

from random import Random

import pytest
from gemm import gemm
from instances import random_device, random_program

from cpplan.cost.model import evaluate
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.changes import Choice, chain, closest_image, differing
from cpplan.plan.check import Evaluation, check_plan
from cpplan.plan.forms import canonical_form
from cpplan.plan.plan import Plan
from cpplan.plan.symmetry import image, symmetries
from cpplan.tile.program import TileProgram


def instance(seed: int) -> tuple[list[TileProgram], list[Plan]]:
    """Block shapes of a small GEMM and some of its plans, best first."""
    r = Random(seed)
    device = random_device(r, (2, 2))
    programs = [gemm(128, 128, 64, block) for block in ((32, 64, 32), (64, 32, 32), (64, 64, 32))]
    return programs, [scored.plan for scored in brute_force(programs, device, 400)]


@pytest.mark.parametrize("seed", range(8))
def test_every_step_is_a_plan_with_its_cost_and_the_last_is_the_target(seed: int) -> None:
    device = random_device(Random(seed), (2, 2))
    programs, plans = instance(seed)
    by_block = {program.block: program for program in programs}
    r = Random(seed)
    for start in r.sample(plans, 6):
        target = plans[0]
        steps = chain(by_block, device, start, target)
        changed = [choice for step in steps for choice, _, _ in step.changes]
        assert len(set(changed)) == len(changed)
        assert set(differing(device, start, target)) == set(changed)
        final = evaluate(by_block[target.block], device, target)
        assert (steps[-1].cost.key if steps else final.key) == final.key
        assert all(step.cost.makespan_cycles >= final.makespan_cycles for step in steps)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_step_recovers_most_of_all_single_changes(seed: int) -> None:
    device = random_device(Random(seed), (2, 2))
    program = next(
        p for p in map(random_program, map(Random, range(seed, 999))) if 50 < count([p], device, 3_000) <= 3_000
    )
    plans = [scored.plan for scored in brute_force([program], device, 500)]
    start, target = plans[-1], plans[0]
    steps = chain({program.block: program}, device, start, target)
    assert steps
    first = steps[0].cost.makespan_cycles
    for place, goal in zip(start.placements, target.placements, strict=True):
        swapped = tuple(goal if p.access == place.access else p for p in start.placements)
        plan = Plan(start.block, start.spatial, start.order, swapped)
        alone = {Choice(kind, place.access) for kind in ("level", "depth", "sharing", "noc", "reader")}  # type: ignore[arg-type]
        if len(alone.intersection(differing(device, start, plan))) == 1:
            checked = check_plan(program, device, plan)
            assert checked.violations or checked.cost is None or first <= checked.cost.makespan_cycles


def test_mirror_images_are_no_difference() -> None:
    device = random_device(Random(3), (2, 2))
    program = gemm(128, 128, 64, (32, 32, 32))
    plan = brute_force([program], device, 1)[0].plan
    cost = evaluate(program, device, plan)
    here = Evaluation(program, plan, cost, ())
    for symmetry in symmetries(program, program):
        mirrored = image(program, plan, symmetry)
        assert canonical_form(program, device, mirrored) == mirrored
        found = closest_image(device, here, Evaluation(program, mirrored, cost, ()))
        assert differing(device, mirrored, found.plan) == []
