"""Free block-shape parameters: candidates and their integers, worked out by hand."""

from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import pytest

from cpplan.errors import InputError, KernelError
from cpplan.frontend import read_problems
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.forms import Factor, Form, Sizes, matching_forms
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Family, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"
MATMUL, ATTENTION = str(EXAMPLES / "matmul.py"), str(EXAMPLES / "attention.py")
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


def test_fixed_grid_leaves_the_block_that_it_was_made_for(caplog: pytest.LogCaptureFixture) -> None:
    (problem,) = read_problems(str(KERNELS / "rows.py"), argv=["fixed_grid"], free=["BLOCK"])
    assert [dict(block)["BLOCK"] for block in problem.families[0].blocks] == [64]
    assert "double_kernel takes no other block shape" in caplog.text
    assert "not all of y_ptr would be written along axis 0 by the launch grid (64, 1, 1)" in caplog.text


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


# -- which block shapes a kernel takes ---------------------------------------------------------------------------------


def choosy(name: str, size: int, *free: str) -> list[tuple[int, ...]]:
    """Candidates of a kernel that does not take all."""
    (problem,) = read_problems(str(KERNELS / "choosy.py"), argv=[name, str(size)], free=list(free))
    return [tuple(dict(block)[parameter] for parameter in free) for block in problem.families[0].blocks]


MULTIPLES = range(32, 4097, 32)


def test_assertions_of_the_kernel_are_asked_for_every_block_shape() -> None:
    blocks = range(32, 513, 32)
    assert choosy("ratio_assertion", 512, "ROWS", "BLOCK") == [
        (r, b) for r in blocks for b in blocks if 1 <= b // r <= 2
    ]


def test_assertions_may_be_about_what_a_called_function_computes() -> None:
    assert choosy("nested_assertion", 4096, "BLOCK") == [(b,) for b in MULTIPLES if b // 2 % 48 == 0 or b // 2 <= 64]


def test_causal_attention_takes_rows_that_are_whole_blocks_of_columns() -> None:
    (family,) = read_problems(ATTENTION, argv=["1", "4", "2", "480", "64"], free=["BLOCK_M", "BLOCK_N"])[0].families
    blocks = [(dict(block)["BLOCK_M"], dict(block)["BLOCK_N"]) for block in family.blocks]
    assert blocks == [(m, n) for m in range(32, 481, 32) for n in range(32, 481, 32) if m % n == 0]


def test_kernel_that_refuses_everything_says_why() -> None:
    with pytest.raises(
        KernelError, match=r"choosy\.py:\d+: .*static_assert\(BLOCK % 7 == 0\).* every other value of BLOCK"
    ):
        choosy("hopeless", 4096, "BLOCK")


def test_another_branch_of_the_kernel_is_no_candidate() -> None:
    assert choosy("branch", 4096, "BLOCK") == [(b,) for b in MULTIPLES if b <= 160]


def test_sizes_that_are_clipped_further_out_end_the_range() -> None:
    assert choosy("clipped", 4096, "BLOCK") == [(b,) for b in MULTIPLES if b <= 256]


def test_shapes_that_triton_refuses_and_those_that_no_integer_shape_fits_are_left_out() -> None:
    assert choosy("unsaid", 4096, "BLOCK") == [(b,) for b in MULTIPLES if b % 64 == 0]


def test_host_code_that_refuses_ends_the_range() -> None:
    assert choosy("host_limit", 4096, "BLOCK") == [(b,) for b in MULTIPLES if b <= 512]


@pytest.mark.parametrize(("name", "size"), [("floor_grid", 4096), ("floor_grid", 4000), ("even", 3072)])
def test_host_code_that_rounds_down_takes_blocks_that_divide(name: str, size: int) -> None:
    assert choosy(name, size, "BLOCK") == [(b,) for b in MULTIPLES if size % b == 0]


def test_blocks_that_would_write_into_the_next_chunk_are_left_out() -> None:
    assert choosy("chunked", 4096, "BLOCK") == [(b,) for b in MULTIPLES if 512 % b == 0]


def test_squares_are_closed_forms_too() -> None:
    assert choosy("square", 1_000_000, "BLOCK") == [(b,) for b in MULTIPLES if b <= 1024]


def test_parameter_that_tiles_nothing() -> None:
    with pytest.raises(InputError, match="SPLIT_K cannot be free: no tile of split_k_matmul_kernel grows with it"):
        read_problems(str(EXAMPLES / "split_k_matmul.py"), free=["SPLIT_K"])


# -- loops of varying length -------------------------------------------------------------------------------------------


def causal(length: int, rows: int, columns: int) -> tuple[list[int], list[int]]:
    """Trips of every block of rows: over whole blocks of columns before it, then beside it."""
    firsts = range(0, length, rows)
    beside = [-(-(min(first + rows, length) - first) // columns) for first in firsts]
    return [first // columns for first in firsts], beside


@pytest.mark.parametrize("length", [480, 500])
def test_causal_loops_are_counted_up_to_the_last_clipped_block(length: int) -> None:
    argv = ["1", "4", "2", str(length), "64"]
    (family,) = read_problems(ATTENTION, argv=argv, free=["BLOCK_M", "BLOCK_N"])[0].families
    for index, block in enumerate(family.blocks):
        before, beside = causal(length, dict(block)["BLOCK_M"], dict(block)["BLOCK_N"])
        first, second = candidate_program(family, index).loops
        heads = 4
        assert (first.trips, first.total_trips) == (max(before), heads * sum(before)), block
        assert (second.trips, second.total_trips) == (max(beside), heads * sum(beside)), block
        assert first.profile is not None
        assert [int(first.profile.at(i)) for i in range(len(before))] == before, block
        if second.profile is not None and min(beside) < max(beside):
            assert [int(second.profile.at(i)) for i in range(len(beside))] == beside, block


def test_chunk_scan_is_counted_for_every_block_shape() -> None:
    argv = ["2", "512", "4", "64", "1", "32", "256"]
    free = ["BLOCK_M", "BLOCK_N", "BLOCK_K"]
    ((family,),) = [p.families for p in read_problems(str(EXAMPLES / "mamba_chunk_scan.py"), argv=argv, free=free)]
    shapes = [tuple(dict(block)[name] for name in free) for block in family.blocks]
    # Decays are read without a mask, so that blocks of time have to divide a chunk.
    powers = (32, 64, 128, 256)
    assert shapes == [(m, n, k) for m in powers for n in (32, 64) for k in powers]
    for index, (m, n, k) in enumerate(shapes):
        trips = [-(-(tile + 1) * m // k) for tile in range(256 // m)]
        (loop,) = candidate_program(family, index).loops
        assert loop.trips == max(trips)
        assert (loop.total_trips or loop.trips * 2 * 2 * 4 * (256 // m) * (64 // n)) == 2 * 2 * 4 * (64 // n) * sum(
            trips
        )


def test_band_around_the_diagonal_is_counted_for_every_block_shape() -> None:
    size, width = 1000, 200
    (problem,) = read_problems(str(KERNELS / "choosy.py"), argv=["band", str(size)], free=["ROWS", "COLUMNS"])
    (family,) = problem.families
    for index in range(0, len(family.blocks), 97):
        rows, columns = dict(family.blocks[index])["ROWS"], dict(family.blocks[index])["COLUMNS"]
        spans = [min(first + rows + width, size) - max(first - width, 0) for first in range(0, size, rows)]
        trips = [-(-span // columns) for span in spans]
        (loop,) = candidate_program(family, index).loops
        assert (loop.trips, loop.total_trips or loop.trips * len(trips)) == (max(trips), sum(trips))


def same_program(one: TileProgram, other: TileProgram) -> bool:
    """Equal up to the sum of trips of loops that run equally often in all blocks, and up to the numbers by which
    profiles say the trips of each block."""
    one, other = without_even_sums(one), without_even_sums(other)
    return without_profiles(one) == without_profiles(other) and trips_by_block(one) == trips_by_block(other)


def trips_by_block(program: TileProgram) -> list[list[int]]:
    extents = {dim.name: dim.extent for dim in program.dims}
    profiles = [loop.profile for loop in program.loops if loop.profile is not None]
    trips = [[int(profile.at(block)) for block in range(extents[profile.dim])] for profile in profiles]
    return [counts for counts in trips if min(counts) < max(counts)]


def without_even_sums(program: TileProgram) -> TileProgram:
    blocks = prod(dim.extent for dim in program.dims)
    even = [loop.total_trips == loop.trips * blocks for loop in program.loops]
    loops = (replace(x, total_trips=None, profile=None) if e else x for x, e in zip(program.loops, even, strict=True))
    return replace(program, loops=tuple(loops))


def without_profiles(program: TileProgram) -> TileProgram:
    return replace(program, loops=tuple(replace(loop, profile=None) for loop in program.loops))


@pytest.mark.parametrize(
    ("name", "argv", "blocks"),
    [
        ("attention", "1 4 2 512 64", ({"BLOCK_M": 128, "BLOCK_N": 32}, {"BLOCK_M": 256, "BLOCK_N": 64})),
        ("attention", "1 4 2 500 64", ({"BLOCK_M": 128, "BLOCK_N": 32}, {"BLOCK_M": 256, "BLOCK_N": 64})),
        ("mamba_chunk_scan", "2 512 4 64 1 32 256", ({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32},)),
        ("layer_norm", "100 1000", ({"BLOCK_ROWS": 32, "BLOCK_COLUMNS": 256},)),
        ("swiglu", "100 1000", ({"BLOCK_M": 32, "BLOCK_N": 256},)),
        ("split_k_matmul", "64 512 2000", ({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 64},)),
    ],
)
def test_powers_of_two_of_other_kernels_equal_what_triton_lowers(
    name: str, argv: str, blocks: tuple[dict[str, int], ...]
) -> None:
    path = str(EXAMPLES / f"{name}.py")
    (family,) = read_problems(path, argv=argv.split(), free=list(blocks[0]))[0].families
    launch = capture_launches(path, argv=argv.split())[0]
    for values in blocks:
        index = next(i for i, block in enumerate(family.blocks) if values.items() <= dict(block).items())
        assert launch.replay is not None
        lowered = build(launch.replay(values)).program
        assert same_program(candidate_program(family, index), lowered)


# -- closed forms ------------------------------------------------------------------------------------------------------


def test_forms_are_found_simplest_first() -> None:
    points, sizes, none = np.array([[32, 32], [64, 32], [32, 64], [128, 64]]), Sizes((1000,), (250,)), Sizes(())
    m, n = points.T
    assert matching_forms(-(-1000 // m), points, sizes) == [Form((Factor((0,), 1000),))]
    assert matching_forms(-(-1000 // (4 * m)), points, sizes) == [Form((Factor((0,), 250),))]
    assert matching_forms(m * n, points, sizes) == [Form((Factor((0, 1)),))]
    assert matching_forms(-3 * n, points, none) == [Form((Factor((1,)),), -3)]
    assert matching_forms(np.full(4, 7), points, none) == [Form((), 7)]
    assert matching_forms(5 * m * m, points, none) == [Form((Factor((0, 0)),), 5)]
    assert matching_forms(m // 16, points, none) == [Form((Factor((0,), over=16),))]
    assert matching_forms(m // n * 3, points, none)[0].at(points).tolist() == [3, 6, 0, 6]
    assert matching_forms(m + 1, points, sizes) == [Form((Factor((0,)),), 1, 1)]
    assert matching_forms(m**2 + n, points, sizes) == []


def test_quotients_that_round_down_are_told_from_others_where_they_differ() -> None:
    points = np.array([[32], [64], [96]])
    assert matching_forms(1024 // points[:, 0], points, Sizes((1024,)), down=True) == [
        Form((Factor((0,), 1024, True),))
    ]
    assert matching_forms(-(-1024 // points[:, 0]), points, Sizes((1024,)), down=True) == [Form((Factor((0,), 1024),))]


def test_forms_know_where_they_are_whole() -> None:
    table = np.array([[32], [96], [100]])
    assert Factor((0,), over=64).is_whole(table).tolist() == [False, False, False]
    assert Factor((0,), over=32).is_whole(table).tolist() == [True, True, False]
    assert Factor((0,), 192).divides(table).tolist() == [True, True, False]
