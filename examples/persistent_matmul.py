"""Persistent matrix multiplication C = A @ B^T with tensor descriptors.

One program per multiprocessor walks over the tiles of C. Both operands are contiguous along the inner axis, as weights
of linear layers are. Run it on a GPU (Hopper or newer) with ``python persistent_matmul.py [M N K]``.
"""

import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def set_block_shapes(args):
    """Descriptors are made before the block shape is known; each configuration sets its own."""
    args["a_desc"].block_shape = [args["BLOCK_M"], args["BLOCK_K"]]
    args["b_desc"].block_shape = [args["BLOCK_N"], args["BLOCK_K"]]
    args["c_desc"].block_shape = [args["BLOCK_M"], args["BLOCK_N"]]


def configs():
    shapes = [(64, 64, 64), (64, 128, 64), (128, 128, 64), (128, 256, 64)]
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=8, pre_hook=set_block_shapes)
        for m, n, k in shapes
    ]


@triton.jit
def tile_position(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile when GROUP_M rows of tiles are visited together."""
    per_group = GROUP_M * tiles_n
    first_m = tile // per_group * GROUP_M
    height = min(tiles_m - first_m, GROUP_M)
    tile_m = first_m + tile % per_group % height
    tile_n = tile % per_group // height
    return tile_m, tile_n


@triton.autotune(configs=configs(), key=["M", "N", "K"])
@triton.jit
def persistent_matmul_kernel(
    a_desc, b_desc, c_desc,
    M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP_M)
        row, column = tile_m * BLOCK_M, tile_n * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            a = a_desc.load([row, k])
            b = b_desc.load([column, k])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([row, column], acc.to(c_desc.dtype))


def persistent_matmul(a, b):
    assert a.shape[1] == b.shape[1], f"inner sizes differ: {tuple(a.shape)} and {tuple(b.shape)}"
    m, k = a.shape
    n = b.shape[0]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    descriptors = [TensorDescriptor.from_tensor(tensor, [1, 1]) for tensor in (a, b, c)]
    programs = torch.cuda.get_device_properties(0).multi_processor_count

    def grid(meta):
        return (min(programs, triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"])),)

    persistent_matmul_kernel[grid](*descriptors, m, n, k)
    return c


def main(m=8192, n=8192, k=512):
    a = torch.randn((m, k), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((n, k), device="cuda", dtype=torch.bfloat16)
    c = persistent_matmul(a, b)
    print(f"({m} x {k}) @ ({n} x {k})^T -> {tuple(c.shape)} {c.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
