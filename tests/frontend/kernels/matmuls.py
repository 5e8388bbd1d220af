"""The ways people write a matrix product: persistent, block pointers, tensor descriptors, split-K with atomics."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def persistent_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), blocks_m * blocks_n, tl.num_programs(0)):
        first = tile // (GROUP_M * blocks_n) * GROUP_M
        height = min(blocks_m - first, GROUP_M)
        block_m = first + tile % (GROUP_M * blocks_n) % height
        block_n = tile % (GROUP_M * blocks_n) // height
        rows = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
        safe_rows = tl.where(rows < M, rows, 0)
        safe_columns = tl.where(columns < N, columns, 0)
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            inner = k * BLOCK_K + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + safe_rows[:, None] * K + inner[None, :], mask=inner[None, :] < K, other=0.0)
            b = tl.load(b_ptr + inner[:, None] * N + safe_columns[None, :], mask=inner[:, None] < K, other=0.0)
            acc = tl.dot(a, b, acc)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.bfloat16), mask=mask)


@triton.jit
def block_pointer_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    block_m, block_n = tl.program_id(0), tl.program_id(1)
    a_block = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (block_m * BLOCK_M, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, block_n * BLOCK_N), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        acc += tl.dot(tl.load(a_block, boundary_check=(0, 1)), tl.load(b_block, boundary_check=(0, 1)))
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))
    c_block = tl.make_block_ptr(
        c_ptr, (M, N), (N, 1), (block_m * BLOCK_M, block_n * BLOCK_N), (BLOCK_M, BLOCK_N), (1, 0)
    )
    tl.store(c_block, acc.to(tl.bfloat16), boundary_check=(0, 1))


@triton.jit
def descriptor_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    a_tiles = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    c_tiles = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        acc += tl.dot(a_tiles.load([row, k]), b_tiles.load([k, column]))
    c_tiles.store([row, column], acc.to(tl.bfloat16))


@triton.jit
def split_k_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(2)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = part * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * K + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * N + columns[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        left = K - k * BLOCK_K * SPLIT_K
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (columns[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K * N
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.atomic_add(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=mask)


def tensors(m, n, k, dtype=torch.bfloat16):
    a = torch.randn((m, k), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((k, n), device="cuda", dtype=torch.bfloat16)
    return a, b, torch.zeros((m, n), device="cuda", dtype=dtype), m, n, k


def persistent(m=4096, n=4096, k=512, programs=132):
    persistent_kernel[(programs,)](*tensors(m, n, k), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8)


def block_pointers(m=1000, n=512, k=384):
    grid = (triton.cdiv(m, 128), triton.cdiv(n, 128))
    block_pointer_kernel[grid](*tensors(m, n, k), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)


def descriptors(m=1000, n=512, k=384):
    grid = (triton.cdiv(m, 128), triton.cdiv(n, 128))
    descriptor_kernel[grid](*tensors(m, n, k), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)


def split_k(m=256, n=128, k=1024):
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64), 4)
    split_k_kernel[grid](*tensors(m, n, k, torch.float32), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, SPLIT_K=4)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
