"""The tile program of every example at its own sizes: box, loops and accesses, counted by hand from the text."""

import itertools
from pathlib import Path

import pytest

from cpplan.frontend import read_problems
from cpplan.tile.family import candidate_program
from cpplan.tile.mlir import parse_program, print_program
from cpplan.tile.program import Problem, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"

_read: dict[tuple[str, tuple[int, ...]], list[Problem]] = {}


def read(name: str, *argv: int) -> list[Problem]:
    if (name, argv) not in _read:
        _read[name, argv] = read_problems(str(EXAMPLES / f"{name}.py"), argv=[str(n) for n in argv])
    return _read[name, argv]


def candidates(problem: Problem) -> list[TileProgram]:
    return [candidate_program(family, i) for family in problem.families for i in range(len(family.blocks))]


def program(name: str, *argv: int, kernel: int = 0, **block: int) -> TileProgram:
    """The candidate of launch number ``kernel`` whose block parameters include the given ones."""
    return next(p for p in candidates(read(name, *argv)[kernel]) if block.items() <= dict(p.block).items())


def box(tile_program: TileProgram) -> dict[str, int]:
    return {dim.name: dim.extent for dim in tile_program.dims}


def trips(tile_program: TileProgram) -> dict[str, int]:
    return {loop.name: loop.trips for loop in tile_program.loops}


def accesses(tile_program: TileProgram) -> dict[str, tuple[str, tuple[int, ...], list[dict[str, int]]]]:
    """Kind, tile and the terms of each start, by access."""
    return {a.name: (a.kind, a.tile, [dict(s.terms) for s in a.starts]) for a in tile_program.accesses}


def kinds(tile_program: TileProgram) -> list[str]:
    return [op.kind for op in tile_program.ops if op.kind not in ("constant", "cast", "reshape", "broadcast")]


@pytest.mark.parametrize("name", sorted({path.stem for path in EXAMPLES.glob("*.py")} - {"helion_matmul"}))
def test_all_accesses_are_affine_and_the_program_survives_its_text_form(name: str) -> None:
    for problem in read(name):
        for tile_program in candidates(problem):
            assert {access.klass for access in tile_program.accesses} == {"affine"}
            assert not any(access.note for access in tile_program.accesses)
            assert parse_program(print_program(tile_program)) == tile_program


def test_softmax_is_rows_of_whole_columns() -> None:
    found = program("softmax", 4096, 2048, BLOCK_ROWS=32)
    assert (box(found), found.loops) == ({"row": 128}, ())
    assert accesses(found) == {
        "x_ptr": ("load", (32, 2048), [{"row": 32}, {}]),
        "y_ptr": ("store", (32, 2048), [{"row": 32}, {}]),
    }
    assert kinds(found) == ["reduce_max", "sub", "exp", "reduce_sum", "div"]


def test_softmax_fills_ragged_rows_with_minus_infinity() -> None:
    found = program("softmax", 1000, 1500, BLOCK_ROWS=64)
    assert box(found) == {"row": 16}
    assert [(a.tile, a.masked) for a in found.accesses] == [((64, 2048), (True, True))] * 2
    (fill,) = (op for op in found.ops if op.kind == "fill")
    assert dict(fill.attributes) == {"value": "-inf"}


def test_layer_norm_reads_its_rows_three_times_in_three_loops() -> None:
    found = program("layer_norm", 4096, 4096, BLOCK_ROWS=32, BLOCK_COLUMNS=256)
    assert box(found) == {"row": 128}
    assert [(loop.trips, loop.parent) for loop in found.loops] == [(16, None)] * 3
    first, second, third = (loop.name for loop in found.loops)
    assert accesses(found) == {
        "x_ptr": ("load", (32, 256), [{"row": 32}, {first: 256}]),
        "x_ptr_2": ("load", (32, 256), [{"row": 32}, {second: 256}]),
        "mean_ptr": ("store", (32,), [{"row": 32}]),
        "rstd_ptr": ("store", (32,), [{"row": 32}]),
        "w_ptr": ("load", (256,), [{third: 256}]),
        "b_ptr": ("load", (256,), [{third: 256}]),
        "x_ptr_3": ("load", (32, 256), [{"row": 32}, {third: 256}]),
        "y_ptr": ("store", (32, 256), [{"row": 32}, {third: 256}]),
    }
    assert kinds(found).count("reduce_sum") == 2


def test_rms_norm_writes_both_outputs_of_a_block_of_rows() -> None:
    found = program("rms_norm_residual", 4096, 4096)
    assert (box(found), found.loops) == ({"row": 128}, ())
    rows = [{"row": 32}, {}]
    assert accesses(found) == {
        "x_ptr": ("load", (32, 4096), rows),
        "r_ptr": ("load", (32, 4096), rows),
        "h_ptr": ("store", (32, 4096), rows),
        "w_ptr": ("load", (4096,), [{}]),
        "y_ptr": ("store", (32, 4096), rows),
    }


def test_swiglu_reads_both_halves_of_a_row() -> None:
    found = program("swiglu", 4096, 14336, BLOCK_M=64, BLOCK_N=256)
    assert sorted(box(found).values()) == [56, 64]
    gate, up, y = found.accesses
    assert (gate.tile, up.tile, y.tile) == ((64, 256),) * 3
    assert gate.indices == up.indices == y.indices == set(box(found))
    assert [start.const for start in up.starts] == [0, 14336]


def test_ragged_halves_are_an_axis_of_their_own() -> None:
    found = program("swiglu", 33, 300, BLOCK_M=32, BLOCK_N=128)
    assert found.tensor("x_ptr").shape == (33, 2, 300)
    gate, up, _ = found.accesses
    assert ([start.const for start in gate.starts], [start.const for start in up.starts]) == ([0, 0, 0], [0, 1, 0])
    assert gate.masked == up.masked == (True, False, True)


def test_linear_layer_reads_its_weight_by_output_feature() -> None:
    found = program("matmul_bias_activation", 4096, 4096, 1024, BLOCK_M=128, BLOCK_N=256)
    assert (box(found), trips(found)) == ({"pid_m": 32, "pid_n": 16}, {"k": 16})
    assert accesses(found) == {
        "x_ptr": ("load", (128, 64), [{"pid_m": 128}, {"k": 64}]),
        "w_ptr": ("load", (256, 64), [{"pid_n": 256}, {"k": 64}]),
        "bias_ptr": ("load", (256,), [{"pid_n": 256}]),
        "y_ptr": ("store", (128, 256), [{"pid_m": 128}, {"pid_n": 256}]),
    }
    assert kinds(found)[:2] == ["transpose", "dot"]


def test_split_k_adds_the_parts_of_a_tile() -> None:
    found = program("split_k_matmul", 64, 4096, 16384, BLOCK_M=32, BLOCK_N=128, SPLIT_K=8)
    assert (box(found), trips(found)) == ({"tile_m": 2, "tile_n": 32, "part": 8}, {"step": 32})
    assert accesses(found) == {
        "a_ptr": ("load", (32, 64), [{"tile_m": 32}, {"part": 64, "step": 512}]),
        "b_ptr": ("load", (64, 128), [{"part": 64, "step": 512}, {"tile_n": 128}]),
        "c_ptr_old": ("load", (32, 128), [{"tile_m": 32}, {"tile_n": 128}]),
        "c_ptr": ("atomic", (32, 128), [{"tile_m": 32}, {"tile_n": 128}]),
    }
    assert (found.accesses[-1].replaces, kinds(found)[-1]) == ("c_ptr_old", "add")


def test_persistent_programs_become_the_tiles_they_walk_over() -> None:
    found = program("persistent_matmul", 8192, 8192, 512, BLOCK_M=128, BLOCK_N=128)
    assert (box(found), trips(found)) == ({"tile_m": 64, "tile_n": 64}, {"k": 8})
    assert accesses(found) == {
        "a_desc": ("load", (128, 64), [{"tile_m": 128}, {"k": 64}]),
        "b_desc": ("load", (128, 64), [{"tile_n": 128}, {"k": 64}]),
        "c_desc": ("store", (128, 128), [{"tile_m": 128}, {"tile_n": 128}]),
    }


def test_causal_attention_has_loops_with_the_trips_of_each_block() -> None:
    found = program("attention", 1, 32, 8, 4096, 128, BLOCK_M=128, BLOCK_N=64)
    extents = box(found)
    assert (extents["kv_head"], extents["block"], sorted(extents.values())) == (8, 32, [4, 8, 32])
    before, beside = found.loops
    assert (before.trips, before.total_trips) == (62, 32 * sum(2 * block for block in range(32)))
    assert (beside.trips, beside.total_trips) == (2, None)
    touched = accesses(found)
    assert touched["k_ptr"] == ("load", (1, 1, 64, 128), [{}, {"kv_head": 1}, {before.name: 64}, {}])
    assert touched["k_ptr_2"] == (
        "load", (1, 1, 64, 128), [{}, {"kv_head": 1}, {"block": 128, beside.name: 64}, {}],
    )  # fmt: skip
    assert kinds(found).count("dot") == 4 and kinds(found).count("mask") == 1  # only the second loop is masked


def test_full_attention_has_one_loop_over_all_keys() -> None:
    found = program("attention", 2, 32, 8, 4096, 128, kernel=1, BLOCK_M=128, BLOCK_N=128)
    assert sorted(box(found).values()) == [2, 4, 8, 32]  # batch, heads per key head, key heads, blocks of rows
    assert [(loop.trips, loop.total_trips) for loop in found.loops] == [(32, None)]
    assert len(found.loops[0].carries) == 3
    keys = next(a for a in found.accesses if a.name == "k_ptr")
    assert {box(found).get(name) for name in keys.indices} == {2, 8, None}  # shared by the heads of a group


def test_decoding_stacks_the_heads_of_a_key_head_and_splits_the_cache() -> None:
    found = program("flash_decode", 8, 32, 8, 16384, 128, 8, BLOCK_N=128)
    assert (box(found), trips(found)) == ({"batch": 8, "kv_head": 8, "part": 8}, {"start": 16})
    assert found.tensor("q_ptr").shape == (8, 8, 4, 128)  # four of sixteen rows are heads of the group
    q, k, _, part, lse = found.accesses
    assert (q.tile, q.masked) == ((1, 1, 16, 128), (False, False, True, False))
    assert [dict(s.terms) for s in k.starts] == [{"batch": 1}, {"kv_head": 1}, {"part": 2048, "start": 128}, {}]
    assert (part.tile, lse.tile) == ((1, 1, 16, 1, 128), (1, 1, 16, 1))


def test_a_part_that_ends_early_is_masked_by_both_of_its_ends() -> None:
    """Where ``last`` is the smaller of two numbers, a column lies before it if it lies before both."""
    found = program("flash_decode", 1, 6, 2, 1000, 64, 3, BLOCK_N=64)
    (mask,) = (op for op in found.ops if op.kind == "mask" and op.shape[-1] == 64)
    forms: dict[str, dict[str, int]] = {}
    for name, factor in mask.attributes:
        forms.setdefault(name.partition(".")[0], {})[name.partition(".")[2]] = int(factor)
    for part, start, lane in itertools.product(range(3), range(6), range(64)):
        index = {"const": 1, "part": part, "start": start, f"lane{len(mask.shape) - 1}": lane}
        inside = all(sum(factor * index[name] for name, factor in form.items()) >= 0 for form in forms.values())
        column = 384 * part + 64 * start + lane
        assert inside == (column < min(384 * part + 384, 1000))


def test_decoding_combines_all_parts_of_a_head() -> None:
    found = program("flash_decode", 8, 32, 8, 16384, 128, 8, kernel=1)
    assert (box(found), found.loops) == ({"batch": 8, "head": 32}, ())
    head = [{"batch": 1}, {"head": 1}, {}]
    assert accesses(found) == {
        "lse_ptr": ("load", (1, 1, 8), head),
        "part_ptr": ("load", (1, 1, 8, 128), [*head, {}]),
        "o_ptr": ("store", (1, 1, 128), head),
    }


def test_free_parameters_concern_the_kernels_that_have_them() -> None:
    argv = ["8", "32", "8", "16384", "128", "8"]
    part, combine = read_problems(str(EXAMPLES / "flash_decode.py"), argv=argv, free=["BLOCK_N"], sram_limit=1 << 20)
    sizes = [dict(p.block)["BLOCK_N"] for p in candidates(part)]
    assert sizes[:3] == [32, 64, 96] and sizes == sorted(sizes)
    assert combine == read("flash_decode", 8, 32, 8, 16384, 128, 8)[1]


def test_chunk_decay_is_a_scan_over_the_time_of_a_chunk() -> None:
    found = program("mamba_chunk_state", 2, 2048, 64, 64, 1, 128, 256)
    assert box(found) == {"batch": 2, "chunk": 8, "head": 2}
    (scan,) = (op for op in found.ops if op.kind == "scan_sum")
    assert (scan.shape, dict(scan.attributes)) == ((32, 256), {"axis": 1})


def test_chunk_state_is_a_product_over_the_time_of_a_chunk() -> None:
    found = program("mamba_chunk_state", 2, 2048, 32, 64, 1, 128, 256, kernel=1, BLOCK_M=32, BLOCK_N=64)
    assert box(found) == {"batch": 2, "chunk": 8, "head": 32, "tile_m": 2, "tile_n": 2}
    assert trips(found) == {"k": 8}
    touched, head = accesses(found), [{"batch": 1}, {"chunk": 256, "k": 32}, {"head": 1}]
    assert touched["x_ptr"] == ("load", (1, 32, 1, 32), [*head, {"tile_m": 32}])
    assert touched["b_ptr"] == ("load", (1, 32, 1, 64), [*head[:2], {}, {"tile_n": 64}])
    assert touched["state_ptr"] == (
        "store", (1, 1, 1, 32, 64), [{"batch": 1}, {"chunk": 1}, {"head": 1}, {"tile_m": 32}, {"tile_n": 64}],
    )  # fmt: skip


def test_chunk_scan_looks_back_inside_its_chunk() -> None:
    found = program("mamba_chunk_scan", 2, 2048, 32, 64, 1, 128, 256, BLOCK_M=64, BLOCK_N=32)
    assert box(found) == {"batch": 2, "chunk": 8, "head": 32, "tile_m": 4, "tile_n": 2}
    (loop,) = found.loops
    assert (loop.trips, loop.total_trips) == (8, 2 * 8 * 32 * 2 * (2 + 4 + 6 + 8))
    touched = accesses(found)
    assert touched["x_ptr"] == (
        "load", (1, 32, 1, 32), [{"batch": 1}, {"chunk": 256, "k": 32}, {"head": 1}, {"tile_n": 32}],
    )  # fmt: skip
    assert touched["state_ptr"][1] == (1, 1, 1, 32, 128)
    assert kinds(found).count("dot") == 3
