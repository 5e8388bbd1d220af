"""Masks of every kind: early ends, ends and beginnings that vary from block to block, and ones that follow no axis."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def early(y, x, end, BLOCK: tl.constexpr):
    """Rows of a long vector, of which only the first ``end`` elements are valid."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < end, other=-1.0))


@triton.jit
def chunks(y, x, n, chunk, BLOCK: tl.constexpr):
    """Every program reads one chunk of a vector, the last of which is shorter."""
    lane = tl.arange(0, BLOCK)
    end = tl.minimum(chunk, n - tl.program_id(0) * chunk)
    offsets = tl.program_id(0) * chunk + lane
    tl.store(y + tl.program_id(0) * BLOCK + lane, tl.load(x + offsets, mask=lane < end, other=float("-inf")))


@triton.jit
def band(y, x, n, width, BLOCK: tl.constexpr):
    """Blocks around a diagonal: the first column of a block is none of its own multiples."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.maximum(tl.program_id(0) * BLOCK - width, 0) + tl.arange(0, BLOCK)
    mask = (row < n)[:, None] & (column < n)[None, :]
    tile = tl.load(x + row[:, None] * n + column[None, :], mask=mask, other=0.0)
    tl.store(y + row, tl.sum(tile, axis=1), mask=row < n)


@triton.jit
def history(y, x, n, BLOCK: tl.constexpr):
    """A causal stencil: the element before, which the first one does not have, and the one before in the same block."""
    lane = tl.arange(0, BLOCK)
    offsets = tl.program_id(0) * BLOCK + lane
    before = tl.load(x + offsets - 1, mask=(offsets >= 1) & (offsets < n), other=2.0)
    inside = tl.load(x + offsets - 1, mask=(lane >= 1) & (offsets < n), other=3.0)
    tl.store(y + offsets, before + 10 * inside, mask=offsets < n)


@triton.jit
def triangle(y, x, n, BLOCK: tl.constexpr):
    """The lower triangle is read, and written transposed."""
    row, column = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + row * n + column, mask=(row >= column) & (row < n) & (column < n), other=5.0)
    tl.store(y + column * n + row, tile, mask=(row >= column) & (row < n) & (column < n))


@triton.jit
def flagged(y, x, flags, default, n, BLOCK: tl.constexpr):
    """Elements whose flag is set, and a value of the block for the others."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    flag = tl.load(flags + offsets, mask=offsets < n, other=0.0)
    other = tl.load(default + offsets, mask=offsets < n)
    kept = tl.load(x + offsets, mask=(flag > 0) & (offsets < n), other=other)
    tl.store(y + offsets, kept, mask=(flag < 2) & (offsets < n))


@triton.jit
def computed(y, x, n, BLOCK: tl.constexpr):
    """What lies past the end is taken to be the largest element."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    peak = tl.max(tl.load(x + tl.arange(0, BLOCK)), axis=0)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n, other=peak))


@triton.jit
def padded(y, x, rows, columns, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    """A descriptor fills in what lies outside of it."""
    tile = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [BLOCK, BLOCK], padding_option=PADDING).load(
        [0, 0]
    )
    row, column = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(y + row * BLOCK + column, tile)


def launch(name, n=100, block=32):
    x, y = torch.randn(n, device="cuda"), torch.empty(triton.cdiv(n, block) * block, device="cuda")
    programs = (triton.cdiv(n, block),)
    if name == "early":
        early[programs](y, torch.randn(len(y)), n - 7, BLOCK=block)
    elif name == "chunks":
        chunks[(5,)](torch.empty(5 * block), x, n, n // 5 + 3, BLOCK=block)
    elif name == "history":
        history[programs](torch.empty_like(x), x, n, BLOCK=block)
    elif name == "band":
        band[programs](torch.empty_like(x), torch.randn(n, n), n, 20, BLOCK=block)
    elif name == "triangle":
        triangle[(1,)](torch.empty(n, n), torch.randn(n, n), n, BLOCK=block)
    elif name == "flagged":
        flagged[programs](torch.empty_like(x), x, torch.ones_like(x), torch.randn_like(x), n, BLOCK=block)
    elif name == "computed":
        computed[programs](y, x, n, BLOCK=block)
    else:
        padded[(1,)](torch.empty(block, block), torch.randn(n, n), n, n, BLOCK=block, PADDING=name)


if __name__ == "__main__":
    launch(sys.argv[1], *map(int, sys.argv[2:]))
