"""Planning again from an old plan: it is brought onto the device, kept where legal, and the answer is never worse."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gemm import gemm, gemm_problem
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import problem, random_device, random_program

import cpplan
from cpplan.cli import main
from cpplan.cost.model import evaluate
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.plan.plan import Plan
from cpplan.plan.repair import OldPlan, repaired
from cpplan.plan.space import active_extents, violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import Problem

KERNELS = str(Path(__file__).with_name("cli") / "kernels.py")
AT_ONCE = 1e-9
"""A time limit that is over before anything has been searched."""


def old_plan(problem: Problem, device: Device, time_limit: float | None = None) -> OldPlan:
    plan = solve(problem, device, time_limit=time_limit).plans[0].plan
    return OldPlan(plan, tuple(dim.name for dim in device.dims))


def random_old_plan(r: Random) -> tuple[Problem, Device, OldPlan]:
    """A random problem with the first plan that the solver meets on a random device."""
    one, device = problem(random_program(r)), random_device(r)
    assume(bool(solve(one, device, time_limit=AT_ONCE).plans))
    return one, device, old_plan(one, device, AT_ONCE)


def changed(r: Random, device: Device) -> Device:
    """The device with faulty cores, with less SRAM, slower, or another one altogether."""
    cores = list(itertools.product(*(range(d.extent) for d in device.dims)))
    kind = r.choice(["faults", "sram", "dram", "other", "same"])
    if kind == "faults" and len(cores) > 1:
        gone = tuple(sorted(r.sample(cores, r.randint(1, min(3, len(cores) - 1)))))
        return replace(device, disabled=gone, fingerprint=f"without {gone}")
    if kind == "sram":
        return replace(device, sram=replace(device.sram, size=device.sram.size * r.randint(3, 9) // 10))
    if kind == "dram":
        slow = device.dram.bank_read_rate / 2
        return replace(device, dram=replace(device.dram, bank_read_rate=slow), fingerprint="slow")
    return random_device(r) if kind == "other" else device


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_the_old_plan_becomes_a_legal_one_and_the_answer_is_never_worse(r: Random) -> None:
    one, device, old = random_old_plan(r)
    target = changed(r, device)
    found = repaired(one, target, old)
    at_once = solve(one, target, time_limit=AT_ONCE, old=old)
    if found is None:
        assert at_once.status == "infeasible"
        return
    assert found.cost == evaluate(found.program, target, found.plan)
    assert found.cost.sram_bytes <= target.sram.usable
    assert not violations(found.program, target, found.plan)
    assert at_once.start is not None
    assert at_once.start.plan == found.plan
    assert at_once.plans[0].cost.key <= found.cost.key
    later = solve(one, target, time_limit=0.2, old=old)
    assert later.plans[0].cost.key <= found.cost.key


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_a_plan_that_is_legal_as_it_is_stays_as_it_is(r: Random) -> None:
    one, device, old = random_old_plan(r)
    found = repaired(one, device, old)
    assert found is not None
    assert found.plan == old.plan


@pytest.mark.parametrize("k", [1, 3])
def test_with_time_enough_the_answer_is_the_same_as_without_the_old_plan(k: int) -> None:
    cube, device = gemm_problem(1024, 1024, 512), load_device("wormhole", disable=["3,3"])
    old = old_plan(cube, load_device("wormhole"))
    fresh, again = solve(cube, device, k=k), solve(cube, device, k=k, old=old)
    assert again.status == "optimal"
    assert [p.plan for p in again.plans] == [p.plan for p in fresh.plans]


def test_when_the_time_is_up_at_once_the_repaired_plan_is_the_answer() -> None:
    cube = gemm_problem(4096, 4096, 4096)
    old = old_plan(cube, load_device("blackhole"))
    for target in (load_device("blackhole", disable=["4,4"]), load_device("wormhole"), load_device("wormhole_1x8")):
        solution = solve(cube, target, time_limit=AT_ONCE, old=old)
        assert solution.start is not None
        assert solution.plans[0].plan == solution.start.plan
        assert solution.bound_cycles <= solution.plans[0].cost.makespan_cycles


def test_block_shape_loops_and_sharing_are_kept_and_only_the_mapping_shrinks() -> None:
    """8 x 8 cores with whole rows and columns sharing; a fault in the last column leaves 7 x 8, or 8 rows of 4."""
    square, whole = problem(gemm(4096, 4096, 4096, (128, 128, 64))), load_device("wormhole")
    old = old_plan(square, whole)
    assert active_extents(old.plan.spatial) == (8, 8)
    found = repaired(square, load_device("wormhole", disable=["7,0"]), old)
    assert found is not None
    assert active_extents(found.plan.spatial) in ((7, 8), (8, 7))
    assert [p.level for p in found.plan.placements] == [p.level for p in old.plan.placements]
    for before, after in zip(old.plan.placements, found.plan.placements, strict=True):
        full = [g == n for g, n in zip(before.groups, (8, 8), strict=True)]
        extents = active_extents(found.plan.spatial)
        assert [g == n for g, n in zip(after.groups, extents, strict=True)] == full


def test_less_sram_gives_up_depth_or_hoisting_before_anything_else() -> None:
    square, whole = problem(gemm(2048, 2048, 2048, (128, 128, 64))), load_device("wormhole")
    old = old_plan(square, whole)
    used = solve(square, whole).plans[0].cost.sram_bytes
    tight = replace(whole, sram=replace(whole.sram, size=whole.sram.reserved + used - 1))
    found = repaired(square, tight, old)
    assert found is not None
    assert found.plan.spatial == old.plan.spatial
    assert found.cost is not None
    assert found.cost.sram_bytes < used
    moved = zip(old.plan.placements, found.plan.placements, strict=True)
    assert sum((a.level, a.depth) != (b.level, b.depth) for a, b in moved) == 1


def test_the_nearest_block_shape_is_taken_when_the_old_one_is_not_offered() -> None:
    device = load_device("wormhole")
    old = old_plan(problem(gemm(1024, 1024, 1024, (128, 128, 64))), device)
    offered = problem(*(gemm(1024, 1024, 1024, b) for b in ((32, 32, 32), (128, 64, 64), (256, 256, 128))))
    found = repaired(offered, device, old)
    assert found is not None
    assert dict(found.plan.block) == {"BM": 128, "BN": 64, "BK": 64}


def test_a_plan_of_another_kernel_is_not_brought_onto_anything() -> None:
    device = load_device("wormhole")
    plan = Plan((), ((), ()), (), ())
    assert repaired(problem(gemm(64, 64, 64, (32, 32, 32))), device, OldPlan(plan, ("x", "y"))) is None


def test_a_restriction_rules_the_old_plan_out() -> None:
    square, device = problem(gemm(1024, 1024, 1024, (128, 128, 64))), load_device("wormhole")
    old = old_plan(square, device)
    forbidden = parse_restriction(square, device, ["m.cores=2"], [])
    solution = solve(square, device, old=old, restriction=forbidden)
    assert solution.start is None
    assert all(forbidden.allows(device, p.plan) for p in solution.plans)


# -- the command line --------------------------------------------------------------------------------------------------


def run(out: Path, *options: str, size: str = "512") -> Result:
    arguments = ["solve", KERNELS, "--out", str(out), "--device", "wormhole", *options, "--", size]
    return CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = run(tmp_path_factory.mktemp("old"), "--json")
    return Path(json.loads(result.stdout)["problems"][0]["plans"][0]["path"])


def test_json_tells_what_became_of_the_old_plan(plan: Path, tmp_path: Path) -> None:
    options = ["--disable-core", "0,0", "--from", str(plan), "--json"]
    (quick,) = json.loads(run(tmp_path, *options, "--time-limit", str(AT_ONCE)).stdout)["problems"]
    (proved,) = json.loads(run(tmp_path, *options).stdout)["problems"]
    start: dict[str, Any] = quick["start"]
    assert start == proved["start"]
    assert start["path"] == str(plan)
    assert quick["plans"][0]["makespan_cycles"] == start["makespan_cycles"] >= proved["plans"][0]["makespan_cycles"]
    assert any("cores from" in text for text in start["changes"])


def test_people_read_the_same(plan: Path, tmp_path: Path) -> None:
    shown = run(tmp_path, "--from", str(plan)).stdout
    assert f"started from {plan}" in shown.replace("\n", "")
    assert "nothing better found" in shown.replace("\n", " ")
    assert "changed in it" not in shown


def test_a_plan_of_another_kernel_is_an_error(plan: Path, tmp_path: Path) -> None:
    other = tmp_path / "plan.json"
    data = json.loads(plan.read_text())
    data["kernel"]["name"] = "norm"
    other.write_text(json.dumps(data))
    result = run(tmp_path / "out", "--from", str(other))
    assert result.exit_code == 2
    assert "the plan is for kernel norm, to be planned are product" in result.stderr
    assert not (tmp_path / "out").exists()


def test_python_starts_from_a_file_as_well(plan: Path) -> None:
    device = load_device("wormhole", cores="4x4")
    solution = cpplan.solve(KERNELS, argv=["512"], device=device, old=plan, time_limit=AT_ONCE)
    assert solution.start is not None
    assert solution.plans[0].plan == solution.start.plan
