"""Kernels that do not take every block shape, each for another reason."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def checked(x, offsets, n, BLOCK: tl.constexpr):
    HALF: tl.constexpr = BLOCK // 2
    tl.static_assert(HALF % 48 == 0 or HALF <= 64)
    return tl.load(x + offsets, mask=offsets < n)


@triton.jit
def nested_assertion(y, x, n, BLOCK: tl.constexpr):
    """A called function asserts something of a constexpr that it computes."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, checked(x, offsets, n, BLOCK), mask=offsets < n)


@triton.jit
def ratio_assertion(y, x, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Two parameters have to fit together."""
    RATIO: tl.constexpr = BLOCK // ROWS
    tl.static_assert(RATIO >= 1 and RATIO <= 2)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (row < n) & (column < n)
    tl.store(y + row * n + column, tl.load(x + row * n + column, mask=inside), mask=inside)


@triton.jit
def branch(y, x, n, BLOCK: tl.constexpr):
    """Large blocks are worked on in another way."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    if BLOCK > 160:
        value += tl.load(x + offsets + 1, mask=offsets < n - 1)
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def clipped(y, x, n, BLOCK: tl.constexpr):
    """A block has no more than 256 elements, whatever is asked for."""
    SIZE: tl.constexpr = min(BLOCK, 256)
    for start in range(tl.program_id(0) * BLOCK, tl.program_id(0) * BLOCK + BLOCK, SIZE):
        offsets = start + tl.arange(0, SIZE)
        tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def unsaid(y, x, n, BLOCK: tl.constexpr):
    """Triton refuses blocks of less than 64, which no assertion says."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    value = tl.reshape(tl.reshape(value, (BLOCK // 64, 64)) + 1.0, (BLOCK,))
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def hopeless(y, x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 7 == 0)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def double(y, x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, 2 * tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def even(y, x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + offsets, tl.load(x + offsets))
    else:
        tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def chunked(y, x, chunk, BLOCK: tl.constexpr):
    """Blocks of a chunk; one that does not divide it would write into the next chunk."""
    offsets = tl.program_id(1) * chunk + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.num_programs(1) * chunk
    tl.store(y + offsets, 2 * tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def band(y, x, n, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Every block of rows reads the columns around the diagonal."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    first = tl.maximum(tl.program_id(0) * ROWS - width, 0)
    last = tl.minimum(tl.program_id(0) * ROWS + ROWS + width, n)
    for start in range(first, last, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        mask = (row < n)[:, None] & (column < n)[None, :]
        total += tl.sum(tl.load(x + row[:, None] * n + column[None, :], mask=mask, other=0.0), axis=1)
    tl.store(y + row, total, mask=row < n)


@triton.jit
def square(y, x, n, BLOCK: tl.constexpr):
    """The square of the parameter is a size too."""
    offsets = tl.program_id(0) * BLOCK * BLOCK + tl.arange(0, BLOCK * BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


LINES = {f.fn.__name__: f for f in (nested_assertion, branch, clipped, unsaid, hopeless, square)}


def launch(name, n=4096):
    x = torch.randn(n, device="cuda")
    y = torch.empty_like(x)
    if name in LINES:
        size = 1024 if name == "square" else None
        LINES[name][lambda meta: (triton.cdiv(n, size or meta["BLOCK"]),)](y, x, n, BLOCK=32)
    elif name == "floor_grid":
        double[lambda meta: (n // meta["BLOCK"],)](y, x, n, BLOCK=32)
    elif name == "host_limit":
        double[limited(n)](y, x, n, BLOCK=32)
    elif name == "fixed_grid":
        double[(triton.cdiv(n, 64),)](y, x, n, BLOCK=64)
    elif name == "even":
        even[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](y, x, n, BLOCK=32)
    elif name == "chunked":
        chunked[lambda meta: (triton.cdiv(n // 8, meta["BLOCK"]), 8)](y, x, n // 8, BLOCK=32)
    else:
        matrix = torch.randn(n, n, device="cuda")
        if name == "ratio_assertion":
            ratio_assertion[lambda meta: (triton.cdiv(n, meta["ROWS"]), triton.cdiv(n, meta["BLOCK"]))](
                torch.empty_like(matrix), matrix, n, ROWS=32, BLOCK=32
            )
        else:
            band[lambda meta: (triton.cdiv(n, meta["ROWS"]),)](y, matrix, n, 200, ROWS=32, COLUMNS=32)


def limited(n):
    def grid(meta):
        assert meta["BLOCK"] <= 512, "too large for this GPU"
        return (triton.cdiv(n, meta["BLOCK"]),)

    return grid


if __name__ == "__main__":
    launch(sys.argv[1], *map(int, sys.argv[2:]))
