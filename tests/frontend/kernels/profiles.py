"""Loops whose trip counts depend on the block: before and after it, clipped, in bands, in two dims, nested."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(y_ptr, x_ptr, n, stride, width, BLOCK: tl.constexpr, STEP: tl.constexpr, WHICH: tl.constexpr):
    """Sums of columns ``first`` to ``last`` of every row block, in steps."""
    row, part = tl.program_id(0), tl.program_id(1)
    rows = row * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, STEP), tl.float32)
    first, last = 0, n
    if WHICH == "before":
        last = row * BLOCK
    elif WHICH == "up_to":
        last = tl.minimum((row + 1) * BLOCK, n)
    elif WHICH == "beside":
        first = row * BLOCK
        last = tl.minimum(first + BLOCK, n)
    elif WHICH == "after":
        first = row * BLOCK
    elif WHICH == "band":
        first = tl.maximum(row * BLOCK - width, 0)
        last = tl.minimum((row + 1) * BLOCK, n)
    elif WHICH == "square":
        last = row * row * STEP
    elif WHICH == "two_dims":
        last = (row + part) * BLOCK
    for start in range(first, last, STEP):
        columns = start + tl.arange(0, STEP)
        acc += tl.load(x_ptr + part * n * stride + rows[:, None] * stride + columns[None, :])
    tl.store(y_ptr + part * n + rows, tl.sum(acc, 1))


@triton.jit
def nested_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    """A loop up to the block inside another one up to it."""
    row = tl.program_id(0)
    rows = row * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, STEP), tl.float32)
    for plane in range(0, row + 1):
        for start in range(0, (row + 1) * BLOCK, STEP):
            columns = start + tl.arange(0, STEP)
            acc += tl.load(x_ptr + plane * n * n + rows[:, None] * n + columns[None, :])
    tl.store(y_ptr + rows, tl.sum(acc, 1))


def sums(which, n=256, block=32, step=16, width=0):
    x = torch.empty((2, n, n), device="cuda")
    grid = (triton.cdiv(n, block), 2)
    sum_kernel[grid](torch.empty((2, n), device="cuda"), x, n, n, width, BLOCK=block, STEP=step, WHICH=which)


def nested(n=128):
    nested_kernel[(n // 32,)](
        torch.empty(n, device="cuda"), torch.empty((4, n, n), device="cuda"), n, BLOCK=32, STEP=16
    )


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    if name == "nested":
        nested()
    else:
        sums(name, *map(int, numbers))
