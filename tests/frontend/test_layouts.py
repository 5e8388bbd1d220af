"""Which real kernels lie in runs of contiguous elements, and what follows for traffic and memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cpplan.cost.streams import tile_size
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.frontend import read_problems
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.layout import layout_of
from cpplan.tile.program import Problem, TileProgram

ROWS = Path(__file__).parent / "kernels" / "rows.py"
EXAMPLES = Path(__file__).parents[2] / "examples"
BF16 = 2


def example(name: str, *argv: int, free: tuple[str, ...] = (), sram_limit: int | None = None) -> Problem:
    path = str(EXAMPLES / f"{name}.py")
    (problem,) = read_problems(path, argv=[str(n) for n in argv], free=free, sram_limit=sram_limit)
    return problem


def candidates(problem: Problem) -> list[TileProgram]:
    return [candidate_program(family, i) for family in problem.families for i in range(len(family.blocks))]


@pytest.mark.parametrize(
    ("kernel", "layout"),
    [
        ("softmax", "runs"),
        ("layer_norm", "runs"),
        ("double", "runs"),
        ("gather", "runs"),  # whole rows from places that are read from memory
        ("while_loop", "runs"),
        ("pairs", "tiles"),  # every other element
        ("transpose", "tiles"),
    ],
)
def test_row_kernels(kernel: str, layout: str) -> None:
    (launch,) = capture_launches(str(ROWS), argv=[kernel])
    assert layout_of(build(launch).program) == layout


def test_block_shapes_of_one_launch_differ_in_layout() -> None:
    layouts = {dict(p.block)["BLOCK_ROWS"]: layout_of(p) for p in candidates(example("softmax"))}
    assert layouts == {1: "runs", 4: "tiles", 32: "tiles", 64: "tiles"}


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_elementwise_traffic_is_the_size_of_the_tensors(device: str) -> None:
    solution = solve(example("elementwise", 512, 1024), load_device(device))
    assert solution.plans[0].cost.dram_bytes == 3 * 512 * 1024 * BF16


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("columns", "fits"), [(16384, True), (65536, True), (131072, False)])
def test_softmax_of_long_rows_fits_when_its_bytes_do(device: str, columns: int, fits: bool) -> None:
    """In SRAM: a row of X and of Y in bf16, and of two intermediates in fp32."""
    target = load_device(device)
    assert ((2 * BF16 + 2 * 4) * columns <= target.sram.usable) == fits
    solution = solve(example("softmax", 480, columns), target)
    assert bool(solution.plans) == fits
    if fits:
        assert dict(solution.plans[0].plan.block)["BLOCK_ROWS"] == 1
        assert solution.plans[0].cost.dram_bytes == 2 * 480 * columns * BF16


def test_a_bias_row_beside_matrices_takes_one_hardware_tile_per_32_columns() -> None:
    for program in candidates(example("matmul_bias_activation", 512, 512, 256)):
        bias = next(a for a in program.accesses if a.tensor == "bias_ptr")
        assert layout_of(program) == "tiles"
        assert tile_size(program, bias).pages == dict(program.block)["BLOCK_N"] // 32


def test_free_block_shapes_in_runs_are_limited_by_their_bytes() -> None:
    limit = 600_000
    (family,) = example("elementwise", 1024, 1024, free=("BLOCK",), sram_limit=limit).families
    assert np.all(family.stacked.in_runs)
    largest = max(dict(block)["BLOCK"] for block in family.blocks)
    assert largest == limit // (3 * 1024 * BF16) * 1024
