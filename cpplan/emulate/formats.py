"""Tiles and data formats in numpy: between matrices and the raw pages that DRAM tensors hold.

A hardware tile is 32x32 as four row-major 16x16 faces (top left, top right, bottom left, bottom right).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.emit_ttmetal.block_formats import BLOCK_BITS, decode_blocks, encode_blocks
from cpplan.emit_ttmetal.program import TILE_BYTES, DataFormat

Pages = NDArray[np.uint8]
Array = NDArray[Any]

TILE = 32
FACE = 16
_DTYPES: Mapping[DataFormat, type[np.generic]] = {
    "fp32": np.float32,
    "fp16": np.float16,
    "int32": np.int32,
    "uint32": np.uint32,
    "uint16": np.uint16,
    "uint8": np.uint8,
}


def tilize(matrix: Array) -> Array:
    """(rows, columns), both multiples of 32, to (tiles, 1024) in row-major order of tiles."""
    rows, columns = matrix.shape
    faces = matrix.reshape(rows // TILE, 2, FACE, columns // TILE, 2, FACE).transpose(0, 3, 1, 4, 2, 5)
    return np.ascontiguousarray(faces).reshape(-1, TILE * TILE)


def untilize(tiles: Array, rows: int, columns: int) -> Array:
    """Inverse of ``tilize``."""
    faces = tiles.reshape(rows // TILE, columns // TILE, 2, 2, FACE, FACE).transpose(0, 2, 4, 1, 3, 5)
    return np.ascontiguousarray(faces).reshape(rows, columns)


def encode(values: Array, format: DataFormat) -> Pages:
    """(pages, elements) to (pages, bytes); block formats want 1024 elements a page. Floats round to nearest even."""
    if format == "bf16":
        return np.ascontiguousarray(bf16_bits(values)).view(np.uint8)
    if format in BLOCK_BITS:
        return encode_blocks(values, BLOCK_BITS[format])
    return np.ascontiguousarray(values.astype(_DTYPES[format])).view(np.uint8)


def decode(pages: Pages, format: DataFormat) -> Array:
    """Inverse of ``encode``; float formats come back as float32."""
    pages = np.ascontiguousarray(pages)
    if format == "bf16":
        return (pages.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if format in BLOCK_BITS:
        return decode_blocks(pages, BLOCK_BITS[format])
    values = pages.view(_DTYPES[format])
    return values.astype(np.float32) if format == "fp16" else values


def matrix_pages(matrix: Array, format: DataFormat) -> Pages:
    """A matrix as the pages of a tiled DRAM tensor: (tiles, bytes of a tile)."""
    return encode(tilize(matrix), format)


def pages_matrix(pages: Pages, format: DataFormat, rows: int, columns: int) -> Array:
    """Inverse of ``matrix_pages``."""
    return untilize(decode(pages.reshape(-1, TILE_BYTES[format]), format), rows, columns)


def bf16_bits(values: Array) -> NDArray[np.uint16]:
    """The upper halves of float32 values, rounded to nearest even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return (np.where(nan, bits | np.uint32(0x400000), rounded) >> np.uint32(16)).astype(np.uint16)


def round_bf16(values: Array) -> NDArray[np.float32]:
    """Values rounded to what bf16 holds, as float32."""
    return (bf16_bits(values).astype(np.uint32) << np.uint32(16)).view(np.float32)
