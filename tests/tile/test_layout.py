"""Tiles in memory: whole hardware tiles, of 32x32 elements or, where all tiles are contiguous rows, of 1,024."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cpplan.tile.family import stack
from cpplan.tile.layout import hardware_tiles, layout_of, shape_bytes
from cpplan.tile.program import Access, Affine, Buffer, Dim, Op, Tensor, TileProgram


@pytest.mark.parametrize(
    ("shape", "tiles"),
    [
        ((64, 64), 4),
        ((33, 1), 2),
        ((1, 33), 2),
        ((100,), 4),
        ((), 1),
        ((1, 64, 1, 64), 4),  # batch, time, head, channel
        ((3, 64, 1, 64), 12),
        ((2, 1, 32, 32), 2),
    ],
)
def test_axes_of_one_element_are_not_padded(shape: tuple[int, ...], tiles: int) -> None:
    assert hardware_tiles(shape, in_runs=False) == tiles


@pytest.mark.parametrize(
    ("shape", "tiles"), [((), 1), ((1,), 1), ((1, 1024), 1), ((1025,), 2), ((1, 4096, 1), 4), ((100,), 1)]
)
def test_runs_are_cut_every_1024_elements(shape: tuple[int, ...], tiles: int) -> None:
    assert hardware_tiles(shape, in_runs=True) == tiles
    assert shape_bytes(shape, "bf16", in_runs=True) == tiles * 2048


def test_stacked_shapes_are_sized_one_by_one() -> None:
    shape = (np.array([1, 64, 1]), np.array([64, 1, 1]), np.array([64, 64, 4096]))
    in_runs = np.array([False, False, True])
    assert hardware_tiles(shape, in_runs).tolist() == [4, 4, 4]
    assert shape_bytes(shape, "bf16", in_runs).tolist() == [8192, 8192, 8192]


def rows(tile: tuple[int, ...] = (1, 4096), strides: tuple[int, ...] = (8192, 1)) -> TileProgram:
    """y[row] = exp(x[row] - max(x[row])), one row per block."""
    starts = (Affine(0, (("row", 1),)), Affine())
    one, both = (1, 1), (tile, (1, 1))
    ops = (
        Op("most", "reduce_max", ("x",), one, "bf16", None, (("axis", 1),), (tile,), ("bf16",)),
        Op("less", "sub", ("x", "most"), tile, "bf16", None, (), both, ("bf16", "bf16")),
        Op("e", "exp", ("less",), tile, "bf16", None, (), (tile,), ("bf16",)),
    )
    tensors = (Tensor("x", "bf16", (64, 8192), strides), Tensor("y", "bf16", (64, 8192), (8192, 1)))
    accesses = (
        Access("x", "x", "load", tile, starts, value="x"),
        Access("y", "y", "store", tile, starts, value="e"),
    )
    return TileProgram("rows", (Dim("row", 64),), (), tensors, accesses, ops, block=(("ROWS", tile[0]),))


def with_op(kind: str, shape: tuple[int, ...]) -> TileProgram:
    program = rows()
    return replace(program, ops=(*program.ops, Op("extra", kind, ("e",), shape, "fp32")))


def gathered() -> TileProgram:
    program = rows()
    return replace(program, accesses=(replace(program.accesses[0], lanes="scattered"), program.accesses[1]))


def test_a_program_of_contiguous_rows_lies_in_runs() -> None:
    assert layout_of(rows()) == "runs"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(rows(tile=(2, 4096)), id="tiles of two rows"),
        pytest.param(rows(strides=(16384, 2)), id="every other element"),
        pytest.param(gathered(), id="elements from here and there"),
        pytest.param(with_op("broadcast", (32, 4096)), id="a computed value with two axes"),
        pytest.param(with_op("scan_sum", (1, 4096)), id="a running sum"),
        pytest.param(replace(rows(), buffers=(Buffer("acc", (32, 64), "fp32"),)), id="a kept value with two axes"),
    ],
)
def test_one_tile_that_is_no_run_keeps_the_whole_program_in_32x32(program: TileProgram) -> None:
    assert layout_of(program) == "tiles"


def test_a_single_element_may_come_from_anywhere() -> None:
    starts = (Affine(0, (("row", 1),)), Affine(7))
    single = Access("label", "y", "load", (1, 1), starts, value="label", klass="opaque", lanes="scattered")
    program = rows()
    assert layout_of(replace(program, accesses=(*program.accesses, single))) == "runs"


def test_every_block_shape_of_a_family_has_its_own_layout() -> None:
    family = stack([rows(tile=(1, 4096)), rows(tile=(4, 4096)), rows(tile=(1, 1024))])
    assert family.stacked.in_runs.tolist() == [True, False, True]
