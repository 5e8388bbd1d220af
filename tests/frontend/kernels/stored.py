"""Kernels on matrices, and what keeps a tensor of them from being stored in a block format."""

import torch
import triton
import triton.language as tl


def matrix(rows=64, columns=64, dtype=torch.bfloat16):
    return torch.randn((rows, columns), device="cuda", dtype=dtype)


@triton.jit
def scale_kernel(y, x, w, unused, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    here = m[:, None] * columns + n[None, :]
    tl.store(y + here, tl.load(x + here) * tl.load(w + n)[None, :])


def scale():
    """A matrix times a vector per column, in one block."""
    w = torch.randn((64,), device="cuda", dtype=torch.bfloat16)
    scale_kernel[(1, 1)](matrix(), matrix(), w, matrix(), 64, ROWS=64, COLUMNS=64)


def counted():
    """Integers."""
    w = torch.ones((64,), device="cuda", dtype=torch.int32)
    x, y = (torch.ones((64, 64), device="cuda", dtype=torch.int32) for _ in range(2))
    scale_kernel[(1, 1)](y, x, w, matrix(), 64, ROWS=64, COLUMNS=64)


def by_rows():
    """A row per block: element-wise work on runs of elements."""
    w = torch.randn((64,), device="cuda", dtype=torch.bfloat16)
    scale_kernel[(64, 1)](matrix(), matrix(), w, matrix(), 64, ROWS=1, COLUMNS=64)


def in_place():
    """The result is one of the operands."""
    x, w = matrix(), torch.randn((64,), device="cuda", dtype=torch.bfloat16)
    scale_kernel[(1, 1)](x, x, w, matrix(), 64, ROWS=64, COLUMNS=64)


@triton.jit
def add_kernel(y, x, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    here = tl.arange(0, ROWS)[:, None] * columns + tl.arange(0, COLUMNS)[None, :]
    tl.atomic_add(y + here, tl.load(x + here))


def added():
    """Atomics."""
    add_kernel[(1,)](matrix(dtype=torch.float32), matrix(dtype=torch.float32), 64, ROWS=64, COLUMNS=64)


@triton.jit
def gather_kernel(y, x, index, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m, n = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    values = tl.load(x + tl.load(index + m)[:, None] * columns + n[None, :])
    tl.store(y + m[:, None] * columns + n[None, :], values)


def gathered():
    """Rows that an index tensor chooses."""
    index = torch.zeros((64,), device="cuda", dtype=torch.int32)
    gather_kernel[(1,)](matrix(), matrix(), index, 64, ROWS=64, COLUMNS=64)


@triton.jit
def skip_kernel(y, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m, n = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    tl.store(y + m * COLUMNS + n, tl.load(x + m * 3 * COLUMNS + n * 3))


def skipped():
    """Every third column of a matrix."""
    skip_kernel[(1,)](matrix(64, 64), matrix(64, 192), ROWS=64, COLUMNS=64)


@triton.jit
def bits_kernel(y, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    here = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(y + here, tl.load(x + here).to(tl.int16, bitcast=True))
    tl.store(y + here + ROWS * COLUMNS, tl.load(x.to(tl.pointer_type(tl.int16)) + here))


def bits():
    """A matrix read as bf16 and as the bits of it."""
    y = torch.zeros((128, 64), device="cuda", dtype=torch.int16)
    bits_kernel[(1,)](y, matrix(), ROWS=64, COLUMNS=64)


@triton.jit
def largest_kernel(y, x, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr, OTHER: tl.constexpr):
    m, n = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    x = tl.load(x + m[:, None] * columns + n[None, :], mask=inside, other=OTHER)
    tl.store(y + m, tl.max(x, axis=1), mask=m < rows)


def largest(columns=50, other=float("-inf")):
    """The largest number of every row of a matrix that a block hangs over."""
    y = torch.zeros((64,), device="cuda", dtype=torch.bfloat16)
    largest_kernel[(1,)](y, matrix(64, columns), 64, columns, ROWS=64, COLUMNS=64, OTHER=other)


@triton.jit
def head_kernel(y, x, length, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m, n = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x + m * columns + n, mask=m < length, other=0.0)
    tl.store(y + m * columns + n, x + 1.0)


def head():
    """The first rows of a matrix, and zeros in place of the others."""
    head_kernel[(1,)](matrix(), matrix(), 41, 64, ROWS=64, COLUMNS=64)


@triton.jit
def product_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        i = k * BK + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + i[None, :], mask=(m[:, None] < M) & (i[None, :] < K), other=0.0)
        right = tl.load(b + i[:, None] * N + n[None, :], mask=(i[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def product(m=128, n=96, k=64, bm=64, bn=32, bk=32, kind="bfloat16"):
    """C = A @ B."""
    dtype = getattr(torch, kind)
    a, b, c = matrix(m, k, dtype), matrix(k, n, dtype), matrix(m, n, dtype)

    def grid(meta):
        return triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"])

    product_kernel[grid](a, b, c, m, n, k, BM=bm, BN=bn, BK=bk)


@triton.jit
def twice_kernel(y, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m, n = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    first, second = tl.load(x + m * 40 + n), tl.load(x + m * 40 + 8 + n)
    tl.store(y + m * COLUMNS + n, first + second)


def twice():
    """Two tiles of one matrix, the second of which begins 8 columns behind the first."""
    twice_kernel[(1,)](matrix(32, 32), matrix(32, 40), ROWS=32, COLUMNS=32)


@triton.jit
def chain_kernel(a, b, c, SIZE: tl.constexpr):
    here = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    first = tl.dot(tl.load(a + here), tl.load(b + here)).to(tl.float16)
    tl.store(c + here, tl.dot(first, tl.load(b + here)).to(tl.float16))


def chain():
    """A product of a product, in fp16."""
    a, b, c = (matrix(dtype=torch.float16) for _ in range(3))
    chain_kernel[(1,)](a, b, c, SIZE=64)
