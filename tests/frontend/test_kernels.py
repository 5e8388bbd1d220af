"""Kernel styles found in the wild, each with the box, loops and accesses that follow from its text."""

from pathlib import Path

import pytest

from cpplan.errors import KernelError
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.program import Access, TileProgram

KERNELS = Path(__file__).parent / "kernels"


def program(name: str, *argv: object, position: int = 0, mode: str = "fake") -> TileProgram:
    launches = capture_launches(str(KERNELS / name), argv=[str(a) for a in argv], mode=mode)
    return build(launches[position]).program


def starts(access: Access) -> list[dict[str, int]]:
    return [dict(start.terms) for start in access.starts]


def extents(tile_program: TileProgram) -> dict[str, int]:
    return {dim.name: dim.extent for dim in tile_program.dims}


def access(tile_program: TileProgram, name: str) -> Access:
    return next(a for a in tile_program.accesses if a.name == name)


def test_causal_attention_counts_its_iterations_exactly() -> None:
    tile_program = program("attention.py")
    (loop,) = tile_program.loops
    assert loop.trips == 8  # the last of 4 row blocks sees 512 / 64 column blocks
    assert loop.total_trips == 2 * 8 * (2 + 4 + 6 + 8)  # batch x heads x row blocks of 128 over column blocks of 64
    assert len(loop.carries) == 3


def test_attention_shares_keys_between_grouped_heads() -> None:
    tile_program = program("attention.py", position=1)
    sizes = extents(tile_program)
    assert sorted(sizes.values()) == [2, 2, 4, 4]  # batch, kv heads, heads per kv head, row blocks
    k_dims = access(tile_program, "k_ptr").indices
    assert sorted(sizes[name] for name in k_dims if name in sizes) == [2, 2]
    assert tile_program.loops[0].total_trips is None


def test_keys_loaded_across_their_axes_are_transposed_into_a_buffer() -> None:
    tile_program = program("attention.py", position=1)
    transpose = next(op for op in tile_program.ops if op.kind == "transpose")
    assert transpose.operands == (access(tile_program, "k_ptr").value,)
    assert transpose.name in {buffer.name for buffer in tile_program.buffers}


def test_causal_mask_stays_in_the_body() -> None:
    mask = next(op for op in program("attention.py").ops if op.kind == "mask")
    assert dict(mask.attributes) == {"0.const": 0, "0.lane0": 1, "0.lane1": -1, "0.block_m": 128, "0.n": -64}


def test_persistent_matmul_is_unrolled_to_its_tiles() -> None:
    tile_program = program("matmuls.py", "persistent", 8192, 8192, 512)
    assert extents(tile_program) == {"block_m": 64, "block_n": 64}
    assert [loop.trips for loop in tile_program.loops] == [8]


def test_clamped_rows_under_a_store_mask_are_an_edge() -> None:
    tile_program = program("matmuls.py", "persistent", 1000, 900, 100)
    assert {a.klass for a in tile_program.accesses} == {"affine"}
    assert access(tile_program, "a_ptr").masked == (True, True)


@pytest.mark.parametrize("entry", ["descriptors", "block_pointers"])
def test_block_pointers_and_descriptors_give_the_same_accesses(entry: str) -> None:
    try:
        tile_program = program("matmuls.py", entry, 1000, 512, 384)
    except KernelError as refusal:
        if "Block pointers have been removed" not in str(refusal):
            raise
        pytest.skip("this version of Triton has no block pointers (3.8 is the last that has)")
    assert [(a.tensor, a.tile, a.masked) for a in tile_program.accesses] == [
        ("a_ptr", (128, 64), (True, False)),
        ("b_ptr", (64, 128), (False, False)),
        ("c_ptr", (128, 128), (True, False)),
    ]
    assert [loop.trips for loop in tile_program.loops] == [6]


def test_split_k_is_a_parallel_dim_with_atomic_stores() -> None:
    tile_program = program("matmuls.py", "split_k", 256, 128, 1024)
    assert extents(tile_program)["part"] == 4
    assert starts(access(tile_program, "a_ptr"))[1] == {"part": 32, "k": 128}
    assert access(tile_program, "c_ptr").kind == "atomic"
    assert "part" not in access(tile_program, "c_ptr").indices


def test_an_atomic_is_a_load_an_op_on_it_and_an_update() -> None:
    tile_program = program("matmuls.py", "split_k", 256, 128, 1024)
    old, update = access(tile_program, "c_ptr_old"), access(tile_program, "c_ptr")
    assert update.replaces == "c_ptr_old"
    assert (old.kind, old.tensor, old.tile, old.starts) == ("load", "c_ptr", update.tile, update.starts)
    made = next(op for op in tile_program.ops if op.name == update.value)
    assert (made.kind, made.operands[0], made.dtype) == ("add", old.value, "fp32")


def test_persistent_softmax_has_one_block_per_row_and_fills_with_minus_infinity() -> None:
    tile_program = program("rows.py", "softmax", 1823, 781)
    assert (extents(tile_program), tile_program.loops) == ({"row": 1823}, ())
    assert access(tile_program, "x_ptr").masked == (False, True)
    fill = next(op for op in tile_program.ops if op.kind == "fill")
    assert (fill.operands, fill.attributes) == ((access(tile_program, "x_ptr").value,), (("value", "-inf"),))


def test_layer_norm_reads_its_row_in_three_loops_in_sequence() -> None:
    tile_program = program("rows.py", "layer_norm", 64, 1000)
    assert [(loop.trips, loop.parent) for loop in tile_program.loops] == [(4, None)] * 3
    assert [a.tensor for a in tile_program.accesses] == ["x_ptr", "x_ptr", "x_ptr", "w_ptr", "y_ptr"]
    assert [op.kind for op in tile_program.ops].count("reduce_sum") == 2


def test_gather_is_opaque_and_depends_on_everything() -> None:
    table = access(program("rows.py", "gather"), "table_ptr")
    assert table.klass == "opaque"
    assert table.note == "the tile's address comes from memory"
    assert table.indices == {"row"}


def test_gather_with_real_tensors_is_affine_where_the_index_is() -> None:
    table = access(program("rows.py", "gather", mode="cpu"), "table_ptr")
    assert (table.klass, starts(table)[0]) == ("affine", {"row": 3})  # the file's index tensor is 0, 3, 6, ...


def test_transposed_store_is_an_op() -> None:
    tile_program = program("rows.py", "transpose")
    assert [(op.kind, op.attributes) for op in tile_program.ops] == [("transpose", (("order", "1,0"),))]
    assert access(tile_program, "y_ptr").value == tile_program.ops[0].name


def test_halo_of_a_stencil_starts_outside_the_tensor_and_is_masked() -> None:
    x = access(program("rows.py", "stencil", 20, 100), "x_ptr")
    assert [start.const for start in x.starts] == [-1, -1]
    assert x.indices == {"row", "dy", "offsets", "dx"}
    assert (x.klass, x.tile, x.masked) == ("affine", (1, 32), (True, True))


def test_lanes_that_skip_elements_are_partial() -> None:
    x = access(program("rows.py", "pairs"), "x_ptr")
    assert (x.klass, x.tile, x.note) == ("partial", (127,), "lanes skip elements")


def test_stores_name_what_a_decided_choice_chooses() -> None:
    tile_program = program("rows.py", "decided")
    loaded = access(tile_program, "x").value
    assert [a.value for a in tile_program.accesses if a.kind == "store"] == [loaded, loaded]


@pytest.mark.parametrize("entry", ["softmax", "layer_norm", "stencil", "transpose", "early", "decided", "minus"])
def test_every_operand_is_made_by_something(entry: str) -> None:
    tile_program = program("rows.py", entry)
    made = {op.name for op in tile_program.ops} | {a.value for a in tile_program.accesses if a.kind == "load"}
    made |= {name for loop in tile_program.loops for c in loop.carries for name in (c.argument, c.result)}
    used = {name for op in tile_program.ops for name in op.operands} | {
        n for a in tile_program.accesses for n in a.operands
    }
    assert used <= made


def test_early_return_that_no_block_takes_changes_nothing() -> None:
    assert {a.klass for a in program("rows.py", "early", 8, 8).accesses} == {"affine"}


def test_early_return_of_some_blocks_is_partial() -> None:
    for item in program("rows.py", "early", 8, 3).accesses:
        assert (item.klass, item.note) == (
            "partial",
            "under a branch or while loop that depends on data or on the block",
        )


def test_while_loops_are_never_affine() -> None:
    assert [a.klass for a in program("rows.py", "while_loop").accesses] == ["partial", "opaque"]


def test_computed_fill_of_a_masked_load_is_an_operand() -> None:
    tile_program = program("rows.py", "fallback")
    kinds = {op.kind: op for op in tile_program.ops}
    assert kinds["where"].operands == (kinds["mask"].name, access(tile_program, "x_ptr").value, kinds["mul"].name)


def test_loop_over_memory_that_is_read_and_written_keeps_its_order() -> None:
    assert [loop.name for loop in program("rows.py", "in_place").loops] == ["row"]


def test_memory_behind_a_chosen_pointer_is_a_tensor_of_its_own() -> None:
    tile_program = program("rows.py", "choose", 96)
    load = next(a for a in tile_program.accesses if a.kind == "load")
    assert (load.tensor, load.klass, load.note) == (
        "memory",
        "opaque",
        "the base pointer is not an argument of the kernel",
    )
    tensor = tile_program.tensor(load.tensor)
    assert (tensor.dtype, tensor.shape) == ("fp32", load.tile)


def test_loop_that_never_runs_is_left_out() -> None:
    tile_program = program("rows.py", "no_trips", 100)
    assert [a.tensor for a in tile_program.accesses] == ["x_ptr", "y_ptr"]
    assert tile_program.loops == ()
    assert [loop.trips for loop in program("rows.py", "no_trips", 2048).loops] == [2, 8]


def test_loop_over_a_run_that_starts_where_memory_says() -> None:
    tile_program = program("rows.py", "segments", 0)
    assert [loop.trips for loop in tile_program.loops] == [4]
    assert [(a.tensor, a.klass) for a in tile_program.accesses if a.loop] == [("x_ptr", "opaque"), ("x_ptr", "affine")]


def test_loop_that_ends_where_memory_says_is_refused_and_named() -> None:
    with pytest.raises(KernelError, match=r"rows\.py:\d+: the trip count of loop i depends on data"):
        program("rows.py", "segments", 1)


def test_minus_is_one_op_in_all_versions_of_triton() -> None:
    load, *_ = (tile_program := program("rows.py", "minus")).accesses
    assert [(op.kind, op.operands) for op in tile_program.ops] == [("neg", (load.value,)), ("exp", ("neg",))]
