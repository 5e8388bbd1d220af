"""Linear layer Y = activation(X @ W^T + bias), with the weight stored as (output, input) features.

Run it on a GPU with ``python matmul_bias_activation.py [ROWS OUT_FEATURES IN_FEATURES]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def gelu(x):
    # The tanh form, with tanh written as a sigmoid: 1 + tanh(u) = 2 sigmoid(2 u).
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == "gelu":
        return gelu(x)
    elif ACTIVATION == "silu":
        return x * tl.sigmoid(x)
    elif ACTIVATION == "relu":
        return tl.maximum(x, 0.0)
    else:
        tl.static_assert(ACTIVATION == "none", "unknown activation")
        return x


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def linear_kernel(
    x_ptr, w_ptr, bias_ptr, y_ptr,
    M, N, K,
    stride_xm, stride_wn, stride_ym,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + offs_m[:, None] * stride_xm + offs_k[None, :]
    w_ptrs = w_ptr + offs_n[None, :] * stride_wn + offs_k[:, None]

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        in_k = offs_k < K - k
        x = tl.load(x_ptrs, mask=(offs_m < M)[:, None] & in_k[None, :], other=0.0)
        w = tl.load(w_ptrs, mask=in_k[:, None] & (offs_n < N)[None, :], other=0.0)
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K

    if HAS_BIAS:
        bias = tl.load(bias_ptr + offs_n, mask=offs_n < N, other=0.0).to(tl.float32)
        acc += bias[None, :]
    y = activate(acc, ACTIVATION).to(y_ptr.dtype.element_ty)
    y_ptrs = y_ptr + offs_m[:, None] * stride_ym + offs_n[None, :]
    tl.store(y_ptrs, y, mask=(offs_m < M)[:, None] & (offs_n < N)[None, :])


def linear(x, weight, bias=None, activation="gelu"):
    assert x.shape[1] == weight.shape[1], f"x has {x.shape[1]} features, the weight takes {weight.shape[1]}"
    assert x.stride(1) == weight.stride(1) == 1
    m, k = x.shape
    n = weight.shape[0]
    y = torch.empty((m, n), device=x.device, dtype=x.dtype)

    def grid(meta):
        return (triton.cdiv(m, meta["BLOCK_M"]), triton.cdiv(n, meta["BLOCK_N"]))

    linear_kernel[grid](
        x, weight, bias, y, m, n, k, x.stride(0), weight.stride(0), y.stride(0),
        HAS_BIAS=bias is not None, ACTIVATION=activation,
    )  # fmt: skip
    return y


def main(m=4096, n=4096, k=1024):
    x = torch.randn((m, k), device="cuda", dtype=torch.bfloat16)
    weight = torch.randn((n, k), device="cuda", dtype=torch.bfloat16)
    bias = torch.randn((n,), device="cuda", dtype=torch.bfloat16)
    y = linear(x, weight, bias)
    print(f"linear {tuple(x.shape)} -> {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
