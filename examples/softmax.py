"""Softmax over the last axis of a matrix, a few rows per program.

Run it on a GPU with ``python softmax.py [ROWS COLUMNS]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK_ROWS": rows}, num_warps=8 if rows > 4 else 4) for rows in (1, 4, 32, 64)],
    key=["rows", "columns"],
)
@triton.jit
def softmax_kernel(
    x_ptr, y_ptr,
    rows, columns,
    stride_x, stride_y,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(axis=0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = tl.arange(0, BLOCK_COLUMNS)[None, :]
    mask = (row < rows) & (column < columns)

    # Masked lanes are minus infinity, so that they weigh nothing in the sum.
    x = tl.load(x_ptr + row * stride_x + column, mask=mask, other=-float("inf")).to(tl.float32)
    weight = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    y = weight / tl.sum(weight, axis=1, keep_dims=True)
    tl.store(y_ptr + row * stride_y + column, y.to(y_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    assert x.ndim == 2 and x.stride(1) == 1, "softmax takes a matrix whose rows are contiguous"
    rows, columns = x.shape
    y = torch.empty_like(x)

    def grid(meta):
        return (triton.cdiv(rows, meta["BLOCK_ROWS"]),)

    softmax_kernel[grid](
        x, y, rows, columns, x.stride(0), y.stride(0), BLOCK_COLUMNS=triton.next_power_of_2(columns)
    )  # fmt: skip
    return y


def main(rows=4096, columns=2048):
    x = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    y = softmax(x)
    print(f"softmax of {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
