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
def transpose_kernel(y_ptr, x_ptr, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :])
    tl.store(y_ptr + j[None, :] * rows + i[:, None], x)


@triton.jit
def double_kernel(y_ptr, x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets))


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


def transpose(rows=128, columns=256):
    x = torch.randn((rows, columns), device="cuda")
    transpose_kernel[(rows // 32, columns // 32)](torch.empty_like(x.T.contiguous()), x, rows, columns, BLOCK=32)


def double(elements=4096, block=64):
    x = torch.randn((elements,), device="cuda")
    double_kernel[lambda meta: (elements // meta["BLOCK"],)](torch.empty_like(x), x, BLOCK=block)


def fixed_grid():
    x = torch.randn((4096,), device="cuda")
    double_kernel[(64,)](torch.empty_like(x), x, BLOCK=64)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
