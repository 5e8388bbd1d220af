"""Program ids that stand for several coordinates: dims are those coordinates whenever an address needs them."""

from pathlib import Path

from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.program import Access, TileProgram

FILE = Path(__file__).parent / "kernels" / "shared_ids.py"


def program(*argv: object) -> TileProgram:
    return build(capture_launches(str(FILE), argv=[str(a) for a in argv])[0]).program


def access(tile_program: TileProgram, tensor: str, kind: str = "load") -> Access:
    return next(a for a in tile_program.accesses if a.tensor == tensor and a.kind == kind)


def starts(item: Access) -> list[dict[str, int]]:
    return [dict(start.terms) for start in item.starts]


def test_batch_and_chunk_in_one_id_are_two_dims() -> None:
    tile_program = program("chunk_sums", 2, 4, 3, 16, 32)
    assert {d.name: d.extent for d in tile_program.dims} == {"batch": 2, "chunk": 4, "head": 3}
    # batches of x follow each other as its chunks do, so that batch and length are one axis of 2 * 128 rows
    assert starts(access(tile_program, "x_ptr")) == [{"batch": 128, "chunk": 32}, {"head": 1}, {}]
    assert starts(access(tile_program, "scale_ptr")) == [{"batch": 1}, {"head": 1}, {"chunk": 1}, {}]
    assert starts(access(tile_program, "sums_ptr", "store")) == [{"batch": 4, "chunk": 1}, {"head": 1}, {}]
    assert {a.klass for a in tile_program.accesses} == {"affine"}


def test_rows_and_column_blocks_are_dims_where_one_tensor_is_transposed() -> None:
    tile_program = program("transposed_add", 1024, 64)  # 16,384 blocks: more than are looked at for a first guess
    assert sorted(d.extent for d in tile_program.dims) == [16, 1024]
    assert {a.klass for a in tile_program.accesses} == {"affine"}
    row, block = (d.name for d in sorted(tile_program.dims, key=lambda d: -d.extent))
    assert starts(access(tile_program, "y_ptr")) == [{block: 64}, {row: 1}]


def test_a_start_that_is_not_affine_leaves_the_others_affine() -> None:
    tile_program = program("previous_row", 256, 64, 32)
    assert [d.extent for d in tile_program.dims] == [8]
    assert [a.klass for a in tile_program.accesses] == ["partial", "affine", "affine"]
    assert tile_program.accesses[0].note == "the start of an axis is not affine in the parallel dims"


def test_rounded_quotients_of_ids_are_known() -> None:
    tile_program = program("rounded", 512, 32, 128)
    (loop,) = tile_program.loops
    # 16 blocks in groups of 4: a block sums the 0, 1, 2 or 3 blocks of its group before it
    assert (loop.trips, loop.total_trips) == (3, 4 * (0 + 1 + 2 + 3))
    assert {a.klass for a in tile_program.accesses} == {"affine"}


def test_descriptor_tiles_may_lack_leading_axes() -> None:
    tile_program = program("batched_tiles", 128, 96, 32)
    assert {a.tile for a in tile_program.accesses} == {(1, 32, 32)}
    assert {a.klass for a in tile_program.accesses} == {"affine"}
    assert sorted(d.extent for d in tile_program.dims) == [2, 3, 4]  # columns are independent, and so are blocks too
