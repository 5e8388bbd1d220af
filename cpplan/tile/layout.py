"""How tiles lie in memory: in hardware tiles of 32x32 elements."""

from __future__ import annotations

import numpy as np

from cpplan.tile.arith import Int, ceil_div
from cpplan.tile.program import DTYPE_BITS, HARDWARE_TILE

BLOCK_FORMATS = {"bfp8_b": 1088, "bfp4_b": 576}
"""Bytes of a hardware tile in formats whose values share exponents: 1024 mantissas and 64 exponent bytes."""


def hardware_tiles(shape: tuple[Int, ...]) -> Int:
    """Hardware tiles that a tile of ``shape`` occupies: its last two axes longer than 1, each padded to 32.

    Axes of one element do not count: a tensor is laid out in hardware tiles over the axes that a block reads, as the
    batch and head axes of [batch, time, head, channel] show.
    """
    total: Int = 1
    padded: Int = 0
    for extent in reversed(shape):
        total = total * np.where(padded < 2, ceil_div(extent, HARDWARE_TILE), extent)
        padded = padded + (np.asarray(extent) > 1)
    return total if isinstance(total, np.ndarray) and total.ndim else int(total)


def tile_bytes(dtype: str) -> int:
    """Bytes of one hardware tile of ``dtype``."""
    return BLOCK_FORMATS.get(dtype) or HARDWARE_TILE * HARDWARE_TILE * DTYPE_BITS[dtype] // 8


def shape_bytes(shape: tuple[Int, ...], dtype: str) -> Int:
    """SRAM bytes of a tile of ``shape`` in hardware-tile layout."""
    return hardware_tiles(shape) * tile_bytes(dtype)
