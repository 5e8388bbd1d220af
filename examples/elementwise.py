"""Residual connection followed by GELU: Y = gelu(X + R), elementwise.

Run it on a GPU with ``python elementwise.py [ROWS COLUMNS]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add_gelu_kernel(x_ptr, r_ptr, y_ptr, n_elements, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    r = tl.load(r_ptr + offsets, mask=mask).to(tl.float32)
    s = x + r
    y = 0.5 * s * (1.0 + tl.erf(s * 0.7071067811865476))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=mask)


def add_gelu(x, r, block=2048):
    assert x.shape == r.shape and x.is_contiguous() and r.is_contiguous()
    y = torch.empty_like(x)
    n_elements = x.numel()

    def grid(meta):
        return (triton.cdiv(n_elements, meta["BLOCK"]),)

    add_gelu_kernel[grid](x, r, y, n_elements, BLOCK=block)
    return y


def main(rows=4096, columns=4096):
    x = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    r = torch.randn((rows, columns), device="cuda", dtype=torch.bfloat16)
    y = add_gelu(x, r)
    print(f"gelu(x + r) of {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
