"""`cpplan explain`: one plan taken apart, and set against the next best."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toy
from click.testing import CliRunner

from cpplan.cli import main
from cpplan.cost.model import evaluate
from cpplan.plan.artifact import plan_file, write_plan
from cpplan.plan.schema import CertificateReference


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two plans of the toy launch: shared reads as plan 1, private reads as plan 2."""
    for rank, plan in enumerate((toy.plan(shared=True), toy.plan(shared=False)), 1):
        cost = evaluate(toy.program(), toy.device(), plan)
        reference = CertificateReference("certificate.json", "optimal", cost.makespan_cycles)
        file = plan_file(toy.problem(), toy.device(), toy.program(), plan, cost, rank=rank, certificate=reference)
        write_plan(tmp_path / f"plan-{rank}.json", file)
    return tmp_path


def explain(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, ["explain", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def drawing_of(text: str, access: str) -> list[str]:
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith(f"{access}:"))
    return [line.strip() for line in lines[start + 1 : start + 3]]


def test_the_first_column_reads_for_its_row_and_the_first_row_for_its_column(folder: Path) -> None:
    text = explain(folder)
    assert drawing_of(text, "load_a") == ["R . -", "R . -"]
    assert drawing_of(text, "load_b") == ["R R -", ". . -"]
    assert drawing_of(text, "store_c") == ["W W -", "W W -"]


def test_every_level_of_the_nest_has_a_row(folder: Path) -> None:
    first_words = {line.split()[0] for line in explain(folder).splitlines() if line.strip()}
    assert {"launch", "wave.m", "wave.n", "k"} <= first_words


def test_the_layout_in_memory_is_named(folder: Path) -> None:
    assert "layout 32x32 tiles" in explain(folder)
    assert json.loads(explain(folder, "--json"))["layout"] == "tiles"


def test_the_runner_up_is_compared_decision_by_decision_and_term_by_term(folder: Path) -> None:
    data = json.loads(explain(folder, "--json"))
    better, worse = (evaluate(toy.program(), toy.device(), toy.plan(shared)) for shared in (True, False))
    assert [entry["name"] for entry in data["runner_up"]["decisions"]] == ["load_a", "load_b"]
    terms = {entry["name"]: (entry["this"], entry["other"]) for entry in data["runner_up"]["terms"]}
    assert terms["DRAM bytes"] == (better.dram_bytes, worse.dram_bytes)
    assert terms["makespan cycles"] == (better.makespan_cycles, worse.makespan_cycles)


def test_the_last_plan_has_no_runner_up(folder: Path) -> None:
    assert json.loads(explain(folder, "--rank", "2", "--json"))["runner_up"] is None
    assert "No other plan" in explain(folder / "plan-2.json")


def test_a_rank_that_is_not_there_is_one_message_with_exit_code_2(folder: Path) -> None:
    result = CliRunner().invoke(main, ["explain", str(folder), "--rank", "7"])
    assert result.exit_code == 2
    assert "the folder has plan-1.json, plan-2.json" in result.stderr
    assert "Traceback" not in result.output


def test_a_damaged_plan_is_one_message_with_exit_code_2(folder: Path) -> None:
    (folder / "plan-1.json").write_text('{"schema": 1}')
    result = CliRunner().invoke(main, ["explain", str(folder)])
    assert result.exit_code == 2
    assert "plan-1.json" in result.stderr
    assert "Traceback" not in result.output
