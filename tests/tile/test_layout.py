"""Tiles in memory: whole hardware tiles over the axes that a block reads."""

from __future__ import annotations

import numpy as np
import pytest

from cpplan.tile.layout import hardware_tiles, shape_bytes


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


def test_stacked_shapes_are_sized_one_by_one() -> None:
    shape = (np.array([1, 64]), np.array([64, 1]), np.array([64, 64]))
    assert hardware_tiles(shape, in_runs=False).tolist() == [4, 4]
    assert shape_bytes(shape, "bf16", in_runs=False).tolist() == [8192, 8192]
