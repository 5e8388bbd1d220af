"""Block formats in numpy: 16 neighbours of a face's row share an exponent.

A page is 64 exponent bytes, then 1,024 signed magnitudes with an explicit leading bit, in the order of device memory
(source: tt_metal/api bfloat8.hpp layout); of bfp4_b two to a byte, the first one low.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pages = NDArray[np.uint8]

ELEMENTS = 1024
SHARING = 16
EXPONENT_BYTES = ELEMENTS // SHARING
"""Bytes of a page before its elements."""
BLOCK_BITS: Mapping[str, int] = {"bfp8_b": 7, "bfp4_b": 3}
"""Magnitude bits of an element, the leading one included."""


def encode_blocks(values: NDArray[Any], bits: int) -> Pages:
    """(pages, 1024) numbers to (pages, bytes), rounded to nearest even; the largest magnitude never carries over."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(values.shape[0], -1, SHARING)
    exponents = (blocks.view(np.uint32) >> 23 & 255).max(axis=2)
    scaled = np.ldexp(np.abs(blocks), 127 + bits - 1 - exponents.astype(np.int32)[..., None])
    magnitude = np.minimum(np.rint(scaled), (1 << bits) - 1).astype(np.uint8)
    codes = magnitude | ((blocks < 0) & (magnitude > 0)).astype(np.uint8) << bits
    codes = codes.reshape(values.shape[0], -1)
    if bits == 3:
        codes = codes[:, 0::2] | codes[:, 1::2] << 4
    return np.concatenate([exponents.astype(np.uint8), codes.astype(np.uint8)], axis=1)


def decode_blocks(pages: Pages, bits: int) -> NDArray[np.float32]:
    """Inverse of :func:`encode_blocks`, (pages, 1024)."""
    exponents, codes = pages[:, :EXPONENT_BYTES].astype(np.int32), pages[:, EXPONENT_BYTES:]
    if bits == 3:
        codes = np.stack([codes & 15, codes >> 4], axis=2).reshape(pages.shape[0], -1)
    magnitude = (codes & ((1 << bits) - 1)).astype(np.float32).reshape(pages.shape[0], -1, SHARING)
    negative = (codes >> bits & 1).astype(bool).reshape(magnitude.shape)
    values = np.ldexp(magnitude, (exponents - 127 - bits + 1)[..., None])
    return np.where(negative, -values, values).astype(np.float32).reshape(pages.shape[0], -1)
