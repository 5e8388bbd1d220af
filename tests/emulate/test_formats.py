"""Tiles and data formats: layout by definition, rounding by exact arithmetic, numpy against the machine."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from emulate.pipeline import compute_source, one_tile, run_pipeline
from hypothesis import given
from hypothesis import strategies as st

from cpplan.emit_ttmetal.program import TILE_BYTES, ComputeConfig, DataFormat
from cpplan.emulate.formats import decode, encode, matrix_pages, pages_matrix, round_bf16, tilize, untilize

FLOATS: list[DataFormat] = ["fp32", "bf16", "fp16", "bfp8_b", "bfp4_b"]
BLOCKS: tuple[DataFormat, ...] = ("bfp8_b", "bfp4_b")
INTEGERS: list[DataFormat] = ["int32", "uint32", "uint16", "uint8"]


def test_a_tile_is_four_faces() -> None:
    """Element (row, column) lies in face 2 (row / 16) + column / 16 at (row % 16, column % 16); tiles go row by row."""
    matrix = np.arange(64 * 96).reshape(64, 96)
    tiles = tilize(matrix)
    for row, column in [(0, 0), (0, 16), (16, 0), (17, 31), (31, 31), (33, 70)]:
        tile = row // 32 * 3 + column // 32
        face = 2 * (row % 32 // 16) + column % 32 // 16
        assert tiles[tile, face * 256 + row % 16 * 16 + column % 16] == matrix[row, column]
    assert np.array_equal(untilize(tiles, 64, 96), matrix)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_bf16_is_the_nearest_with_eight_bits(value: float) -> None:
    got = float(round_bf16(np.array([value], np.float32))[0])
    bits = int(np.float32(value).view(np.uint32)) & 0xFFFF0000
    below = float(np.array([bits], np.uint32).view(np.float32)[0])
    above = float(np.array([bits + 0x10000], np.uint32).view(np.float32)[0])
    exact = Fraction(value)
    if np.isinf(above):
        return
    distance = min(abs(exact - Fraction(below)), abs(exact - Fraction(above)))
    assert abs(exact - Fraction(got)) == distance


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=16, max_size=16), st.sampled_from(["bfp8_b", "bfp4_b"]))
def test_block_formats_share_an_exponent_per_row_of_a_face(values: list[float], format: DataFormat) -> None:
    """Each element is off by at most one unit of the last place of the largest, clamped at the top."""
    tile = np.zeros((1, 1024), np.float32)
    tile[0, :16] = values
    got = decode(encode(tile, format), format)[0]
    assert not got[16:].any()
    largest = np.abs(tile).max()
    if largest >= 2**-100:
        unit = 2.0 ** (np.floor(np.log2(largest)) - ({"bfp8_b": 7, "bfp4_b": 3}[format] - 1))
        assert np.abs(got[:16] - tile[0, :16]).max() <= unit


@pytest.mark.parametrize("format", FLOATS + INTEGERS)
def test_pages_have_the_size_of_a_tile_and_come_back(format: DataFormat) -> None:
    matrix = np.random.default_rng(1).integers(0, 8, (32, 64)).astype(np.float32)
    pages = matrix_pages(matrix, format)
    assert pages.shape == (2, TILE_BYTES[format])
    assert np.array_equal(pages_matrix(pages, format, 32, 64), matrix)


@pytest.mark.parametrize("format", FLOATS)
def test_the_packer_and_numpy_agree_bit_for_bit(format: DataFormat) -> None:
    draw = np.random.default_rng(2)
    x = (draw.standard_normal((1, 1024)) * 2.0 ** draw.integers(-8, 8, (1, 1024))).astype(np.float32)
    x[0, 64:96] = 0  # rows of a face without any exponent
    config = ComputeConfig(fp32_dest_acc=True, unpack_to_dest_fp32=(0,))
    got = run_pipeline(compute_source([], one_tile("")), [(x, "fp32")], (1, format), config)
    assert np.array_equal(got, packed(x, format) if format in BLOCKS else decode(encode(x, format), format))


def packed(tile: np.ndarray, format: str) -> np.ndarray:
    """What the packer makes of a tile by tt-isa-documentation: seven bits beside the largest of 16 numbers, ties away
    from zero; of bfp4_b the first three of these."""
    blocks = tile.reshape(-1, 16).astype(np.float64)
    largest = np.abs(blocks).max(axis=1, keepdims=True)
    step = 2.0 ** (np.floor(np.log2(np.where(largest > 0, largest, 1))) - 6)
    magnitude = np.minimum(np.floor(np.abs(blocks) / step + 0.5), 127)
    if format == "bfp4_b":
        magnitude = np.floor(magnitude / 16) * 16
    return (np.sign(blocks) * magnitude * step).reshape(tile.shape).astype(np.float32)


def test_halves_are_packed_away_from_zero_and_bfp4_is_cut_off() -> None:
    """Beside 1.0 the numbers of bfp8_b are 2^-6 apart, of bfp4_b 2^-2."""
    x = np.zeros((1, 1024), np.float32)
    x[0, :4] = 1.0, 0.5 + 2**-7, -(0.5 + 3 * 2**-7), 0.99
    config = ComputeConfig(fp32_dest_acc=True, unpack_to_dest_fp32=(0,))
    got = {f: run_pipeline(compute_source([], one_tile("")), [(x, "fp32")], (1, f), config)[0, :4] for f in BLOCKS}
    assert list(got["bfp8_b"]) == [1.0, 0.5 + 2**-6, -(0.5 + 2 * 2**-6), 63 / 64]
    assert list(got["bfp4_b"]) == [1.0, 0.5, -0.5, 0.75]


@pytest.mark.parametrize("format", ["bf16", "bfp8_b", "bfp4_b", "fp16"])
def test_the_unpacker_and_numpy_agree_bit_for_bit(format: DataFormat) -> None:
    x = np.random.default_rng(3).standard_normal((1, 1024)).astype(np.float32)
    got = run_pipeline(compute_source([], one_tile("")), [(x, format)], (1, "fp32"), ComputeConfig(fp32_dest_acc=True))
    assert np.array_equal(got, decode(encode(x, format), format))
