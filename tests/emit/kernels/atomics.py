"""Kernels whose blocks update common memory: ``python atomics.py NAME ROWS COLUMNS [DTYPE]``."""

import sys

import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def column_sums(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    """Every block of rows adds to all column sums."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.atomic_add(y_ptr + column, tl.sum(x, axis=0), mask=column < columns)


@triton.jit
def whole_sum(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    """All blocks add to one number."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.atomic_add(y_ptr, tl.sum(tl.sum(x, axis=1), axis=0))


@triton.jit
def in_a_loop(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    """Every trip adds to another tile, which the other blocks come to in the same trip."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = (row < rows)[:, None] & (column < columns)[None, :]
        x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
        within = tl.arange(0, BLOCK)
        target = y_ptr + within[:, None] * columns + column[None, :]
        tl.atomic_add(target, x * 2.0, mask=(column < columns)[None, :] & (within >= 0)[:, None])


@triton.jit
def two_at_once(x_ptr, y_ptr, z_ptr, rows, columns, BLOCK: tl.constexpr):
    """Sums along both axes, whose blocks meet in different ways."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.atomic_add(y_ptr + column, tl.sum(x, axis=0), mask=column < columns)
    tl.atomic_add(z_ptr + row, tl.sum(x, axis=1), mask=row < rows)


@triton.jit
def kept_old(x_ptr, y_ptr, z_ptr, rows, columns, BLOCK: tl.constexpr):
    """One block per tile; what was there before is used as well."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    at = row[:, None] * columns + column[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    old = tl.atomic_add(y_ptr + at, x, mask=inside)
    tl.store(z_ptr + at, old * 3.0, mask=inside)


@triton.jit
def whole_numbers(x_ptr, y_ptr, rows, columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Column by column over all rows, of integers."""
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=0)
    if KIND == "add":
        tl.atomic_add(y_ptr + column, x, mask=column < columns)
    elif KIND == "max":
        tl.atomic_max(y_ptr + column, x, mask=column < columns)
    elif KIND == "min":
        tl.atomic_min(y_ptr + column, x, mask=column < columns)
    elif KIND == "xchg":
        tl.atomic_xchg(y_ptr + column, x, mask=column < columns)
    else:
        tl.atomic_or(y_ptr + column, x, mask=column < columns)


@triton.jit
def float_extremes(x_ptr, y_ptr, z_ptr, rows, columns, BLOCK: tl.constexpr):
    """The largest number of every column, masked, and the smallest of all."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.atomic_max(y_ptr + column, tl.max(x, axis=0), mask=column < columns)
    tl.atomic_min(z_ptr, tl.min(tl.min(x, axis=1), axis=0))


@triton.jit
def through_descriptor(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    """All blocks of rows add to the same tiles, by way of a descriptor."""
    first, second = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    x_desc = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [BLOCK, BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [BLOCK, columns], [columns, 1], [BLOCK, BLOCK])
    y_desc.atomic_add([0, second], x_desc.load([first, second]))


@triton.jit
def swapped(y_ptr, BLOCK: tl.constexpr):
    """Compared and swapped: there is no program for it."""
    tl.atomic_cas(y_ptr + tl.program_id(0), 0, 1)


@triton.jit
def overlapping(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    """Tiles of different blocks are the same one in many ways."""
    first, second = tl.program_id(0), tl.program_id(1)
    row = first * BLOCK + tl.arange(0, BLOCK)
    column = second * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    target = (first + second) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + target, tl.sum(x, axis=0))


def main(name, rows, columns, dtype="float32"):
    rows, columns = int(rows), int(columns)
    kind = getattr(torch, dtype)
    grid = (triton.cdiv(rows, BLOCK), triton.cdiv(columns, BLOCK))
    if name in ("add", "max", "min", "xchg", "or"):
        numbers = torch.arange(rows * columns, dtype=torch.int32) * 2654435761 % 2001 - 1000
        x = numbers.to(torch.int32).reshape(rows, columns).cuda()
        y = torch.zeros(columns, device="cuda", dtype=torch.int32)
        whole_numbers[rows, grid[1]](x, y, rows, columns, KIND=name, BLOCK=BLOCK)
        return
    if name == "swapped":
        swapped[(rows,)](torch.zeros(rows, device="cuda", dtype=torch.int32), BLOCK=BLOCK)
        return
    x = torch.randn((rows, columns), device="cuda", dtype=kind)
    if name == "column_sums":
        column_sums[grid](x, torch.zeros(columns, device="cuda", dtype=kind), rows, columns, BLOCK=BLOCK)
    elif name == "whole_sum":
        whole_sum[grid](x, torch.zeros(1, device="cuda", dtype=kind), rows, columns, BLOCK=BLOCK)
    elif name == "in_a_loop":
        y = torch.zeros((BLOCK, columns), device="cuda", dtype=kind)
        in_a_loop[grid[:1]](x, y, rows, columns, BLOCK=BLOCK)
    elif name == "two_at_once":
        y, z = (torch.zeros(n, device="cuda", dtype=kind) for n in (columns, rows))
        two_at_once[grid](x, y, z, rows, columns, BLOCK=BLOCK)
    elif name == "float_extremes":
        y, z = (torch.zeros(n, device="cuda", dtype=kind) for n in (columns, 1))
        float_extremes[grid](x, y, z, rows, columns, BLOCK=BLOCK)
    elif name == "descriptor":
        columns = (columns + 7) // 8 * 8
        x = torch.randn((rows, columns), device="cuda", dtype=kind)
        y = torch.zeros((BLOCK, columns), device="cuda", dtype=kind)
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
        through_descriptor[grid](x, y, rows, columns, BLOCK=BLOCK)
    elif name == "kept_old":
        y, z = torch.zeros_like(x), torch.empty_like(x)
        kept_old[grid](x, y, z, rows, columns, BLOCK=BLOCK)
    elif name == "overlapping":
        y = torch.zeros(BLOCK * (grid[0] + grid[1]), device="cuda", dtype=kind)
        overlapping[grid](x, y, rows, columns, BLOCK=BLOCK)


if __name__ == "__main__":
    main(*sys.argv[1:])
