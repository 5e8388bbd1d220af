"""A handwritten GEMM: A is multicast along rows of cores, B down columns, C is written once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cpplan.emit_ttmetal.program import (
    TILE_BYTES,
    Arch,
    CircularBuffer,
    ComputeConfig,
    Core,
    DataFormat,
    DeviceTensor,
    Kernel,
    Program,
    RuntimeArg,
    Semaphore,
    TensorAddress,
    noc_coordinates,
)

KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Gemm:
    """Sizes in tiles: the grid, the block of C per core, the depth of a K block and the number of K blocks."""

    arch: Arch = "wormhole"
    grid: tuple[int, int] = (2, 2)
    rows: int = 2
    columns: int = 2
    depth: int = 2
    blocks: int = 2
    format: DataFormat = "bf16"
    partial: DataFormat = "bf16"
    config: ComputeConfig = field(default_factory=ComputeConfig)

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K in elements."""
        return 32 * self.grid[1] * self.rows, 32 * self.grid[0] * self.columns, 32 * self.depth * self.blocks


def gemm_program(g: Gemm) -> Program:
    width, height = g.grid
    cores = tuple((x, y) for y in range(height) for x in range(width))
    place = noc_coordinates(g.arch, cores)
    m, n, k = g.rows * height, g.columns * width, g.depth * g.blocks
    tile = TILE_BYTES[g.format]
    tensors = tuple(
        DeviceTensor(name, g.format, pages, tile) for name, pages in (("A", m * k), ("B", k * n), ("C", m * n))
    )
    a, b, c = tensors
    return Program(
        arch=g.arch,
        kernels=(
            Kernel(
                "read_a",
                (KERNELS / "gemm_read_a.cpp").read_text(),
                "riscv1",
                cores,
                noc=0,
                compile_args=(0, g.rows, g.depth, g.blocks, k, width - 1, *a.accessor_args),
                runtime_args={core: _a_args(g, core, place) for core in cores},
            ),
            Kernel(
                "read_b_write_c",
                (KERNELS / "gemm_read_b_write_c.cpp").read_text(),
                "riscv0",
                cores,
                noc=1,
                compile_args=(
                    *(1, 3, g.rows, g.columns, g.depth, g.blocks, n, height - 1),
                    *b.accessor_args,
                    *c.accessor_args,
                ),
                runtime_args={core: _b_args(g, core, place) for core in cores},
            ),
            Kernel(
                "multiply",
                (KERNELS / "gemm_compute.cpp").read_text(),
                "compute",
                cores,
                compile_args=(0, 1, 2, 3, g.rows, g.columns, g.depth, g.blocks),
                compute=g.config,
            ),
        ),
        buffers=(
            CircularBuffer(0, "a", g.format, tile, 2 * g.rows * g.depth, cores),
            CircularBuffer(1, "b", g.format, tile, 2 * g.depth * g.columns, cores),
            CircularBuffer(2, "partial", g.partial, TILE_BYTES[g.partial], g.rows * g.columns, cores),
            CircularBuffer(3, "c", g.format, tile, 2 * g.columns, cores),
        ),
        semaphores=tuple(Semaphore(i, cores) for i in range(4)),
        tensors=tensors,
        noc_coordinates=place,
    )


def _a_args(g: Gemm, core: Core, place: dict[Core, Core]) -> tuple[RuntimeArg, ...]:
    x, y = core
    first, last = place[min(1, g.grid[0] - 1), y], place[g.grid[0] - 1, y]
    return (TensorAddress("A"), y * g.rows, int(x == 0), *place[0, y], *first, *last)


def _b_args(g: Gemm, core: Core, place: dict[Core, Core]) -> tuple[RuntimeArg, ...]:
    x, y = core
    first, last = place[x, min(1, g.grid[1] - 1)], place[x, g.grid[1] - 1]
    start = (y * g.rows, x * g.columns)
    return (TensorAddress("B"), TensorAddress("C"), *start, int(y == 0), *place[x, 0], *last, *first)
