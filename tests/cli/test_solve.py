"""`cpplan solve` end to end on a small kernel: the JSON contract, the files, the table, the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from cpplan.cli import main, words
from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.frontend import read_problems
from cpplan.plan.artifact import read_plan
from cpplan.plan.space import violations
from cpplan.tile.family import candidate_program

KERNELS = str(Path(__file__).with_name("kernels.py"))
PROBLEM_KEYS = {"kernel", "device", "status", "bound_cycles", "gap", "solve_seconds", "certificate", "plans"}
PLAN_KEYS = {
    "rank", "makespan_cycles", "bound_by", "dram_bytes", "noc_bytes", "sram_bytes", "sram_limit_bytes", "cores", "path",
}  # fmt: skip


def run(out: Path, *options: str) -> Result:
    arguments = ["solve", KERNELS, "--device", "wormhole", "--cores", "2x2", "--out", str(out), *options]
    return CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def answer(out: Path) -> dict[str, Any]:
    """The three best plans, as JSON."""
    result = run(out, "--k", "3", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_json_has_exactly_the_promised_fields(answer: dict[str, Any]) -> None:
    assert set(answer) == {"schema", "problems"}
    assert answer["schema"] == 1
    (problem,) = answer["problems"]
    assert set(problem) == PROBLEM_KEYS
    assert (problem["kernel"], problem["status"], problem["gap"]) == ("product", "optimal", 0.0)
    assert [set(plan) for plan in problem["plans"]] == [PLAN_KEYS] * 3
    assert [plan["rank"] for plan in problem["plans"]] == [1, 2, 3]


def test_layouts_are_named_per_plan_where_plans_differ(out: Path, answer: dict[str, Any]) -> None:
    files = [read_plan(Path(plan["path"])) for plan in answer["problems"][0]["plans"]]
    assert words.layouts(files) == "32x32 tiles"
    files[1] = msgspec.structs.replace(files[1], kernel=msgspec.structs.replace(files[1].kernel, layout="runs"))
    assert words.layouts(files) == "32x32 tiles in plan 1, 3; runs of 1,024 elements in plan 2"


def test_plans_come_in_order_and_start_at_the_bound(answer: dict[str, Any]) -> None:
    (problem,) = answer["problems"]
    keys = [tuple(plan[name] for name in ("makespan_cycles", "dram_bytes", "noc_bytes")) for plan in problem["plans"]]
    assert keys == sorted(keys)
    assert problem["plans"][0]["makespan_cycles"] >= problem["bound_cycles"]


def test_plan_files_hold_legal_plans_that_score_as_reported(answer: dict[str, Any]) -> None:
    device = load_device("wormhole", cores="2x2")
    (problem,) = read_problems(KERNELS)
    program = candidate_program(problem.families[0], 0)
    for entry in answer["problems"][0]["plans"]:
        file = read_plan(Path(entry["path"]))
        assert violations(program, device, file.plan()) == []
        assert evaluate(program, device, file.plan()).makespan_cycles == entry["makespan_cycles"]
        assert file.kernel.fingerprint == problem.fingerprint
        assert file.device.fingerprint == device.fingerprint


def test_the_folder_holds_plans_loop_nests_and_the_certificate(answer: dict[str, Any], out: Path) -> None:
    (folder,) = out.iterdir()
    plans = [f"plan-{rank}.{kind}" for rank in (1, 2, 3) for kind in ("json", "mlir")]
    assert sorted(path.name for path in folder.iterdir()) == sorted(["certificate.json", *plans])
    assert json.loads(Path(answer["problems"][0]["certificate"]).read_text())["status"] == "optimal"


def test_the_same_run_writes_the_same_plans(answer: dict[str, Any], tmp_path: Path) -> None:
    assert run(tmp_path, "--k", "3", "--json").exit_code == 0
    for entry in answer["problems"][0]["plans"]:
        first = Path(entry["path"])
        assert (tmp_path / first.parent.name / first.name).read_text() == first.read_text()


def test_a_smaller_k_leaves_no_plans_of_an_earlier_run(tmp_path: Path) -> None:
    for k in ("2", "1"):
        assert run(tmp_path, "--k", k).exit_code == 0
    assert {path.name for path in tmp_path.glob("*/plan-*")} == {"plan-1.json", "plan-1.mlir"}


def test_the_table_shows_one_row_per_plan_and_how_every_access_moves(tmp_path: Path) -> None:
    result = run(tmp_path, "--k", "2")
    assert result.exit_code == 0, result.output
    assert "product on wormhole[2x2] (2x2)   optimal, proved" in result.stdout
    numbered = [line.split()[0] for line in result.stdout.splitlines() if line[:1].isdigit()]
    assert numbered == ["1", "2", "1", "2"]


def test_every_launch_on_every_device_is_a_problem(tmp_path: Path) -> None:
    result = run(tmp_path, "--device", "blackhole", "--entry", "two_sizes", "--json")
    assert result.exit_code == 0, result.output
    pairs = [(p["kernel"], p["device"]) for p in json.loads(result.stdout)["problems"]]
    devices = ("wormhole[2x2]", "blackhole[2x2]")
    assert pairs == [(kernel, device) for kernel in ("product", "product_2") for device in devices]


def test_a_time_limit_ends_with_the_best_plan_known_its_gap_and_exit_code_1(tmp_path: Path) -> None:
    result = run(tmp_path, "--time-limit", "1e-9", "--json", "--", "256")
    (problem,) = json.loads(result.stdout)["problems"]
    assert result.exit_code == 1
    assert problem["status"] == "feasible"
    best = problem["plans"][0]["makespan_cycles"]
    assert problem["gap"] == pytest.approx((best - problem["bound_cycles"]) / best)


def test_a_block_larger_than_sram_is_infeasible_with_exit_code_3(tmp_path: Path) -> None:
    result = run(tmp_path, "--json", "--", "1024", "1024")
    (problem,) = json.loads(result.stdout)["problems"]
    assert result.exit_code == 3
    assert (problem["status"], problem["plans"]) == ("infeasible", [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--entry", "walk"], "no function 'walk'"),
        (["--cores", "9x9"], "do not fit in the 8 of dim"),
        (["--derate", "sun=0.5"], "'sun' is not a resource"),
        (["--device", "wormwhole"], "did you mean 'wormhole'?"),
        (["--k", "0"], "--k"),
        (["--time-limit", "0"], "--time-limit"),
    ],
)
def test_a_wrong_option_is_one_message_with_exit_code_2(tmp_path: Path, options: list[str], message: str) -> None:
    result = run(tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert not (tmp_path / "out").exists()


def test_without_a_device_the_command_says_so() -> None:
    result = CliRunner().invoke(main, ["solve", KERNELS])
    assert result.exit_code == 2
    assert "--device" in result.stderr


def test_explain_solves_a_kernel_file_first() -> None:
    options = ["--device", "wormhole", "--cores", "2x2", "--rank", "2", "--json"]
    result = CliRunner().invoke(main, ["explain", KERNELS, *options])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["rank"], data["runner_up"]["rank"]) == (2, 3)
