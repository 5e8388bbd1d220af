"""Program ids that carry several coordinates, on tensors that order those coordinates differently."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def chunk_sums_kernel(x_ptr, scale_ptr, sums_ptr, CHUNKS, HEADS, LENGTH, DIM: tl.constexpr, SIZE: tl.constexpr):
    """x is [batch, length, heads, dim], scale is [batch, heads, chunks, size], sums is [batch, chunks, heads, dim]."""
    head = tl.program_id(0)
    batch = tl.program_id(1) // CHUNKS
    chunk = tl.program_id(1) % CHUNKS
    rows, columns = tl.arange(0, SIZE), tl.arange(0, DIM)
    positions = (batch * LENGTH + chunk * SIZE + rows) * HEADS + head
    x = tl.load(x_ptr + positions[:, None] * DIM + columns[None, :])
    scale = tl.load(scale_ptr + ((batch * HEADS + head) * CHUNKS + chunk) * SIZE + rows)
    sums = tl.sum(x * scale[:, None], axis=0)
    tl.store(sums_ptr + ((batch * CHUNKS + chunk) * HEADS + head) * DIM + columns, sums)


@triton.jit
def transposed_add_kernel(x_ptr, y_ptr, out_ptr, COLUMNS, BLOCK: tl.constexpr):
    """out = x + y.T on square matrices, one number per block of a row."""
    blocks = COLUMNS // BLOCK
    row, block = tl.program_id(0) // blocks, tl.program_id(0) % blocks
    lanes = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * COLUMNS + lanes)
    y = tl.load(y_ptr + row + lanes * COLUMNS)
    tl.store(out_ptr + row * COLUMNS + lanes, x + y)


@triton.jit
def previous_row_kernel(x_ptr, out_ptr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of a group minus the last row before the group; the first group takes its own first row."""
    group = tl.program_id(0)
    columns = tl.arange(0, COLUMNS)
    before = tl.load(x_ptr + tl.maximum(group * BLOCK - 1, 0) * COLUMNS + columns)
    rows = group * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + rows[:, None] * COLUMNS + columns[None, :], x - before[None, :])


@triton.jit
def rounded_kernel(x_ptr, out_ptr, LENGTH, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    """Sum of the blocks from the start of a group up to this block, the start computed with a rounded quotient."""
    block = tl.program_id(0)
    first = tl.floor(block * BLOCK / GROUP).to(tl.int32) * GROUP
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(first, block * BLOCK, BLOCK):
        total += tl.load(x_ptr + start + tl.arange(0, BLOCK))
    tl.store(out_ptr + block * BLOCK + tl.arange(0, BLOCK), total)


@triton.jit
def batched_tiles_kernel(x_ptr, out_ptr, ROWS, COLUMNS, BLOCK: tl.constexpr):
    """Tiles through descriptors of three axes, of which a tile has two."""
    batch, row = tl.program_id(0), tl.program_id(1)
    source = tl.make_tensor_descriptor(x_ptr, [2, ROWS, COLUMNS], [ROWS * COLUMNS, COLUMNS, 1], [1, BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out_ptr, [2, ROWS, COLUMNS], [ROWS * COLUMNS, COLUMNS, 1], [1, BLOCK, BLOCK])
    for column in range(0, COLUMNS, BLOCK):
        tile = source.load([batch, row * BLOCK, column]).reshape(BLOCK, BLOCK)
        target.store([batch, row * BLOCK, column], (tile * 2).reshape(1, BLOCK, BLOCK))


def chunk_sums(batch=2, chunks=4, heads=3, dim=16, size=32):
    x = torch.randn((batch, chunks * size, heads, dim), device="cuda")
    scale = torch.randn((batch, heads, chunks, size), device="cuda")
    sums = torch.empty((batch, chunks, heads, dim), device="cuda")
    chunk_sums_kernel[(heads, batch * chunks)](x, scale, sums, chunks, heads, chunks * size, DIM=dim, SIZE=size)


def transposed_add(n=256, block=64):
    x, y = torch.randn((n, n), device="cuda"), torch.randn((n, n), device="cuda")
    transposed_add_kernel[(n * n // block,)](x, y, torch.empty_like(x), n, BLOCK=block)


def previous_row(rows=256, columns=64, block=32):
    x = torch.randn((rows, columns), device="cuda")
    previous_row_kernel[(rows // block,)](x, torch.empty_like(x), COLUMNS=columns, BLOCK=block)


def rounded(length=512, block=32, group=128):
    x = torch.randn(length, device="cuda")
    rounded_kernel[(length // block,)](x, torch.empty_like(x), length, BLOCK=block, GROUP=group)


def batched_tiles(rows=128, columns=96, block=32):
    x = torch.randn((2, rows, columns), device="cuda")
    batched_tiles_kernel[(2, rows // block)](x, torch.empty_like(x), rows, columns, BLOCK=block)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
