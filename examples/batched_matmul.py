"""Batched matrix multiplication C[b] = A[b] @ B[b], as in attention scores over many heads.

Run it on a GPU with ``python batched_matmul.py [BATCH M N K]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}, num_warps=8),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def bmm_kernel(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_ab, stride_am, stride_ak,
    stride_bb, stride_bk, stride_bn,
    stride_cb, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    batch = tl.program_id(axis=2)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_base = a_ptr + batch * stride_ab
    b_base = b_ptr + batch * stride_bb

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        in_k = k + offs_k < K
        a = tl.load(
            a_base + offs_m[:, None] * stride_am + (k + offs_k)[None, :] * stride_ak,
            mask=(offs_m[:, None] < M) & in_k[None, :],
            other=0.0,
        )
        b = tl.load(
            b_base + (k + offs_k)[:, None] * stride_bk + offs_n[None, :] * stride_bn,
            mask=in_k[:, None] & (offs_n[None, :] < N),
            other=0.0,
        )
        acc += tl.dot(a, b)

    c_ptrs = c_ptr + batch * stride_cb + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def bmm(a, b):
    assert a.shape[0] == b.shape[0] and a.shape[2] == b.shape[1], f"{tuple(a.shape)} does not match {tuple(b.shape)}"
    batch, m, k = a.shape
    n = b.shape[2]
    c = torch.empty((batch, m, n), device=a.device, dtype=a.dtype)

    def grid(meta):
        return (triton.cdiv(m, meta["BLOCK_M"]), triton.cdiv(n, meta["BLOCK_N"]), batch)

    bmm_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c


def main(batch=16, m=1024, n=1024, k=128):
    a = torch.randn((batch, m, k), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((batch, k, n), device="cuda", dtype=torch.bfloat16)
    c = bmm(a, b)
    print(f"{batch} x ({m} x {k}) @ ({k} x {n}) -> {tuple(c.shape)} {c.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
