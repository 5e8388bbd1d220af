"""Accesses that nothing tells apart: exchanging their placements costs nothing, so such plans are listed once."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import pytest
from instances import problem, random_device, stencil

from cpplan.cost.model import evaluate
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.alike import alike
from cpplan.plan.plan import Plan
from cpplan.plan.space import violations
from cpplan.tile.program import TileProgram


def exchanged(program: TileProgram, plan: Plan) -> set[Plan]:
    """All plans that differ from ``plan`` in who of the alike accesses has which placement."""
    (members,) = alike(program)
    out = set()
    for taken in itertools.permutations(members):
        places = list(plan.placements)
        for to, source in zip(members, taken, strict=True):
            places[to] = replace(plan.placements[source], access=program.accesses[to].name)
        out.add(replace(plan, placements=tuple(places)))
    return out


@pytest.mark.parametrize("seed", range(6))
def test_exchanged_plans_cost_the_same_and_exactly_one_is_listed(seed: int) -> None:
    device = random_device(Random(seed), (2, 1))
    program = stencil(3, (3,), 2)
    assert alike(program) == [(0, 1, 2)]
    for scored in brute_force([program], device, 30):
        images = exchanged(program, scored.plan)
        assert {evaluate(program, device, plan).key for plan in images} == {scored.key}
        assert [plan for plan in images if not violations(program, device, plan)] == [scored.plan]


@pytest.mark.parametrize("seed", range(6))
def test_the_solver_lists_what_brute_force_lists(seed: int) -> None:
    device, program = random_device(Random(seed), (2, 1)), stencil(3, (3,), 2)
    assert count([program], device) <= 100_000
    expected = brute_force([program], device, 8)
    assert [p.plan for p in solve(problem(program), device, k=8).plans] == [s.plan for s in expected]


def test_the_number_of_exchanges_does_not_matter() -> None:
    solution = solve(problem(stencil(12, (4, 4), 8)), random_device(Random(1), (2, 2)), k=2)
    assert solution.status == "optimal"
    assert len(solution.plans) == 2
