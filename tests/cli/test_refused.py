"""A file of several kernels: those that can be planned are, and each of the others is named with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import cpplan
from cpplan.cli import main
from cpplan.device.spec import load_device
from cpplan.errors import KernelError
from cpplan.frontend import read_launches, read_problems

MIXED = str(Path(__file__).with_name("mixed.py"))
REASONS = {
    "picky": r"static_assert(BLOCK == 17)",
    "counted": "the trip count of loop",
    "picky_2": r"static_assert(BLOCK == 17)",
}


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(Path(MIXED).read_text().splitlines(), start=1) if text in line)


def run(command: str, *options: str) -> Result:
    return CliRunner().invoke(main, [command, MIXED, *options])


def solve(out: Path, *options: str) -> Result:
    return run("solve", "--device", "wormhole", "--cores", "2x2", "--out", str(out), *options)


def test_reading_keeps_both_in_the_order_of_their_launches() -> None:
    reading = read_launches(MIXED)
    assert [problem.name for problem in reading.problems] == ["double", "gather", "double_2"]
    assert [refusal.kernel for refusal in reading.refused] == list(REASONS)
    for refusal in reading.refused:
        assert REASONS[refusal.kernel] in refusal.reason
        name = refusal.kernel.removesuffix("_2")
        assert refusal.source == f"{MIXED}:{line_of(f'def {name}(') - 1}"  # the decorator


def test_the_list_of_problems_comes_with_a_warning_per_refused_launch() -> None:
    with pytest.warns(UserWarning, match="is not planned") as caught:
        assert [problem.name for problem in read_problems(MIXED)] == ["double", "gather", "double_2"]
    assert [str(item.message).split()[0] for item in caught] == list(REASONS)


def test_when_all_launches_are_refused_the_error_has_every_reason() -> None:
    with pytest.raises(KernelError, match="none of its 2 kernel launches can be planned") as caught:
        read_launches(MIXED, entry="hopeless")
    assert "picky: " in str(caught.value) and "counted: " in str(caught.value)


def test_solve_plans_the_rest_and_names_the_refused_in_json_and_on_stderr(tmp_path: Path) -> None:
    result = solve(tmp_path, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert [problem["kernel"] for problem in answer["problems"]] == ["double", "double_2"]
    refused = {entry["kernel"]: entry["reason"] for entry in answer["refused"]}
    assert list(refused) == [*REASONS, "gather"]
    assert "depends on data" in refused["gather"] and "--allow-opaque" in refused["gather"]
    for kernel, reason in refused.items():
        assert f"{kernel} is not planned: {reason}\n" in result.stderr


def test_solve_with_opaque_accesses_allowed(tmp_path: Path) -> None:
    answer = json.loads(solve(tmp_path, "--json", "--allow-opaque").stdout)
    assert [problem["kernel"] for problem in answer["problems"]] == ["double", "gather", "double_2"]
    assert [entry["kernel"] for entry in answer["refused"]] == list(REASONS)


def test_tables_come_with_the_same_lines_on_stderr(tmp_path: Path) -> None:
    result = solve(tmp_path)
    assert result.exit_code == 0, result.output
    assert "double on wormhole" in result.stdout and "picky" not in result.stdout
    assert [line.split()[0] for line in result.stderr.splitlines()] == [*REASONS, "gather"]


@pytest.mark.parametrize("command", ["solve", "inspect"])
def test_nothing_to_plan_is_an_error(command: str, tmp_path: Path) -> None:
    options = ["--device", "wormhole", "--out", str(tmp_path)] if command == "solve" else []
    result = run(command, *options, "--entry", "run_picky")
    assert result.exit_code == 2
    assert REASONS["picky"] in result.stderr
    assert not list(tmp_path.iterdir())


def test_only_opaque_kernels_are_an_error(tmp_path: Path) -> None:
    result = solve(tmp_path, "--entry", "run_gather")
    assert result.exit_code == 2
    assert "--allow-opaque" in result.stderr


def test_a_kernel_asked_for_by_name_must_be_plannable(tmp_path: Path) -> None:
    tensors = ["--arg", "y=fp32[64]", "--arg", "x=fp32[64]", "--arg", "n=64"]
    result = solve(tmp_path, "--kernel", "picky", *tensors, "--constexpr", "BLOCK=64", "--grid", "1")
    assert result.exit_code == 2
    assert REASONS["picky"] in result.stderr


def test_inspect_shows_the_rest_and_names_the_refused() -> None:
    result = run("inspect", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert [problem["kernel"] for problem in answer["problems"]] == ["double", "gather", "double_2"]
    assert [entry["kernel"] for entry in answer["refused"]] == list(REASONS)


def test_the_python_call_plans_the_only_plannable_kernel_and_warns(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(Path(MIXED).read_text().replace("    all_kernels()", "    run_picky()\n    run_double()"))
    with pytest.warns(UserWarning, match=r"picky is not planned: .*static_assert"):
        solution = cpplan.solve(path, device=load_device("wormhole", cores="2x2"))
    assert solution.status == "optimal"
