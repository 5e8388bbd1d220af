"""Layer normalisation Y = (X - mean) / std * W + B over the last axis, for rows of any length.

Mean and reciprocal deviation are kept for a backward pass. Run it on a GPU with
``python layer_norm.py [ROWS COLUMNS]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_ROWS": 4, "BLOCK_COLUMNS": 1024}, num_warps=4),
        triton.Config({"BLOCK_ROWS": 32, "BLOCK_COLUMNS": 128}, num_warps=4),
        triton.Config({"BLOCK_ROWS": 32, "BLOCK_COLUMNS": 256}, num_warps=8),
        triton.Config({"BLOCK_ROWS": 64, "BLOCK_COLUMNS": 128}, num_warps=8),
    ],
    key=["rows", "columns"],
)
@triton.jit
def layer_norm_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr,
    rows, columns, eps,
    stride_x, stride_y,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(axis=0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    in_rows = row[:, None] < rows
    x_rows = x_ptr + row[:, None] * stride_x
    y_rows = y_ptr + row[:, None] * stride_y

    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for start in range(0, columns, BLOCK_COLUMNS):
        column = start + tl.arange(0, BLOCK_COLUMNS)
        total += tl.load(x_rows + column[None, :], mask=in_rows & (column < columns)[None, :], other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=1) / columns

    # A second pass over X: the sum of squared differences does not cancel as E[x^2] - E[x]^2 does.
    square = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for start in range(0, columns, BLOCK_COLUMNS):
        column = start + tl.arange(0, BLOCK_COLUMNS)
        in_columns = (column < columns)[None, :]
        x = tl.load(x_rows + column[None, :], mask=in_rows & in_columns, other=0.0).to(tl.float32)
        difference = tl.where(in_columns, x - mean[:, None], 0.0)
        square += difference * difference
    rstd = 1.0 / tl.sqrt(tl.sum(square, axis=1) / columns + eps)

    tl.store(mean_ptr + row, mean, mask=row < rows)
    tl.store(rstd_ptr + row, rstd, mask=row < rows)
    for start in range(0, columns, BLOCK_COLUMNS):
        column = start + tl.arange(0, BLOCK_COLUMNS)
        mask = in_rows & (column < columns)[None, :]
        w = tl.load(w_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
        x = tl.load(x_rows + column[None, :], mask=mask, other=0.0).to(tl.float32)
        y = (x - mean[:, None]) * rstd[:, None] * w[None, :] + b[None, :]
        tl.store(y_rows + column[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)


def layer_norm(x, weight, bias, eps=1e-5):
    assert x.ndim == 2 and x.stride(1) == 1 and weight.shape == bias.shape == x.shape[1:]
    rows, columns = x.shape
    y = torch.empty_like(x)
    mean = torch.empty((rows,), device=x.device, dtype=torch.float32)
    rstd = torch.empty_like(mean)

    def grid(meta):
        return (triton.cdiv(rows, meta["BLOCK_ROWS"]),)

    layer_norm_kernel[grid](x, weight, bias, y, mean, rstd, rows, columns, eps, x.stride(0), y.stride(0))
    return y, mean, rstd


def main(rows=4096, columns=4096):
    x = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    weight = torch.randn((columns,), device="cuda", dtype=torch.bfloat16)
    bias = torch.randn((columns,), device="cuda", dtype=torch.bfloat16)
    y, mean, _ = layer_norm(x, weight, bias)
    print(f"layer norm of {tuple(y.shape)} {y.dtype}, statistics {mean.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
