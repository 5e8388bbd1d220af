"""Numbers as the bits of an element type, and back: numpy has no bfloat16 and no block formats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.emit_ttmetal.block_formats import BLOCK_BITS, decode_blocks, encode_blocks

Array = npt.NDArray[Any]

STORED: dict[str, Any] = {
    "fp32": np.float32, "fp16": np.float16, "bf16": np.uint16, "int32": np.int32, "uint32": np.uint32,
    "uint16": np.uint16, "uint8": np.uint8, "int8": np.uint8, "bool": np.uint8, "bfp8_b": np.uint8, "bfp4_b": np.uint8,
}  # fmt: skip
"""numpy type of the memory of each element type; bf16 as its bits, block formats as their bytes."""


def encoded(array: Array, dtype: str) -> Array:
    """``array`` as memory of ``dtype``; rounded to nearest even. Block formats take and give whole pages, (pages, 1024)
    elements to (pages, bytes)."""
    if dtype in BLOCK_BITS:
        return encode_blocks(array, BLOCK_BITS[dtype])
    if dtype != "bf16":
        with np.errstate(over="ignore"):
            return array.astype(STORED[dtype])
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(array), bits >> 16 | 1, rounded).astype(np.uint16)


def decoded(memory: Array, dtype: str) -> Array:
    """Numbers from memory of ``dtype``; bf16 and block formats become float32."""
    if dtype in BLOCK_BITS:
        return decode_blocks(memory, BLOCK_BITS[dtype])
    if dtype != "bf16":
        return memory
    return (memory.astype(np.uint32) << 16).view(np.float32)
