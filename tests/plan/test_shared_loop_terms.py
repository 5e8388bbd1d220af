"""What can be pinned and forbidden about loops that cores share, and the way from a plan that shares none to one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from gemm import gemm
from instances import problem
from teams import along_x, private_plan, product, row_of_cores

from cpplan.cost.model import evaluate
from cpplan.device.device import Device
from cpplan.encode.solve import Solution, solve
from cpplan.enumerate.forms import forms
from cpplan.enumerate.oracle import brute_force
from cpplan.errors import InputError
from cpplan.plan.artifact import plan_file, write_plan
from cpplan.plan.changes import Choice, chain, differing
from cpplan.plan.check import evaluate_decisions
from cpplan.plan.demands import member
from cpplan.plan.forms import canonical_form
from cpplan.plan.partial import pins_of, read_partial
from cpplan.plan.plan import Combine, Plan, Split
from cpplan.plan.space import violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram

DEVICE = row_of_cores(8, rows=2)
PROGRAM = product(8, rows=192)
TEAMS = private_plan(
    PROGRAM, DEVICE, ((Split("m", 3), Split("k", 2)), (Split("k", 2),)), Combine("tree", 1)
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("k.cores=4", True),
        ("k.cores=1", False),
        ("m.cores=3", True),
        ("k.on=x,y", True),
        ("k.on=x", False),
        ("k.on=none", False),
        ("x=m/3.k/2", True),
        ("y=k/2", True),
        ("combine=tree", True),
        ("combine=ring", False),
        ("combine=none", False),
        ("combine.noc=1", True),
        ("combine.noc=0", False),
    ],
)
def test_a_term_about_a_shared_loop_holds_or_not(text: str, holds: bool) -> None:
    restriction = parse_restriction(problem(PROGRAM), DEVICE, [text])
    assert restriction.allows(DEVICE, TEAMS) == holds
    assert (member(restriction, PROGRAM, DEVICE, TEAMS) is not None) == holds
    assert [term.text for term in restriction.pins] == [text]


@pytest.mark.parametrize("text", ["combine.noc=0", "combine.noc=1"])
def test_what_shares_no_loop_combines_over_no_network(text: str) -> None:
    alone = private_plan(PROGRAM, DEVICE, ((Split("m", 3),), ()), None)
    assert not parse_restriction(problem(PROGRAM), DEVICE, [text]).allows(DEVICE, alone)
    assert parse_restriction(problem(PROGRAM), DEVICE, ["combine=none", "k.cores=1"]).allows(DEVICE, alone)


def test_digits_of_a_loop_are_written_in_one_order_only() -> None:
    """Which cores form a team, and who meets whom, depends on it; digits of parallel dims may be swapped."""
    assert violations(PROGRAM, DEVICE, TEAMS) == []
    assert list(forms(PROGRAM, TEAMS)) == [TEAMS]
    swapped = replace(TEAMS, spatial=((Split("k", 2), Split("m", 3)), (Split("k", 2),)))
    assert canonical_form(PROGRAM, DEVICE, swapped) == swapped
    assert member(parse_restriction(problem(PROGRAM), DEVICE, ["x=k/2.m/3"]), PROGRAM, DEVICE, TEAMS) is None
    two = replace(PROGRAM, dims=(PROGRAM.dims[0], replace(PROGRAM.dims[1], extent=2)))
    plan = private_plan(two, DEVICE, along_x(DEVICE, Split("m", 2), Split("n", 2), Split("k", 2)), Combine("tree", 1))
    written = {form.spatial[0] for form in forms(two, plan)}
    assert written == {(Split(a, 2), Split(b, 2), Split("k", 2)) for a, b in ("mn", "nm")}


def solved(program: TileProgram, device: Device, *pins: str, forbids: tuple[str, ...] = ()) -> Solution:
    restriction = parse_restriction(problem(program), device, pins, forbids)
    expected = brute_force([program], device, 3, restriction)
    solution = solve(problem(program), device, k=3, restriction=restriction)
    assert [(p.cost.key, p.plan) for p in solution.plans] == [(s.key, s.plan) for s in expected]
    return solution


LONG = gemm(64, 64, 64 * 24, (64, 64, 64))
"""One block of 24 trips: what is free is shared by all cores that there are."""


@pytest.mark.parametrize(
    ("pins", "forbids", "spatial", "method"),
    [
        (["k.cores=1"], [], ((), ()), None),
        (["combine=none"], [], ((), ()), None),
        ([], ["combine=tree", "combine=ring"], ((), ()), None),
        (["k.cores=3"], [], None, "any"),
        (["k.on=y"], [], ((), (Split("k", 2),)), "any"),
        (["x=k/4"], [], None, "any"),
        (["combine=ring"], [], None, "ring"),
        (["combine.noc=0"], [], None, "any"),
    ],
)
def test_the_best_of_the_plans_that_are_left(
    pins: list[str], forbids: list[str], spatial: object, method: str | None
) -> None:
    device = row_of_cores(4, rows=2)
    best = solved(LONG, device, *pins, forbids=tuple(forbids)).plans[0].plan
    assert parse_restriction(problem(LONG), device, pins, forbids).allows(device, best)
    assert spatial is None or best.spatial == spatial
    assert (best.combine is None) == (method is None)
    assert method in (None, "any") or (best.combine is not None and best.combine.method == method)


def test_free_cores_share_the_loop() -> None:
    device = row_of_cores(4, rows=2)
    free, alone = solved(LONG, device), solved(LONG, device, "k.cores=1")
    assert free.plans[0].plan.combine is not None
    assert free.plans[0].cost.makespan_cycles < alone.plans[0].cost.makespan_cycles


def test_pins_that_leave_no_way_to_combine_are_named() -> None:
    restriction = parse_restriction(problem(LONG), row_of_cores(4), ["k.cores=4", "combine=none", "a.depth=1"])
    solution = solve(problem(LONG), row_of_cores(4), restriction=restriction)
    assert solution.status == "infeasible"
    assert "--pin k.cores=4, --pin combine=none" in solution.reason
    assert "a.depth" not in solution.reason


def test_a_plan_file_pins_the_split_and_the_combine(tmp_path: Path) -> None:
    cost = evaluate(PROGRAM, DEVICE, TEAMS)
    launch = problem(PROGRAM)
    path = tmp_path / "plan.json"
    write_plan(path, plan_file(launch, DEVICE, PROGRAM, TEAMS, cost, rank=1, certificate=None))
    texts = list(pins_of(read_partial(path)))
    assert {"x=m/3.k/2", "y=k/2", "combine=tree", "combine.noc=1"} <= set(texts)
    restriction = parse_restriction(launch, DEVICE, texts)
    assert restriction.allows(DEVICE, TEAMS)
    (only,) = solve(launch, DEVICE, k=2, restriction=restriction).plans
    assert only.plan == TEAMS
    evaluation = evaluate_decisions(launch, DEVICE, read_partial(path))
    assert (evaluation.plan, evaluation.violations) == (TEAMS, ())
    assert evaluation.cost is not None and evaluation.cost.key == cost.key


@pytest.mark.parametrize(
    ("decisions", "texts"),
    [
        ({"combine": {"method": "ring", "noc": 0}}, ["combine=ring", "combine.noc=0"]),
        ({"combine": None}, ["combine=none"]),
        ({"spatial": [{"dim": "x", "splits": [{"dim": "k", "factor": 4}]}]}, ["x=k/4"]),
    ],
)
def test_a_partial_plan_pins_what_is_in_it(tmp_path: Path, decisions: object, texts: list[str]) -> None:
    (tmp_path / "part.json").write_text(json.dumps({"decisions": decisions}))
    assert list(pins_of(read_partial(tmp_path / "part.json"))) == texts


@pytest.mark.parametrize(
    ("combine", "message"),
    [({"method": "star", "noc": 0}, "combine.method"), ({"method": "tree"}, "combine"), ("tree", "combine")],
)
def test_a_combine_that_is_none_is_refused(tmp_path: Path, combine: object, message: str) -> None:
    (tmp_path / "part.json").write_text(json.dumps({"decisions": {"combine": combine}}))
    with pytest.raises(InputError, match=message):
        read_partial(tmp_path / "part.json")


def both_kinds(device: Device) -> tuple[Plan, list[Plan]]:
    """The best plan, which shares the loop, and plans that do not."""
    found = [scored.plan for scored in brute_force([LONG], device, 4_000)]
    assert found[0].combine is not None
    return found[0], [plan for plan in found if plan.combine is None]


@pytest.mark.parametrize("seed", range(4))
def test_the_way_from_a_plan_that_shares_nothing_takes_the_combine_along(seed: int) -> None:
    """Neither the digits of the loop nor a way to combine is a plan without the other: they change together."""
    device = row_of_cores(4, rows=2)
    target, others = both_kinds(device)
    start = Random(seed).choice(others)
    assert {choice.kind for choice in differing(device, start, target)} >= {"combine", "mapping"}
    steps = chain({LONG.block: LONG}, device, start, target)
    together = next(step for step in steps if any(choice == Choice("combine") for choice, _, _ in step.changes))
    assert any(choice.kind == "mapping" for choice, _, _ in together.changes)
    before, after = next((b, a) for choice, b, a in together.changes if choice == Choice("combine"))
    assert (before, after) == (None, target.combine)
    assert steps[-1].cost.key == evaluate(LONG, device, target).key


def test_another_way_to_combine_is_a_change_of_its_own() -> None:
    device = row_of_cores(4)
    spatial = along_x(device, Split("k", 4))
    start, target = (private_plan(LONG, device, spatial, way) for way in (Combine("ring", 1), Combine("tree", 1)))
    (step,) = chain({LONG.block: LONG}, device, start, target)
    assert step.changes == ((Choice("combine"), Combine("ring", 1), Combine("tree", 1)),)
