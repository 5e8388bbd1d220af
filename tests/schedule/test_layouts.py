"""Layouts: every tile that a program moves is a set of whole pages, and what cannot be one is refused with its line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from gemm import batched_gemm, gemm

from cpplan.emit_ttmetal.pages import to_pages
from cpplan.errors import ScheduleError
from cpplan.schedule.layouts import page_counts, tensor_layouts
from cpplan.schedule.schedule import Axis
from cpplan.tile.program import Access, Affine, Dim, Op, Tensor, TileProgram


def copy(shape: tuple[int, ...], tile: tuple[int, ...], *starts: Affine, **changes: object) -> TileProgram:
    """One load per start of tiles of one tensor, each stored to a tensor of its own."""
    strides = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    value = tuple(e for e in tile if e > 1)
    loads, stores, ops = [], [], []
    tensors = [Tensor("x", "fp32", shape, strides)]
    zero = (Affine(),) * (len(shape) - 1)
    for number, start in enumerate(starts):
        tensors.append(Tensor(f"y{number}", "fp32", tile, strides))
        loads.append(Access(f"l{number}", "x", "load", tile, (start, *zero), value=f"v{number}", source="k.py:7"))
        stores.append(Access(f"s{number}", f"y{number}", "store", tile, (Affine(),) * len(tile), value=f"o{number}"))
        ops.append(Op(f"o{number}", "exp", (f"v{number}",), value, "fp32", operand_shapes=(value,)))
    if len(shape) > 1:
        ops.append(Op("d", "dot", ("v0", "v0"), value, "fp32", operand_shapes=(value, value)))  # so that no runs
    loads = [replace(load, **changes) for load in loads]  # type: ignore[arg-type]
    return TileProgram("copy", (Dim("p", 3),), (), tuple(tensors), (*loads, *stores), tuple(ops))


def along(index: str, step: int, const: int = 0) -> Affine:
    return Affine(const, ((index, step),))


def test_blocks_of_whole_hardware_tiles_share_one_plain_layout() -> None:
    layouts, uses = tensor_layouts(gemm(100, 70, 200, (64, 32, 96)))
    assert uses == {"a": "a", "b": "b", "c": "c"}
    assert layouts[0].axes == (Axis(32, 32, 4), Axis(32, 32, 7))
    assert (layouts[0].rows, layouts[0].columns) == (0, 1)
    assert page_counts(layouts[0], (64, 96)) == (2, 3)


def test_axes_of_single_elements_stay_outside_of_hardware_tiles() -> None:
    layouts, _ = tensor_layouts(batched_gemm((5,), 64, 64, 64, (32, 32, 32)))
    assert layouts[0].axes == (Axis(1, 1, 5), Axis(32, 32, 2), Axis(32, 32, 2))


def test_blocks_below_a_hardware_tile_are_units_of_their_own() -> None:
    layouts, _ = tensor_layouts(copy((10, 64), (4, 64), along("p", 4)))
    assert layouts[0].axes[0] == Axis(4, 32, 3)


def test_a_constant_that_all_blocks_start_from_is_made_up_for_in_front() -> None:
    program = copy((200, 64), (32, 64), along("p", 32, const=100))
    (layout, *_), _ = tensor_layouts(program)
    assert layout.axes[0] == Axis(32, 32, 8, lead=28)
    rows = np.arange(200, dtype=np.float32)[:, None].repeat(64, axis=1)
    page = (100 + layout.axes[0].lead) // 32 * 2
    assert to_pages(rows, layout)[page].reshape(32, 32)[:, 0].tolist() == list(range(100, 132))


def test_a_tensor_that_is_only_read_is_there_once_per_layout() -> None:
    layouts, uses = tensor_layouts(copy((200, 64), (32, 64), along("p", 32), along("p", 32, const=100)))
    assert uses["l0"] == "x" and uses["l1"] == "x.2"
    assert [item.name for item in layouts if item.tensor == "x"] == ["x", "x.2"]


def test_a_tensor_that_is_written_cannot_have_two_layouts() -> None:
    program = copy((200, 64), (32, 64), along("p", 32), along("p", 32, const=100))
    stored = replace(program.accesses[3], tensor="x", starts=(along("p", 32, 100), Affine()), source="k.py:9")
    with pytest.raises(ScheduleError, match=r"k\.py:\d: .* takes x apart in other pieces"):
        tensor_layouts(replace(program, accesses=(*program.accesses[:3], stored)))


def test_padding_holds_what_all_loads_see_beyond_the_tensor() -> None:
    program = copy((70, 64), (32, 64), along("p", 32), fill=-np.inf)
    assert tensor_layouts(program)[0][0].padding == -np.inf
    both = copy((70, 64), (32, 64), along("p", 32), along("p", 32))
    first, second, *rest = both.accesses
    mixed = replace(both, accesses=(replace(first, fill=1.0), replace(second, fill=2.0), *rest))
    assert tensor_layouts(mixed)[0][0].padding == 0.0


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (copy((200, 64), (64, 64), along("p", 48)), "starts at multiples of 16 along axis 0 and covers 64 elements"),
        (copy((200, 64), (64, 64), along("p", 64), klass="opaque"), "an address that depends on data"),
        (copy((200, 64), (64, 64), along("p", 64), lanes="scattered"), "skips or reorders elements"),
        (copy((200, 64), (64, 64), along("p", 64), kind="atomic"), "compares and swaps"),
        (
            copy((200, 64), (64, 64), along("p", 64), along("p", 64), kind="atomic", replaces="l1"),
            "is one of several writes of x",
        ),
    ],
)
def test_what_is_no_set_of_pages_is_refused_with_its_line(program: TileProgram, words: str) -> None:
    with pytest.raises(ScheduleError, match=rf"k\.py:7: .*{words}"):
        tensor_layouts(program)


def test_element_types_without_buffers_are_refused() -> None:
    program = gemm(64, 64, 64, (32, 32, 32), "fp64")
    with pytest.raises(ScheduleError, match="elements of type fp64, which circular buffers do not hold"):
        tensor_layouts(program)
