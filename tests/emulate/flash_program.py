"""Handwritten flash attention: each core handles blocks of queries of one head and streams its keys and values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cpplan.emit_ttmetal.program import (
    Arch,
    CircularBuffer,
    ComputeConfig,
    DeviceTensor,
    Kernel,
    Program,
    TensorAddress,
    noc_coordinates,
)

KERNELS = Path(__file__).parent / "kernels"
TILE = 2048


@dataclass(frozen=True)
class Flash:
    """Heads run along x, blocks of queries along y; rows, keys and width are in tiles."""

    arch: Arch = "wormhole"
    heads: int = 2
    query_blocks: int = 2
    rows: int = 1
    keys: int = 2
    key_blocks: int = 3
    width: int = 2
    config: ComputeConfig = field(default_factory=ComputeConfig)

    @property
    def query_length(self) -> int:
        return 32 * self.query_blocks * self.rows

    @property
    def key_length(self) -> int:
        return 32 * self.keys * self.key_blocks


def flash_program(f: Flash) -> Program:
    cores = tuple((x, y) for y in range(f.query_blocks) for x in range(f.heads))
    q_tiles, k_tiles = f.query_blocks * f.rows * f.width, f.keys * f.key_blocks * f.width
    tensors = tuple(
        DeviceTensor(name, "bf16", f.heads * tiles, TILE)
        for name, tiles in (("Q", q_tiles), ("K", k_tiles), ("V", k_tiles), ("O", q_tiles))
    )
    q, k, v, out = tensors
    first = {(x, y): x * q_tiles + y * f.rows * f.width for x, y in cores}
    scale = int(np.float32(1 / math.sqrt(32 * f.width)).view(np.uint32))
    sizes = {
        0: ("q", f.rows * f.width),
        1: ("k", 2 * f.keys * f.width),
        2: ("v", 2 * f.keys * f.width),
        3: ("one", 1),
        4: ("score", f.keys),
        5: ("factor", 1),
        6: ("partial", f.keys),
        7: ("scaled", 1),
        8: ("max0", f.rows),
        9: ("max1", f.rows),
        10: ("sum0", f.rows),
        11: ("sum1", f.rows),
        12: ("acc0", f.rows * f.width),
        13: ("acc1", f.rows * f.width),
        16: ("out", 2 * f.width),
    }
    addresses = tuple(TensorAddress(t.name) for t in (q, k, v))
    return Program(
        arch=f.arch,
        kernels=(
            Kernel(
                "flash_read",
                (KERNELS / "flash_read.cpp").read_text(),
                "riscv1",
                cores,
                noc=0,
                compile_args=(
                    *(f.rows, f.keys, f.key_blocks, f.width),
                    *(word for t in (q, k, v) for word in t.accessor_args),
                ),
                runtime_args={core: (*addresses, first[core], core[0] * k_tiles) for core in cores},
            ),
            Kernel(
                "flash_write",
                (KERNELS / "flash_write.cpp").read_text(),
                "riscv0",
                cores,
                noc=1,
                compile_args=(f.rows * f.width, *out.accessor_args),
                runtime_args={core: (TensorAddress("O"), first[core]) for core in cores},
            ),
            Kernel(
                "flash_compute",
                (KERNELS / "flash_compute.cpp").read_text(),
                "compute",
                cores,
                compile_args=(f.rows, f.keys, f.key_blocks, f.width, scale),
                compute=f.config,
            ),
        ),
        buffers=tuple(CircularBuffer(i, name, "bf16", TILE, pages, cores) for i, (name, pages) in sizes.items()),
        semaphores=(),
        tensors=tensors,
        noc_coordinates=noc_coordinates(f.arch, cores),
    )


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Softmax attention of (heads, length, d) arrays in float64."""
    scores = q.astype(np.float64) @ k.transpose(0, 2, 1) / math.sqrt(q.shape[2])
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return (weights @ v) / weights.sum(axis=2, keepdims=True)
