"""Residual connection followed by RMS normalisation: H = X + R, Y = H / rms(H) * W.

Both H (the next residual) and Y are written, as between two layers of a transformer. Run it on a GPU with
``python rms_norm_residual.py [ROWS COLUMNS]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK_COLUMNS": lambda args: triton.next_power_of_2(args["columns"])})
@triton.jit
def rms_norm_residual_kernel(
    x_ptr, r_ptr, w_ptr, h_ptr, y_ptr,
    rows, columns, eps,
    stride_xm, stride_rm, stride_hm, stride_ym,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(axis=0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = tl.arange(0, BLOCK_COLUMNS)
    mask = (row < rows) & (column < columns)[None, :]

    x = tl.load(x_ptr + row * stride_xm + column[None, :], mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * stride_rm + column[None, :], mask=mask, other=0.0).to(tl.float32)
    h = x + r
    tl.store(h_ptr + row * stride_hm + column[None, :], h.to(h_ptr.dtype.element_ty), mask=mask)

    scale = tl.rsqrt(tl.sum(h * h, axis=1, keep_dims=True) / columns + eps)
    w = tl.load(w_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
    y = h * scale * w[None, :]
    tl.store(y_ptr + row * stride_ym + column[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)


def rms_norm_residual(x, residual, weight, eps=1e-6, block_rows=32):
    assert x.shape == residual.shape and weight.shape == x.shape[1:], "x and residual are rows of weight's length"
    assert x.stride(1) == residual.stride(1) == 1
    rows, columns = x.shape
    h, y = torch.empty_like(x), torch.empty_like(x)
    rms_norm_residual_kernel[(triton.cdiv(rows, block_rows),)](
        x, residual, weight, h, y, rows, columns, eps,
        x.stride(0), residual.stride(0), h.stride(0), y.stride(0), BLOCK_ROWS=block_rows,
    )  # fmt: skip
    return y, h


def main(rows=4096, columns=4096):
    x = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    residual = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    weight = torch.randn((columns,), device="cuda", dtype=torch.bfloat16)
    y, _ = rms_norm_residual(x, residual, weight)
    print(f"rms norm of x + residual, {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
