"""Several kernels in one file, most of which cannot be planned, each for another reason."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(y, x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, 2 * tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def picky(y, x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 17)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)))


@triton.jit
def counted(y, x, count, BLOCK: tl.constexpr):
    for i in range(tl.load(count)):
        tl.store(y + i * BLOCK + tl.arange(0, BLOCK), tl.load(x + i * BLOCK + tl.arange(0, BLOCK)))


@triton.jit
def gather(y, x, index, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + tl.load(index + offsets)))


def run_double(n=1024):
    x = torch.randn(n, device="cuda")
    double[(triton.cdiv(n, 64),)](torch.empty_like(x), x, n, BLOCK=64)


def run_picky(n=1024):
    x = torch.randn(n, device="cuda")
    picky[(1,)](torch.empty_like(x), x, n, BLOCK=64)


def run_counted(n=1024):
    x = torch.randn(n, device="cuda")
    counted[(1,)](torch.empty_like(x), x, torch.ones(1, dtype=torch.int32), BLOCK=64)


def run_gather(n=1024):
    x = torch.randn(n, device="cuda")
    gather[(triton.cdiv(n, 64),)](torch.empty_like(x), x, torch.zeros(n, dtype=torch.int32), BLOCK=64)


def all_kernels():
    run_picky()
    run_double()
    run_counted()
    run_gather()
    run_picky(2048)
    run_double(2048)


def hopeless():
    run_picky()
    run_counted()


if __name__ == "__main__":
    all_kernels()
