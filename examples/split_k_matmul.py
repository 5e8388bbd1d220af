"""Split-K matrix multiplication: several programs share one tile of C and add their parts with atomics.

Meant for few rows and a long inner axis, where whole tiles alone do not fill the machine. Run it on a GPU with
``python split_k_matmul.py [M N K]``.
"""

import sys

import torch
import triton
import triton.language as tl


def configs():
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "SPLIT_K": split}, num_warps=4, num_stages=4)
        for m, n, k in [(32, 64, 64), (32, 128, 64), (64, 64, 64)]
        for split in (4, 8, 16)
    ]


@triton.autotune(configs=configs(), key=["M", "N", "K"], reset_to_zero=["c_ptr"])
@triton.jit
def split_k_matmul_kernel(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(axis=0)
    part = tl.program_id(axis=1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    tile_m = tile // tiles_n
    tile_n = tile % tiles_n

    offs_m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = part * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    # Part p takes blocks p, p + SPLIT_K, p + 2 SPLIT_K, ... of the inner axis.
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        in_k = offs_k < K - step * (BLOCK_K * SPLIT_K)
        a = tl.load(a_ptrs, mask=(offs_m < M)[:, None] & in_k[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=in_k[:, None] & (offs_n < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * SPLIT_K * stride_ak
        b_ptrs += BLOCK_K * SPLIT_K * stride_bk

    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.atomic_add(c_ptrs, acc, mask=(offs_m < M)[:, None] & (offs_n < N)[None, :], sem="relaxed")


def split_k_matmul(a, b):
    assert a.shape[1] == b.shape[0], f"inner sizes differ: {tuple(a.shape)} and {tuple(b.shape)}"
    m, k = a.shape
    n = b.shape[1]
    c = torch.zeros((m, n), device=a.device, dtype=torch.float32)

    def grid(meta):
        return (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]), meta["SPLIT_K"])

    split_k_matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c


def main(m=64, n=4096, k=16384):
    a = torch.randn((m, k), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((k, n), device="cuda", dtype=torch.bfloat16)
    c = split_k_matmul(a, b)
    print(f"({m} x {k}) @ ({k} x {n}) -> {tuple(c.shape)} {c.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
