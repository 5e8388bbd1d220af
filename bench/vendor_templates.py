"""The plans that the vendor's matmul runs, written as plans of our space.

Sizes are in hardware tiles unless said otherwise. Tuned rows use the template parameters that the vendor's benchmark
fixes per shape (tests/ttnn/unit_tests/benchmarks/test_benchmark.py of tt-metal); out-of-the-box rows the rule by which
ttnn.matmul picks them (matmul_program_config.cpp). Both multicast the left operand along rows of cores on NoC 1 and the
right one down columns on NoC 0, read by the first core, and write the output on NoC 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from cpplan.device.device import Device
from cpplan.plan.nest import build_nest, wave_trips
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.plan.space import Spatial
from cpplan.tile.arith import ceil_div
from cpplan.tile.layout import tile_bytes
from cpplan.tile.program import Access, Affine, Buffer, Carry, Dim, Loop, Op, Tensor, TileProgram

PARTIAL = "bf16"
"""Type of the accumulator: the vendor's kernels keep partial sums in 16 bits for all these rows."""


@dataclass(frozen=True)
class Template:
    """Block of one core; ``spread``: cores share both operands ("2d") or the left one only ("1d")."""

    spread: str
    depth: int
    height: int
    width: int


TUNED_DIVISORS: dict[tuple[int, int, int], tuple[int, int, int]] = {
    (12, 12, 16): (2, 1, 1), (12, 16, 16): (2, 1, 1), (16, 16, 16): (1, 2, 2), (32, 32, 32): (2, 4, 4),
    (64, 64, 64): (4, 8, 8),
}  # fmt: skip
"""(M, K, N) per core in tiles -> what the vendor divides K, M and N per core by to get the block; others by 1."""

BY_TYPE: dict[str, dict[tuple[int, int, int], tuple[int, int, int]]] = {
    "bf16": {(8, 12, 12): (2, 1, 1), (12, 12, 12): (4, 1, 1)},
    "bfp8_b": {(12, 12, 12): (2, 1, 1)},
    "bfp4_b": {(12, 12, 16): (1, 1, 1), (12, 16, 16): (2, 1, 1), (16, 16, 16): (2, 1, 1), (32, 32, 32): (2, 2, 2),
               (64, 64, 64): (4, 4, 4)},
}  # fmt: skip
"""Where the vendor's choice depends on the element type."""

UNLISTED = frozenset({(13, 10, 10)})
"""Per-core shapes that the published benchmark does not list: their depth is the best one under the model."""


def per_core(m: int, k: int, n: int, grid: tuple[int, int]) -> tuple[int, int, int]:
    """(M, K, N) per core in tiles; K is divided by the columns, as a block-sharded left operand would be."""
    columns, rows = grid
    return ceil_div(m // 32, rows), ceil_div(k // 32, columns), ceil_div(n // 32, columns)


def tuned(m: int, k: int, n: int, grid: tuple[int, int], dtype: str, device: Device) -> list[Template]:
    """The vendor's tuned template; several candidates where it is not published."""
    height, depth, width = shape = per_core(m, k, n, grid)
    if shape in UNLISTED:
        depths = [
            d for d in range(1, depth + 1) if depth % d == 0 and _bytes(dtype, height, width, d) <= device.sram.usable
        ]
        return [Template("2d", d, height, width) for d in depths]
    d, h, w = {**TUNED_DIVISORS, **BY_TYPE[dtype]}.get(shape, (1, 1, 1))
    return [Template("2d", depth // d, height // h, width // w)]


def automatic(m: int, k: int, n: int, grid: tuple[int, int], dtype: str, device: Device) -> Template:
    """What ttnn.matmul picks for interleaved DRAM tensors."""
    columns, rows = grid
    tall, deep, wide = m // 32, k // 32, n // 32
    factor = next((f for f in (16, 8, 4, 2) if _bytes(dtype, f, f, 2) < device.sram.usable), 1)
    if ceil_div(tall, factor) == 1 < ceil_div(wide, factor) <= columns:
        return Template("1d", 2 if deep % 2 == 0 else 1, tall, ceil_div(ceil_div(n, columns * rows), 32))
    depth = deep // columns if deep % columns == 0 else 1
    return _fitting(dtype, ceil_div(tall, rows), ceil_div(wide, columns), depth, device)


def _bytes(dtype: str, height: int, width: int, depth: int) -> int:
    """The vendor's estimate of the circular buffers: two of each operand, output and 16-bit partial sums."""
    operands = 2 * depth * (height + width) * tile_bytes(dtype)
    return operands + height * width * (tile_bytes(dtype) + max(tile_bytes(PARTIAL), tile_bytes(dtype)))


def _fitting(dtype: str, height: int, width: int, depth: int, device: Device) -> Template:
    """Largest block that fits at the largest depth that lets one fit; of equal areas the squarest."""
    if _bytes(dtype, height, width, depth) < device.sram.usable:
        return Template("2d", depth, height, width)
    pairs = sorted(product(_divisors(height), _divisors(width)), key=lambda p: (-p[0] * p[1], max(p) / min(p), -p[0]))
    for d in reversed(_divisors(depth)):
        for h, w in pairs:
            if _bytes(dtype, h, w, d) < device.sram.usable:
                return Template("2d", d, h, w)
    return Template("2d", 1, 1, 1)


def _divisors(value: int) -> list[int]:
    return [d for d in range(1, value + 1) if value % d == 0]


def gemm(m: int, n: int, k: int, block: tuple[int, int, int], dtype: str) -> TileProgram:
    """C[m,n] = A[m,k] B[k,n] in blocks of (BM, BN, BK) elements with 16-bit partial sums."""
    bm, bn, bk = block

    def along(index: str, step: int) -> Affine:
        return Affine(0, ((index, step),))

    return TileProgram(
        "gemm",
        (Dim("m", ceil_div(m, bm)), Dim("n", ceil_div(n, bn))),
        (Loop("k", ceil_div(k, bk), carries=(Carry("zero", "acc", "sum", "total"),)),),
        (Tensor("a", dtype, (m, k), (k, 1)), Tensor("b", dtype, (k, n), (n, 1)), Tensor("c", dtype, (m, n), (n, 1))),
        (
            Access("a", "a", "load", (bm, bk), (along("m", bm), along("k", bk)), "k", value="av"),
            Access("b", "b", "load", (bk, bn), (along("k", bk), along("n", bn)), "k", value="bv"),
            Access("c", "c", "store", (bm, bn), (along("m", bm), along("n", bn)), value="cv"),
        ),
        (
            Op("sum", "dot", ("av", "bv", "acc"), (bm, bn), PARTIAL, "k", (("k", bk),),
               ((bm, bk), (bk, bn), (bm, bn)), (dtype, dtype, PARTIAL)),
            Op("cv", "cast", ("total",), (bm, bn), dtype, None, (), ((bm, bn),), (PARTIAL,)),
        ),
        (Buffer("acc", (bm, bn), PARTIAL, "k"),),
        (("BM", bm), ("BN", bn), ("BK", bk)),
    )  # fmt: skip


def vendor_plan(
    m: int, k: int, n: int, grid: tuple[int, int], dtype: str, template: Template
) -> tuple[TileProgram, Plan]:
    """Tile program and plan of a template; sizes are padded up to whole per-core blocks, as the vendor does."""
    columns, rows = grid
    block = (32 * template.height, 32 * template.width, 32 * template.depth)
    if template.spread == "1d":
        cores = ceil_div(n, block[1])
        across = min(columns, cores)
        down = ceil_div(cores, across)
        spatial: Spatial = ((Split("n", across),), (Split("n", down),) if down > 1 else ())
        return _placed(gemm(m, n, k, block, dtype), spatial, (across, down), (1, 1))
    height, _, width = per_core(m, k, n, grid)
    program = gemm(32 * height * rows, 32 * width * columns, k, block, dtype)
    return _placed(program, ((Split("n", columns),), (Split("m", rows),)), (columns, 1), (1, rows))


def _placed(
    program: TileProgram, spatial: Spatial, left: tuple[int, int], right: tuple[int, int]
) -> tuple[TileProgram, Plan]:
    """The plan in which ``left`` and ``right`` cores (across, down) share a read of A and of B."""
    waves = tuple(dim for dim, trips in wave_trips(program, spatial).items() if trips > 1)
    order = (waves,) if waves else ()
    nest = build_nest(program, spatial, order)
    inner, outer = nest.names[nest.home["k"]], nest.names[nest.home[""]]
    depth = 2 if inner else 1
    placements = (
        Placement("a", inner, depth, left, "private" if left == (1, 1) else "multicast", 1),
        Placement("b", inner, depth, right, "private" if right == (1, 1) else "multicast", 0),
        Placement("c", outer, 1, (1, 1), "private", 0),
    )
    return program, Plan(program.block, spatial, order, placements)
