"""How tiles lie in memory: in hardware tiles, each of 32x32 elements or of 1,024 elements in a row.

A hardware tile is 1,024 numbers to the functional units; which number is which matters to few ops. A program of
contiguous rows alone fills hardware tiles one after the other ("runs"): element-wise ops do not notice, a row is
reduced by reducing whole hardware tiles, and its result is one number that is broadcast to all. All other programs pad
the two inner axes to 32 ("tiles"). :attr:`TileProgram.in_runs` decides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from cpplan.tile.arith import Int, ceil_div
from cpplan.tile.program import DTYPE_BITS, HARDWARE_TILE, TileProgram

BLOCK_FORMATS = {"bfp8_b": 1088, "bfp4_b": 576}
"""Bytes of a hardware tile in formats whose values share exponents: 1024 mantissas and 64 exponent bytes."""


Layout = Literal["tiles", "runs"]
"""Hardware tiles of 32x32 elements, or of ``RUN`` contiguous elements."""

RUN = HARDWARE_TILE**2
"""Elements of a hardware tile in runs."""


def layout_of(program: TileProgram) -> Layout:
    """The layout of a program of plain integers."""
    return "runs" if program.in_runs else "tiles"


def hardware_tiles(shape: tuple[Int, ...], in_runs: Int) -> Int:
    """Hardware tiles that a tile of ``shape`` occupies; ``in_runs`` is that of its program.

    In runs these are its elements in pieces of 1,024, else its last two axes longer than 1, each padded to 32. Axes of
    one element do not count: a tensor is laid out in hardware tiles over the axes that a block reads, as the batch and
    head axes of [batch, time, head, channel] show.
    """
    if isinstance(in_runs, int) and all(isinstance(extent, int) for extent in shape):
        return _hardware_tiles_of(shape, bool(in_runs))
    return _hardware_tiles(shape, in_runs)


@lru_cache(maxsize=4096)
def _hardware_tiles_of(shape: tuple[int, ...], in_runs: bool) -> int:
    return int(_hardware_tiles(shape, in_runs))


def _hardware_tiles(shape: tuple[Int, ...], in_runs: Int) -> Int:
    total: Int = 1
    elements: Int = 1
    padded: Int = 0
    for extent in reversed(shape):
        total = total * np.where(padded < 2, ceil_div(extent, HARDWARE_TILE), extent)
        elements = elements * extent
        padded = padded + (np.asarray(extent) > 1)
    total = np.where(in_runs, ceil_div(elements, RUN), total)
    return total if total.ndim else int(total)


def tile_bytes(dtype: str) -> int:
    """Bytes of one hardware tile of ``dtype``."""
    return BLOCK_FORMATS.get(dtype) or HARDWARE_TILE * HARDWARE_TILE * DTYPE_BITS[dtype] // 8


def shape_bytes(shape: tuple[Int, ...], dtype: str, in_runs: Int) -> Int:
    """SRAM bytes of a tile of ``shape``: whole hardware tiles."""
    return hardware_tiles(shape, in_runs) * tile_bytes(dtype)


def tile_sizes(program: TileProgram) -> list[Int]:
    """Bytes of every tile that is moved and of every buffer that is kept, each held once: the least a plan needs."""
    runs = program.in_runs
    moved = [shape_bytes(access.tile, program.tensor(access.tensor).dtype, runs) for access in program.accesses]
    return moved + [shape_bytes(buffer.shape, buffer.dtype, runs) for buffer in program.buffers]
