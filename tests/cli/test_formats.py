"""``--format`` on the commands that take a kernel file, and what its plans and programs say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import cpplan as package
from cpplan.cli import main
from cpplan.errors import InputError

KERNELS = Path(__file__).with_name("kernels.py")
STORED = Path(__file__).parents[1] / "frontend" / "kernels" / "stored.py"
SMALL = ("--cores", "2x2@1,1")
BOTH = ("--format", "a=bfp8_b", "--format", "b=bfp8_b")
LARGE = "product(256, 128, 2048, 256, 128, 2048)"
"""One block of 256x2048 by 2048x128."""


def cpplan(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def data(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    result = cpplan(*arguments, "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("command", ["solve", "inspect", "explain", "emit", "run"])
def test_every_command_that_takes_a_launch_takes_formats(command: str) -> None:
    assert "--format TENSOR=FORMAT" in cpplan(command, "--help").output


def test_inspect_shows_the_tensor_as_it_is_stored() -> None:
    text = cpplan("inspect", KERNELS, *BOTH).output
    assert "a=bf16[128,128] as bfp8_b" in text
    assert "%a = tile.tensor : memref<128x128xbfp8_b" in text
    assert "%c = tile.tensor : memref<128x128xf32" in text


def test_a_plan_says_what_is_stored_how(tmp_path: Path) -> None:
    """Hardware tiles: 16 of A, of B and of C. Every byte that is moved is one of their pages."""
    data("solve", KERNELS, "--device", "wormhole", *SMALL, *BOTH, "--out", tmp_path)
    plan = json.loads(next(tmp_path.glob("*/plan-1.json")).read_text())
    assert plan["kernel"]["arguments"]["a"] == "bf16[128,128] as bfp8_b"
    assert {t["name"]: t["dtype"] for t in plan["kernel"]["tensors"]} == {"a": "bfp8_b", "b": "bfp8_b", "c": "fp32"}
    traffic = {item["name"]: item["bytes"] for item in plan["cost"]["traffic"]}
    assert traffic["a"] % (16 * 1088) == traffic["b"] % (16 * 1088) == 0
    assert traffic["c"] == 16 * 4096


def test_a_plan_may_fit_only_as_it_is_stored(tmp_path: Path) -> None:
    """Blocks of 512, 256 and 32 hardware tiles, the last of bf16: 1.6 MB of 1.4, or 0.9."""
    solve = ("solve", STORED, "--entry", LARGE, "--device", "wormhole", *SMALL, "--out", tmp_path)
    (plain,) = data(*solve, code=3)["problems"]
    (stored,) = data(*solve, *BOTH)["problems"]
    assert plain["status"] == "infeasible"
    (plan,) = stored["plans"]
    assert plan["sram_bytes"] == (512 + 256) * 1088 + 32 * 2048
    assert (512 + 256) * 2048 + 32 * 2048 > plan["sram_limit_bytes"] > plan["sram_bytes"]


def test_a_program_comes_from_the_plan_file_alone(tmp_path: Path) -> None:
    data("solve", KERNELS, "--device", "blackhole", *SMALL, *BOTH, "--out", tmp_path)
    record = data("emit", next(tmp_path.glob("*/plan-1.json")), "--out", tmp_path / "program")
    pages = {buffer["name"]: (buffer["format"], buffer["page_bytes"]) for buffer in record["buffers"]}
    assert pages["a"] == pages["b"] == ("bfp8_b", 1088)
    assert 'STORED_AS = {"a": "bfloat8_b", "b": "bfloat8_b"}' in (tmp_path / "program" / "host.py").read_text()


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_run_compares_on_numbers_that_the_format_has(device: str) -> None:
    """The interpreter gets them, too. The unit drops the last bit of a factor in bf16, and none of these: only sums in
    fp32 are left."""
    plain = data("run", KERNELS, "--device", device, *SMALL)
    stored = data("run", KERNELS, "--device", device, *SMALL, *BOTH)
    assert plain["equal"] and stored["equal"]
    assert stored["tolerance"] < plain["tolerance"] / 4
    assert stored["max_abs_error"] < plain["max_abs_error"] / 100
    assert all(stored["dram_bytes"][tensor]["read"] % (16 * 1088) == 0 for tensor in "ab")


@pytest.mark.parametrize(("rows", "cores"), [(96, 2), (160, 4)])
def test_blocks_beyond_the_grid_need_no_fill(rows: int, cores: int) -> None:
    """3 blocks for 2 cores, 5 for 4: the kernel would put -inf beyond the rows, but no block of it reaches there."""
    softmax = Path(__file__).parents[2] / "examples" / "softmax.py"
    stored = ("--format", "x_ptr=bfp8_b", "--format", "y_ptr=bfp8_b")
    pinned = ("--pin", "BLOCK_ROWS=32", "--pin", f"row.cores={cores}")
    result = cpplan("run", softmax, "--device", "wormhole", *SMALL, *stored, *pinned, "--", rows, 128)
    assert result.exit_code == 0, result.output
    assert "equal to Triton's interpreter" in result.output


def test_devices_that_do_not_compute_with_the_format_say_so(tmp_path: Path) -> None:
    result = cpplan("solve", KERNELS, "--device", "amd_xdna2_8x4", *BOTH, "--out", tmp_path)
    assert result.exit_code == 2
    assert "--format a=bfp8_b: amd_xdna2_8x4 does not compute with bfp8_b" in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["solve", "run"])
def test_what_cannot_be_stored_ends_the_command(command: str, tmp_path: Path) -> None:
    out = ("--out", tmp_path) if command == "solve" else ()
    result = cpplan(command, KERNELS, "--device", "wormhole", "--format", "d=bfp8_b", *out)
    assert result.exit_code == 2
    assert "--format d=bfp8_b: product has no tensor of that name; there is a, b, c" in result.output


def test_tt_lang_has_no_blocks_of_the_format(tmp_path: Path) -> None:
    result = cpplan("emit", KERNELS, "--device", "wormhole", *SMALL, *BOTH, "--target", "ttlang", "--out", tmp_path)
    assert result.exit_code == 2
    assert "a has elements of bfp8_b, blocks have" in result.output


def test_from_python() -> None:
    """The same plan with the same bytes; a plan that was scored without formats is scored with them."""
    args = {"a": "bf16[256,128]", "b": "bf16[128,64]", "c": "bf16[256,64]", "M": 256, "N": 64, "K": 128}
    launch: dict[str, Any] = {
        "device": "wormhole_8x1", "args": args, "constexprs": {"BM": 64, "BN": 32, "BK": 32}, "grid": (4, 2),
    }  # fmt: skip
    kernel = _kernel()
    stored = package.solve(kernel, formats={"a": "bfp8_b", "b": "bfp8_b"}, **launch)
    plain = package.evaluate(kernel, stored.plans[0].plan, **launch)
    again = package.evaluate(kernel, stored.plans[0].plan, formats={"a": "bfp8_b", "b": "bfp8_b"}, **launch)
    assert again.cost is not None and plain.cost is not None
    assert again.cost == stored.plans[0].cost
    assert again.cost.makespan_cycles < plain.cost.makespan_cycles
    with pytest.raises(InputError, match="product_kernel has no tensor of that name"):
        package.solve(kernel, formats={"x": "bfp8_b"}, **launch)


def _kernel() -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location("stored_kernels", STORED)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.product_kernel
