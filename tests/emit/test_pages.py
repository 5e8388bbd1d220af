"""Tensors as pages: what comes back is what went in, and every tile lies in whole pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpplan.emit_ttmetal.pages import from_pages, to_pages
from cpplan.schedule.layouts import pages
from cpplan.schedule.schedule import Axis, TensorLayout


def axis(extent: int, unit: int, page: int, lead: int) -> Axis:
    return Axis(unit, -(-unit // page) * page, -(-(extent + lead) // unit), lead)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[TensorLayout, tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(1, 70), min_size=1, max_size=3)))
    in_runs = draw(st.booleans())
    page = 1024 if in_runs else 32
    inside = draw(st.permutations(range(len(shape))))
    rows = inside[0] if not in_runs and len(shape) > 1 and draw(st.booleans()) else None
    columns = inside[-1] if draw(st.booleans()) and inside[-1] != rows else None
    axes = []
    for number, extent in enumerate(shape):
        unit = draw(st.sampled_from([4, 16, 48, page]))
        lead = draw(st.integers(0, unit - 1))
        axes.append(axis(extent, unit, page, lead) if number in (rows, columns) else Axis(1, 1, extent))
    return TensorLayout(
        "t", "t", "fp32", tuple(axes), rows, columns, in_runs, draw(st.sampled_from([0.0, -1.0]))
    ), shape


@given(layouts())
def test_pages_hold_the_tensor_and_padding(case: tuple[TensorLayout, tuple[int, ...]]) -> None:
    layout, shape = case
    array = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    data = to_pages(array, layout)
    assert data.shape == (pages(layout), 1024)
    assert np.array_equal(from_pages(data, layout, shape), array)
    used = np.sort(data[data != layout.padding])
    assert np.array_equal(used, np.arange(1, array.size + 1))


@pytest.mark.parametrize(("rows", "columns", "page"), [(1, 2, 5), (2, 1, 7)])
def test_pages_are_counted_over_outer_axes_then_rows_then_columns(rows: int, columns: int, page: int) -> None:
    """A 2x64x96 tensor has 2x3 tiles per batch: element [1, 0, 64] (or [1, 32, 0] laid out the other way)."""
    axes = (Axis(1, 1, 2), Axis(32, 32, 2), Axis(32, 32, 3))
    layout = TensorLayout("t", "t", "fp32", axes, rows, columns)
    array = np.zeros((2, 64, 96), np.float32)
    array[(0, 32, 64) if rows == 1 else (1, 32, 0)] = 7
    data = to_pages(array, layout)
    assert np.argwhere(data)[0].tolist() == [page, 0]
