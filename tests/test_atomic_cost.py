"""What atomics cost: the reading of what is there as well as the writing, in the model, the solver and the oracle."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from emit.whole import simple_plan
from test_solver_equals_oracle import assert_same_answer

from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.frontend import read_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.layout import hardware_tiles, tile_bytes
from cpplan.tile.program import TileProgram

ROOT = Path(__file__).parents[1]


def program(file: str, sizes: str) -> TileProgram:
    (problem,) = read_launches(str(ROOT / file), argv=sizes.split()).problems
    return candidate_program(problem.families[0], 0)


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_every_block_reads_and_writes_its_tile(device: str) -> None:
    found = program("examples/split_k_matmul.py", "64 128 1024")
    chip = load_device(device, cores="2x2@0,0")
    cost = evaluate(found, chip, simple_plan(found, chip))
    blocks = math.prod(dim.extent for dim in found.dims)
    tile = next(a.tile for a in found.accesses if a.kind == "atomic")
    moved = blocks * int(hardware_tiles(tile, in_runs=False)) * tile_bytes("fp32")
    assert dict(cost.traffic)["c_ptr_old"] == dict(cost.traffic)["c_ptr"] == moved


@pytest.mark.parametrize(
    ("file", "sizes"),
    [
        ("examples/split_k_matmul.py", "32 128 512"),
        ("tests/emit/kernels/atomics.py", "column_sums 200 150"),
        ("tests/emit/kernels/atomics.py", "in_a_loop 200 150"),
    ],
)
def test_the_solver_finds_what_brute_force_finds(file: str, sizes: str) -> None:
    assert_same_answer(load_device("wormhole", cores="2x2@0,0"), [program(file, sizes)], 5)
