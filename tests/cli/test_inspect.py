"""`cpplan inspect`: accesses of a matmul, their class, and what they can be reused along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpplan.cli import main

KERNELS = str(Path(__file__).with_name("kernels.py"))
PROFILES = str(Path(__file__).parents[1] / "frontend" / "kernels" / "profiles.py")
ROWS = str(Path(__file__).parents[1] / "frontend" / "kernels" / "rows.py")


@pytest.fixture(scope="module")
def problem() -> dict[str, Any]:
    result = CliRunner().invoke(main, ["inspect", KERNELS, "--json", "--", "256"])
    assert result.exit_code == 0, result.output
    (problem,) = json.loads(result.stdout)["problems"]
    return problem


def test_accesses_are_listed_with_class_and_tile(problem: dict[str, Any]) -> None:
    listed = {a["tensor"]: (a["kind"], a["class"], tuple(a["tile"])) for a in problem["accesses"]}
    assert listed == {
        "a": ("load", "affine", (64, 32)),
        "b": ("load", "affine", (32, 64)),
        "c": ("store", "affine", (64, 64)),
    }


def test_a_is_reused_along_n_b_along_m_and_c_nowhere(problem: dict[str, Any]) -> None:
    reused = {a["tensor"]: {name for name, yes in a["reuse"].items() if yes} for a in problem["accesses"]}
    assert reused == {"a": {"n"}, "b": {"m"}, "c": set()}


def test_grid_and_loop_follow_from_the_sizes(problem: dict[str, Any]) -> None:
    assert problem["grid"] == {"m": 256 // 64, "n": 256 // 64}
    assert list(problem["loops"].values()) == [256 // 32]


def test_the_sum_over_k_may_be_split_over_cores(problem: dict[str, Any]) -> None:
    (loop,) = problem["loops"]
    assert (problem["may_be_split"], problem["may_not_be_split"]) == ({loop: "sum"}, {})


def test_the_layout_in_memory_follows_from_the_tiles(problem: dict[str, Any]) -> None:
    assert problem["layout"] == "tiles"
    text = CliRunner().invoke(main, ["inspect", ROWS, "--", "double"]).stdout
    assert "layout in memory: runs of 1,024 elements" in text


def test_a_candidate_that_is_not_there_is_one_message() -> None:
    result = CliRunner().invoke(main, ["inspect", KERNELS, "--candidate", "2"])
    assert result.exit_code == 2
    assert "product has 1 block shapes, choose 1..1" in result.stderr


def test_the_text_shows_the_tile_program_and_the_reuse_table() -> None:
    result = CliRunner().invoke(main, ["inspect", KERNELS])
    assert result.exit_code == 0, result.output
    assert "affine.parallel (%m, %n) = (0, 0) to (2, 2)" in result.stdout
    table = [line.split() for line in result.stdout.partition("reuse along")[2].splitlines()]
    assert ["a", "-", "reused", "-"] in table
    assert "may be split over cores: loop " in result.stdout


def test_a_loop_that_must_run_in_order_is_shown_with_the_reason() -> None:
    kernels = str(Path(__file__).parents[1] / "tile" / "kernels" / "reductions.py")
    result = CliRunner().invoke(main, ["inspect", kernels, "--entry", 'launch("prefix_sums")'])
    assert result.exit_code == 0, result.output
    assert "may not be split over cores: loop start: every trip writes y (" in " ".join(result.stdout.split())


def test_masks_are_listed_with_their_bounds_and_what_they_fill_in() -> None:
    mixed = str(Path(__file__).with_name("mixed.py"))
    result = CliRunner().invoke(main, ["inspect", mixed, "--entry", "run_double(1000)", "--json"])
    (problem,) = json.loads(result.stdout)["problems"]
    assert [(a["masked"], a["bounds"], a["fill"], a["mask"]) for a in problem["accesses"]] == [
        ([True], [{"begins": [], "ends": ["1000"]}], None, None),
        ([True], [{"begins": [], "ends": ["1000"]}], None, None),
    ]
    text = CliRunner().invoke(main, ["inspect", mixed, "--entry", "run_double(1000)"]).stdout
    rows = [line.split("  ") for line in text.partition("mask of")[2].splitlines()]
    shown = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["x", "cut", "index < 1000", "anything"] in shown
    assert ["y", "cut", "index < 1000", "kept"] in shown


def test_trips_that_differ_between_blocks_are_shown() -> None:
    (problem,) = json.loads(CliRunner().invoke(main, ["inspect", PROFILES, "--json", "--", "before"]).stdout)[
        "problems"
    ]
    ((loop, trips),) = problem["trips_by_block"].items()
    (rows,) = (name for name, extent in problem["grid"].items() if extent == 8)
    assert (problem["loops"], trips) == ({loop: 14}, f"min(14, max(0, (32 * {rows} + 0) ceildiv 16))")
    text = CliRunner().invoke(main, ["inspect", PROFILES, "--", "before"]).stdout
    assert f"trips of loop {loop} by block: {trips}" in text
    text = CliRunner().invoke(main, ["inspect", PROFILES, "--", "square"]).stdout
    assert f"trips of loop {loop} differ in no known way; it is charged 49 in every block" in text
