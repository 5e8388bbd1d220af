"""Devices with faulty cores: solver and oracle agree, plans avoid the faults, and nothing changes without any."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from gemm import gemm
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import problem, random_device, random_program
from restrictions import random_restriction, restricted_instance

from cpplan.cli import main
from cpplan.cost.model import evaluate
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import RankedPlan, solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.artifact import read_plan
from cpplan.plan.plan import Plan
from cpplan.plan.space import active_extents, violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram

KERNELS = str(Path(__file__).with_name("cli") / "kernels.py")


def faulty(r: Random) -> Device:
    """A random device on which some cores are disabled, but not all."""
    device = random_device(r)
    cores = list(itertools.product(*(range(d.extent) for d in device.dims)))
    disabled = tuple(sorted(r.sample(cores, r.randint(1, max(1, min(4, len(cores) - 1))))))
    return replace(device, disabled=disabled[: len(cores) - 1], fingerprint=str(disabled))


def assert_same_answer(device: Device, programs: list[TileProgram], k: int) -> None:
    expected = brute_force(programs, device, k)
    solution = solve(problem(*programs), device, k=k)
    assert [p.cost.key for p in solution.plans] == [s.key for s in expected]
    assert [p.plan for p in solution.plans] == [s.plan for s in expected]
    assert solution.status == ("optimal" if expected else "infeasible")
    for found in solution.plans:
        assert not any(found.plan.uses(core) for core in device.disabled)
        assert not violations(found.program, device, found.plan)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_solver_equals_the_oracle_on_random_faults(r: Random, k: int) -> None:
    device, program = faulty(r), random_program(r)
    assume(count([program], device, 4_000) <= 4_000)
    assert_same_answer(device, [program], k)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_also_jointly_with_block_shapes(r: Random) -> None:
    device = faulty(r)
    programs = [random_program(r) for _ in range(3)]
    assume(count(programs, device, 4_000) <= 4_000)
    assert_same_answer(device, programs, 4)


@pytest.mark.parametrize("faults", [["0,0"], ["1,1"], ["0,0", "2,2"], ["1,0", "1,1", "1,2"]])
@pytest.mark.parametrize("name", ["wormhole", "blackhole"])
def test_shipped_devices(name: str, faults: list[str]) -> None:
    device = load_device(name, cores="3x3", disable=faults)
    assert_same_answer(device, [gemm(128, 96, 128, block) for block in ((32, 32, 32), (64, 32, 32))], 5)


@pytest.mark.parametrize("seed", range(30))
def test_also_under_pins_and_forbidden_decisions(seed: int) -> None:
    """First cores may be pinned and forbidden as well."""
    whole, programs = restricted_instance(seed, 600)
    programs = programs if seed % 4 == 1 else programs[:1]  # block shapes of one kernel, or one program
    r = Random(seed)
    cores = list(itertools.product(*(range(d.extent) for d in whole.dims)))
    device = replace(whole, disabled=tuple(sorted(r.sample(cores, 1))), fingerprint=f"faulty {seed}")
    for _ in range(3):
        pins, forbids = random_restriction(r, programs, device)
        restriction = parse_restriction(problem(*programs), device, pins, forbids)
        expected = brute_force(programs, device, 3, restriction)
        solution = solve(problem(*programs), device, k=3, restriction=restriction)
        assert [p.plan for p in solution.plans] == [s.plan for s in expected], (pins, forbids)
        assert all(restriction.allows(device, p.plan) for p in solution.plans)


def everything_at(plan: Plan, device: Device, program: TileProgram) -> tuple[int, ...]:
    """Cost of a plan as the cut of the array that starts at its first core has it."""
    extents = "x".join(map(str, active_extents(plan.spatial)))
    where = ",".join(map(str, plan.origin or (0,) * len(device.dims)))
    part = load_device(device.name.partition("[")[0], cores=f"{extents}@{where}")
    return evaluate(program, part, replace(plan, origin=())).key


def best(device: Device, program: TileProgram, k: int = 1) -> RankedPlan:
    return solve(problem(program), device, k=k).plans[0]


def test_a_plan_costs_what_it_costs_on_the_part_of_the_array_that_it_uses() -> None:
    """Routes start at its own routers: `--cores` cuts the same box out of the whole array."""
    device, program = load_device("wormhole", disable=["1,1", "5,6"]), gemm(1024, 1024, 512, (64, 64, 64))
    found = solve(problem(program), device, k=8).plans
    assert any(p.plan.origin for p in found)
    for ranked in found:
        assert ranked.cost.key == everything_at(ranked.plan, device, program)


def test_no_box_of_enabled_cores_at_a_corner_beats_the_answer() -> None:
    """Every largest free box, cut out and solved on its own, is no better, and one of them is as good."""
    from cpplan.device.free_boxes import free_boxes

    device, program = load_device("wormhole", disable=["3,2"]), gemm(2048, 2048, 1024, (128, 128, 64))
    answer = best(device, program).cost.makespan_cycles
    parts = []
    for box in free_boxes(device):
        cut = f"{'x'.join(map(str, box.extents))}@{','.join(map(str, box.origin))}"
        parts.append(best(load_device("wormhole", cores=cut), program).cost.makespan_cycles)
    assert min(parts) == answer


def test_a_faulty_first_core_no_longer_leaves_nothing() -> None:
    program = gemm(512, 512, 512, (64, 64, 64))
    found = best(load_device("wormhole", disable=["0,0"]), program)
    assert found.plan.origin in ((0, 1), (1, 0))
    assert found.cost.makespan_cycles >= best(load_device("wormhole"), program).cost.makespan_cycles


def test_a_fault_outside_of_the_box_changes_nothing() -> None:
    """8 x 8 blocks on 12 x 10 cores: the plan does not need the last column."""
    program = gemm(512, 512, 512, (64, 64, 64))
    whole, part = load_device("blackhole"), load_device("blackhole", disable=["11,9"])
    assert best(whole, program, 3).plan.origin == ()
    assert best(part, program).cost.makespan_cycles <= best(whole, program).cost.makespan_cycles


def test_plan_files_name_the_first_core(tmp_path: Path) -> None:
    options = ["--device", "wormhole", "--cores", "3x3", "--disable-core", "0,0", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(main, ["solve", KERNELS, *options])
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(result.stdout)["problems"]
    assert entry["device"] == "wormhole[without 0,0][3x3]"
    file = read_plan(Path(entry["plans"][0]["path"]))
    origin = file.decisions.origin
    assert sorted(origin) == [0, 1]
    assert file.plan().origin == origin
    text = Path(entry["plans"][0]["path"]).with_suffix(".mlir").read_text()
    assert f"origin = [{origin[0]}, {origin[1]}]" in text
    for access in file.decisions.accesses:
        assert all(file.plan().uses(core) for core in access.readers)
    shown = CliRunner().invoke(main, ["explain", entry["plans"][0]["path"]]).stdout
    assert f"@{origin[0]},{origin[1]}" in shown


def test_a_plan_file_whose_cores_leave_the_array_is_refused(tmp_path: Path) -> None:
    options = ["--device", "wormhole", "--cores", "2x2", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(main, ["solve", KERNELS, *options])
    path = Path(json.loads(result.stdout)["problems"][0]["plans"][0]["path"])
    for origin, message in (
        ([1, 1], "cores from 1 on along x, the device has 2"),
        ([1], "one number for each of x, y"),
    ):
        data = json.loads(path.read_text())
        data["decisions"]["origin"] = origin
        path.write_text(json.dumps(data))
        refused = CliRunner().invoke(main, ["explain", str(path)])
        assert refused.exit_code == 2
        assert message in refused.stderr
