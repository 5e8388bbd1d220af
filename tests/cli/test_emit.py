"""`cpplan emit` and `cpplan run`: from a kernel file or a plan to a program, and its result against the interpreter."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpplan.cli import main
from cpplan.device.spec import load_device
from cpplan.schedule.parse import parse_schedule

KERNELS = Path(__file__).with_name("kernels.py")
EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ("--cores", "2x2@1,1")


def cpplan(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def output(*arguments: str | Path) -> str:
    result = cpplan(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def data(*arguments: str | Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(output(*arguments, "--json"))
    return result


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    output("solve", KERNELS, "--device", "wormhole", *SMALL, "--k", "2", "--out", out)
    return next(out.glob("*/plan-1.json"))


def test_a_plan_file_becomes_a_program(solved: Path, tmp_path: Path) -> None:
    record = data("emit", solved, "--out", tmp_path)
    names = {"kernels/move_noc0.cpp", "kernels/move_noc1.cpp", "kernels/compute.cpp", "host.py", "schedule.mlir"}
    assert set(record["files"]) == names
    assert all((tmp_path / name).stat().st_size for name in names)
    schedule = parse_schedule((tmp_path / "schedule.mlir").read_text(), load_device("wormhole", cores=SMALL[1]))
    assert schedule.program.name == record["kernel"] == "product"
    assert record["cores"] == len(schedule.digits)


def test_a_program_of_a_plan_lies_beside_it_unless_told_otherwise(solved: Path) -> None:
    assert f"written to {solved.with_suffix('')}/" in output("emit", solved)
    assert (solved.with_suffix("") / "host.py").exists()


def test_a_kernel_file_is_solved_first(solved: Path, tmp_path: Path) -> None:
    output("emit", KERNELS, "--device", "wormhole", *SMALL, "--out", tmp_path / "kernel")
    output("emit", solved, "--out", tmp_path / "file")
    for name in ("kernels/move_noc0.cpp", "kernels/compute.cpp", "schedule.mlir"):
        assert (tmp_path / "kernel" / name).read_text() == (tmp_path / "file" / name).read_text()


def test_explained_it_names_buffers_kernels_and_transfers(solved: Path, tmp_path: Path) -> None:
    text = output("emit", solved, "--out", tmp_path, "--explain")
    assert "kernels/move_noc0.cpp on NCRISC (riscv1), NoC 0" in text
    assert "Circular buffers, the same on every core" in text and "every core reads its own" in text


def test_a_plan_without_its_program_is_refused(solved: Path, tmp_path: Path) -> None:
    alone = shutil.copy(solved, tmp_path / "plan-1.json")
    result = cpplan("emit", alone)
    assert result.exit_code == 2
    assert "plan-1.mlir: not there" in result.output


def test_a_plan_for_another_device_is_refused(solved: Path) -> None:
    result = cpplan("emit", solved, "--device", "blackhole")
    assert result.exit_code == 2
    assert "was planned for wormhole[2x2@1,1]" in result.output


def test_a_device_without_programs_is_refused(tmp_path: Path) -> None:
    result = cpplan("emit", KERNELS, "--device", "triple_ring", "--out", tmp_path)
    assert result.exit_code == 2
    assert "triple_ring runs no TT-Metalium programs" in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_a_plan_runs_and_equals_the_interpreter(device: str) -> None:
    record = data("run", KERNELS, "--device", device, *SMALL)
    assert record["equal"] is True
    assert 0 < record["max_abs_error"] <= record["tolerance"]
    assert record["dram_bytes"]["c"] == {"read": 0, "written": 128 * 128 * 4}


def test_any_plan_of_the_file_may_be_run(solved: Path) -> None:
    first, second = (data("run", KERNELS, "--device", "wormhole", *SMALL, "--plan", n) for n in ("1", "2"))
    brought = data("run", KERNELS, "--device", "wormhole", *SMALL, "--plan", solved)
    assert first == brought
    assert second["equal"] is True


def test_a_launch_may_be_chosen_and_described() -> None:
    options = ("--device", "wormhole", *SMALL)
    chosen = data("run", KERNELS, *options, "--entry", "two_sizes", "--launch", "product_2")
    assert chosen["kernel"] == "product_2" and chosen["equal"] is True
    described = data(
        "run", KERNELS, *options, "--kernel", "product", "--arg", "a=bf16[64,96]", "--arg", "b=bf16[96,64]",
        "--arg", "c=fp32[64,64]", "--arg", "N=64", "--arg", "K=96", "--constexpr", "BM=32", "--constexpr", "BN=64",
        "--constexpr", "BK=32", "--grid", "2,1",
    )  # fmt: skip
    assert described["equal"] is True


def test_what_is_not_there_is_named() -> None:
    options = ("--device", "wormhole", *SMALL)
    assert "--launch other" in cpplan("run", KERNELS, *options, "--launch", "other").output
    assert "give the number of a plan" in cpplan("run", KERNELS, *options, "--plan", "best").output


def test_a_kernel_without_a_program_says_at_which_line(tmp_path: Path) -> None:
    kernel = Path(__file__).parents[1] / "emit" / "kernels" / "atomics.py"
    result = cpplan("run", kernel, "--device", "wormhole", *SMALL, "--", "swapped", "4", "1")
    assert result.exit_code == 2
    assert re.search(r"atomics.py:\d+: atomic y_ptr of y_ptr compares and swaps", result.output)


def test_commands_are_listed() -> None:
    result = subprocess.run([sys.executable, "-m", "cpplan", "--help"], capture_output=True, text=True, check=True)
    assert "emit" in result.stdout and "run" in result.stdout
