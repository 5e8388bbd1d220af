"""A kernel file as a user has it: C = A @ B in bf16, launched when the file runs (arguments: size and block)."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + m[:, None] * K + ks[None, :]), tl.load(b + ks[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], acc)


def run(size=128, block=64):
    a, b = (torch.empty((size, size), dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty((size, size), dtype=torch.float32)
    product[(size // block, size // block)](a, b, c, size, size, BM=block, BN=block, BK=32)


def two_sizes():
    run(128)
    run(256)


if __name__ == "__main__":
    run(*map(int, sys.argv[1:]))
