"""Fill values as the bits that memory holds."""

from __future__ import annotations

import numpy as np

from cpplan.emit_ttmetal.program import DataFormat
from cpplan.tile.layout import BLOCK_FORMATS

WORDS: dict[str, str] = {
    "fp32": "uint32_t", "int32": "uint32_t", "uint32": "uint32_t", "bf16": "uint16_t", "fp16": "uint16_t",
    "uint16": "uint16_t", "uint8": "uint8_t", "bfp8_b": "uint8_t",
}  # fmt: skip
"""C++ type as wide as one element of each format."""


def fill_bits(value: float, data_format: DataFormat | str) -> int:
    """The bits of ``value`` in ``data_format``, rounded to nearest even; of block formats zero alone has bits."""
    if data_format in BLOCK_FORMATS and value == 0.0:
        return 0
    if data_format == "bf16":
        bits = int(np.float32(value).view(np.uint32))
        if np.isnan(value):
            return bits >> 16 | 1
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    with np.errstate(over="ignore"):
        if data_format == "fp32":
            return int(np.float32(value).view(np.uint32))
        if data_format == "fp16":
            return int(np.float16(value).view(np.uint16))
    width = {"int32": 32, "uint32": 32, "uint16": 16, "uint8": 8}[data_format]
    return int(value) % (1 << width)
