"""SwiGLU of a gated MLP: Y = silu(G) * U, where G and U are the left and right half of one projection's output.

Run it on a GPU with ``python swiglu.py [ROWS COLUMNS]`` (columns of Y).
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 1, "BLOCK_N": 1024}, num_warps=4),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 128}, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128}, num_warps=8),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 256}, num_warps=8),
    ],
    key=["rows", "columns"],
)
@triton.jit
def swiglu_kernel(
    x_ptr, y_ptr,
    rows, columns,
    stride_xm, stride_ym,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    offs_m = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    offs_n = tl.program_id(axis=1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (offs_m < rows) & (offs_n < columns)
    gate_ptrs = x_ptr + offs_m * stride_xm + offs_n
    gate = tl.load(gate_ptrs, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(gate_ptrs + columns, mask=mask, other=0.0).to(tl.float32)
    y = silu(gate) * up
    tl.store(y_ptr + offs_m * stride_ym + offs_n, y.to(y_ptr.dtype.element_ty), mask=mask)


def swiglu(x):
    assert x.ndim == 2 and x.shape[1] % 2 == 0 and x.stride(1) == 1, "swiglu takes rows of gate and up values"
    rows, columns = x.shape[0], x.shape[1] // 2
    y = torch.empty((rows, columns), device=x.device, dtype=x.dtype)

    def grid(meta):
        return (triton.cdiv(rows, meta["BLOCK_M"]), triton.cdiv(columns, meta["BLOCK_N"]))

    swiglu_kernel[grid](x, y, rows, columns, x.stride(0), y.stride(0))
    return y


def main(rows=4096, columns=14336):
    x = torch.randn((rows, 2 * columns), device="cuda", dtype=torch.bfloat16)
    y = swiglu(x)
    print(f"swiglu {tuple(x.shape)} -> {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
