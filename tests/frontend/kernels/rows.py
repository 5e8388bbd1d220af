"""Kernels over rows and elements: softmax, layer norm, gather, transpose, no masks, fixed grids."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, stride_y, stride_x, rows, columns, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        offsets = tl.arange(0, BLOCK)
        mask = offsets < columns
        x = tl.load(x_ptr + row * stride_x + offsets, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * stride_y + offsets, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def layer_norm_kernel(y_ptr, x_ptr, w_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    mean = tl.sum(total, 0) / columns
    square = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
        x = tl.where(offsets < columns, x - mean, 0.0)
        square += x * x
    scale = 1 / tl.sqrt(tl.sum(square, 0) / columns + eps)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
        w = tl.load(w_ptr + offsets, mask=offsets < columns)
        tl.store(y_ptr + row * columns + offsets, (x - mean) * scale * w, mask=offsets < columns)


@triton.jit
def gather_kernel(y_ptr, table_ptr, index_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(index_ptr + row)
    offsets = tl.arange(0, BLOCK)
    value = tl.load(table_ptr + index * columns + offsets, mask=offsets < columns)
    tl.store(y_ptr + row * columns + offsets, value, mask=offsets < columns)


@triton.jit
def planes_kernel(y_ptr, x_ptr, size, end, BLOCK: tl.constexpr):
    image, half, channel, pixel = tl.program_id(0), tl.program_id(1), tl.arange(0, 2), tl.arange(0, BLOCK)
    offsets = ((image * 4 + half * 2 + channel) * size)[:, None] + pixel[None, :]
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=pixel[None, :] < end), mask=pixel[None, :] < end)


@triton.jit
def segments_kernel(y_ptr, starts_ptr, x_ptr, SEVERAL: tl.constexpr, BLOCK: tl.constexpr):
    row, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    start = tl.load(starts_ptr + row)
    end = tl.load(starts_ptr + row + 1) if SEVERAL else start + 4 * BLOCK
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(start, end, BLOCK):
        total += tl.where(lanes > i, tl.load(x_ptr + i + lanes), tl.load(x_ptr + lanes))
    tl.store(y_ptr + row * BLOCK + lanes, total)


@triton.jit
def transpose_kernel(y_ptr, x_ptr, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :])
    tl.store(y_ptr + j[None, :] * rows + i[:, None], x)


@triton.jit
def double_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets))


@triton.jit
def stencil_kernel(y_ptr, x_ptr, w_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for dy in range(3):
        for dx in range(3):
            y, x = row + dy - 1, offsets + dx - 1
            inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
            acc += tl.load(x_ptr + y * columns + x, mask=inside, other=0.0) * tl.load(w_ptr + dy * 3 + dx)
    tl.store(y_ptr + row * columns + offsets, acc, mask=offsets < columns)


@triton.jit
def choose_kernel(out_ptr, a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    """Two tensors one after the other, by a pointer that depends on the program."""
    part, offsets = tl.program_id(0), tl.arange(0, BLOCK)
    source = b_ptr
    if part == 0:
        source = a_ptr
    tl.store(out_ptr + part * n + offsets, tl.load(source + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def no_trips_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """The loop over whole steps of 1024 elements never runs on short rows."""
    offsets = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n // 1024):
        for part in range(0, 1024 // BLOCK):
            acc += tl.load(x_ptr + start * 1024 + part * BLOCK + offsets)
    acc += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(y_ptr + offsets, acc)


@triton.jit
def fallback_kernel(y_ptr, x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.load(z_ptr + offsets)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n, other=2 * z))


@triton.jit
def pairs_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + 2 * offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def early_kernel(y_ptr, x_ptr, blocks, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    if block >= blocks:
        return
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))


@triton.jit
def while_kernel(y_ptr, x_ptr, blocks, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    while block < blocks:
        offsets = tl.arange(0, BLOCK)
        tl.store(y_ptr + block * BLOCK + offsets, tl.load(x_ptr + offsets))
        block += tl.num_programs(0)


def softmax(rows=1823, columns=781, programs=132):
    x = torch.randn((rows, columns), device="cuda")
    y = torch.empty_like(x)
    softmax_kernel[(programs,)](y, x, y.stride(0), x.stride(0), rows, columns, BLOCK=triton.next_power_of_2(columns))


def layer_norm(rows=64, columns=1000, block=256):
    x = torch.randn((rows, columns), device="cuda")
    layer_norm_kernel[(rows,)](torch.empty_like(x), x, x[0].clone(), columns, 1e-5, BLOCK=block)


def gather(rows=64, columns=100):
    table = torch.randn((1000, columns), device="cuda")
    index = torch.arange(rows, device="cuda", dtype=torch.int32) * 3
    gather_kernel[(rows,)](torch.empty_like(table[:rows]), table, index, columns, BLOCK=128)


def planes(rows=5, columns=8, ends=None):
    x = torch.randn((6, 4, rows, columns), device="cuda")
    y, size = torch.empty_like(x), rows * columns
    planes_kernel[(6, 2)](y, x, size, size if ends is None else ends, BLOCK=triton.next_power_of_2(size))


def segments(several=1):
    x, starts = torch.randn((512,), device="cuda"), torch.zeros((9,), dtype=torch.int32, device="cuda")
    segments_kernel[(8,)](torch.empty((8 * 64,), device="cuda"), starts, x, SEVERAL=bool(several), BLOCK=64)


def transpose(rows=128, columns=256):
    x = torch.randn((rows, columns), device="cuda")
    transpose_kernel[(rows // 32, columns // 32)](torch.empty_like(x.T.contiguous()), x, rows, columns, BLOCK=32)


def double(elements=4096, block=64):
    x = torch.randn((elements,), device="cuda")
    double_kernel[lambda meta: (elements // meta["BLOCK"],)](torch.empty_like(x), x, BLOCK=block)


def stencil(rows=20, columns=100):
    x = torch.randn((rows, columns), device="cuda")
    w = torch.randn((9,), device="cuda")
    stencil_kernel[(rows, triton.cdiv(columns, 32))](torch.empty_like(x), x, w, rows, columns, BLOCK=32)


def fallback():
    z = torch.randn((512,), device="cuda")
    fallback_kernel[(8,)](torch.empty_like(z), z[:500].clone(), z, 500, BLOCK=64)


def choose(n=96):
    a, b = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    choose_kernel[(2,)](torch.empty(2 * n, device="cuda"), a, b, n, BLOCK=128)


def no_trips(n=100):
    x = torch.randn(n, device="cuda")
    no_trips_kernel[(1,)](torch.empty(128, device="cuda"), x, n, BLOCK=128)


def in_place(rows=100, columns=64):
    x = torch.randn((rows, columns), device="cuda")
    softmax_kernel[(8,)](x, x, columns, columns, rows, columns, BLOCK=64)


def pairs():
    x = torch.randn((1000,), device="cuda")
    pairs_kernel[(8,)](x[:500].clone(), x, 500, BLOCK=64)


def early(programs=8, blocks=8):
    x = torch.randn((programs * 64,), device="cuda")
    early_kernel[(programs,)](torch.empty_like(x), x, blocks, BLOCK=64)


def while_loop():
    x = torch.randn((1024,), device="cuda")
    while_kernel[(4,)](torch.empty_like(x), x, 16, BLOCK=64)


def fixed_grid():
    x = torch.randn((4096,), device="cuda")
    double_kernel[(64,)](torch.empty_like(x), x, BLOCK=64)


@triton.jit
def minus_kernel(y, x, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.exp(-tl.load(x + offsets)))


def minus():
    x = torch.randn((4096,), device="cuda")
    minus_kernel[(64,)](torch.empty_like(x), x, BLOCK=64)


@triton.jit
def decided_kernel(y, z, x, columns, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    loaded = tl.load(x + offsets)
    tl.store(y + offsets, tl.where(offsets < columns, loaded, 0.0))
    total = loaded
    for _ in range(0, ROUNDS - columns):  # no trip
        total += loaded
    tl.store(z + offsets, total)


def decided():
    x = torch.randn((4096,), device="cuda")
    decided_kernel[(64,)](torch.empty_like(x), torch.empty_like(x), x, 4096, ROUNDS=4, BLOCK=64)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
