"""Free block-shape parameters: candidates and their integers, worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from cpplan.errors import InputError
from cpplan.frontend import read_problems
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.forms import Factor, Form, matching_forms
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Family, TileProgram

MATMUL = str(Path(__file__).parents[2] / "examples" / "matmul.py")
KERNELS = Path(__file__).parent / "kernels"
FREE = ["BLOCK_M", "BLOCK_N", "BLOCK_K"]


def free_matmul(sizes: str, sram_limit: int | None = 1_000_000, free: list[str] = FREE) -> Family:
    (problem,) = read_problems(MATMUL, argv=sizes.split(), free=free, sram_limit=sram_limit)
    (family,) = problem.families
    return family


def at(family: Family, *values: int) -> TileProgram:
    shapes = [tuple(v for name, v in block if name in FREE) for block in family.blocks]
    return candidate_program(family, shapes.index(values))


def test_candidate_of_96_by_160_by_64() -> None:
    program = at(free_matmul("4096 4096 4096"), 96, 160, 64)
    assert [(d.name, d.extent) for d in program.dims] == [("pid_m", 43), ("pid_n", 26)]  # 4096/96, 4096/160 rounded up
    assert program.loops[0].trips == 64
    a, b, c = program.accesses
    assert (a.tile, b.tile, c.tile) == ((96, 64), (64, 160), (96, 160))
    assert (a.masked, b.masked, c.masked) == ((True, False), (False, True), (True, True))
    assert dict(a.starts[0].terms) == {"pid_m": 96}
    assert program.buffers[0].shape == (96, 160)
    assert dict(next(op for op in program.ops if op.kind == "dot").attributes) == {"k": 64}


def test_candidate_of_ragged_sizes() -> None:
    program = at(free_matmul("1000 900 500"), 96, 160, 96)
    assert [d.extent for d in program.dims] == [11, 6]
    assert program.loops[0].trips == 6
    assert all(all(access.masked) for access in program.accesses)


def test_powers_of_two_equal_what_triton_lowers() -> None:
    family = free_matmul("1024 512 768")
    (launch, *_) = capture_launches(MATMUL, argv=["1024", "512", "768"])
    for values in ((32, 256, 64), (128, 64, 256), (64, 64, 512)):
        assert launch.replay is not None
        lowered = build(launch.replay(dict(zip(FREE, values, strict=True)))).program
        assert at(family, *values) == lowered


def test_loop_with_one_trip_stays_a_loop() -> None:
    program = at(free_matmul("256 256 64"), 64, 64, 64)
    assert [(loop.name, loop.trips) for loop in program.loops] == [("k", 1)]


def test_parameters_end_at_the_padded_size_they_tile() -> None:
    family = free_matmul("100 128 512", sram_limit=None)
    blocks = np.array([[value for name, value in block if name in FREE] for block in family.blocks])
    assert blocks.max(axis=0).tolist() == [128, 128, 512]
    assert len(blocks) == 4 * 4 * 16


def test_candidates_that_cannot_fit_are_left_out() -> None:
    limit = 200_000
    for block in free_matmul("1024 1024 1024", sram_limit=limit).blocks:
        m, n, k = (value for name, value in block if name in FREE)
        assert 2 * (m * k + k * n + m * n) + 4 * m * n <= limit  # bf16 tiles of A, B, C and an fp32 accumulator


def test_nothing_fits() -> None:
    """The smallest shape is left, for the solver to say why it does not fit."""
    (block,) = free_matmul("1024 1024 1024", sram_limit=1000).blocks
    assert [value for name, value in block if name in FREE] == [32, 32, 32]


def test_tens_of_thousands_of_candidates_are_stacked_arrays() -> None:
    family = free_matmul("4096 4096 4096", sram_limit=3_000_000)
    assert len(family.blocks) > 30_000
    assert family.stacked.dims[0].extent.dtype == np.int64  # type: ignore[attr-defined]
    assert family.stacked.accesses[0].masked[0].shape == (len(family.blocks),)  # type: ignore[attr-defined]


def test_kernel_without_masks_gets_only_blocks_that_divide() -> None:
    (problem,) = read_problems(str(KERNELS / "rows.py"), argv=["double", "4096"], free=["BLOCK"])
    blocks = [dict(block)["BLOCK"] for block in problem.families[0].blocks]
    assert blocks == [b for b in range(32, 4097, 32) if 4096 % b == 0]


def test_fixed_grid_cannot_follow_a_free_parameter() -> None:
    with pytest.raises(InputError, match="does not follow the free parameters"):
        read_problems(str(KERNELS / "rows.py"), argv=["fixed_grid"], free=["BLOCK"])


def test_fixed_grid_over_rows_leaves_the_column_block_free() -> None:
    (problem,) = read_problems(str(KERNELS / "rows.py"), argv=["layer_norm", "64", "1000"], free=["BLOCK"])
    (family,) = problem.families
    assert [dict(block)["BLOCK"] for block in family.blocks] == list(range(32, 1025, 32))
    program = candidate_program(family, 2)
    assert (program.dims[0].extent, [loop.trips for loop in program.loops]) == (64, [11, 11, 11])  # 1000 by 96


def test_causal_trips_are_counted_for_every_block_shape() -> None:
    (problem, _) = read_problems(str(KERNELS / "attention.py"), free=["BLOCK_M", "BLOCK_N"])
    (family,) = problem.families
    index = [(dict(b)["BLOCK_M"], dict(b)["BLOCK_N"]) for b in family.blocks].index((128, 32))
    (loop,) = candidate_program(family, index).loops
    assert (loop.trips, loop.total_trips) == (16, 2 * 8 * (4 + 8 + 12 + 16))


def test_unknown_free_parameter() -> None:
    with pytest.raises(InputError, match="free parameter BM: matmul_kernel has no integer constexpr of that name"):
        free_matmul("512 512 512", free=["BM"])
    with pytest.raises(InputError, match=r"free parameter ACTIVATION: .*; there is BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M"):
        free_matmul("512 512 512", free=["ACTIVATION"])


def test_forms_are_found_simplest_first() -> None:
    points = np.array([[32, 32], [64, 32], [32, 64], [128, 64]])
    rows = -(-1000 // points[:, 0])
    assert matching_forms(rows, points, [1000]) == [Form((Factor((0,), 1000),))]
    assert matching_forms(points[:, 0] * points[:, 1], points, [1000]) == [Form((Factor((0, 1)),))]
    assert matching_forms(-3 * points[:, 1], points, []) == [Form((Factor((1,)),), -3)]
    assert matching_forms(np.full(4, 7), points, []) == [Form((), 7)]
    assert matching_forms(points[:, 0] ** 2 + 1, points, [1000]) == []
