"""Fused attention O = softmax(Q @ K^T / sqrt(d)) @ V, causal or not, with grouped key/value heads.

Each key/value head serves ``heads // kv_heads`` query heads. Run it on a GPU with
``python attention.py [BATCH HEADS KV_HEADS LENGTH DIM]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def attend(
    acc, peak, total, q, k_head, v_head,
    stride_kn, stride_vn,
    row, first, last, length,
    BLOCK_N: tl.constexpr, DIM: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Fold keys ``first`` to ``last`` into the running softmax: its peak, its denominator and its weighted sum."""
    dim = tl.arange(0, DIM)
    for start in range(first, last, BLOCK_N):
        column = start + tl.arange(0, BLOCK_N)
        k_ptrs = k_head + column[None, :] * stride_kn + dim[:, None]
        v_ptrs = v_head + column[:, None] * stride_vn + dim[None, :]
        if MASKED:
            k = tl.load(k_ptrs, mask=column[None, :] < length, other=0.0)
            v = tl.load(v_ptrs, mask=column[:, None] < length, other=0.0)
        else:
            k = tl.load(k_ptrs)
            v = tl.load(v_ptrs)
        score = tl.dot(q, k)
        if MASKED:
            seen = column[None, :] < length
            if CAUSAL:
                seen = seen & (column[None, :] <= row[:, None])
            score = tl.where(seen, score, -1.0e30)
        new_peak = tl.maximum(peak, tl.max(score, axis=1))
        rescale = tl.exp2(peak - new_peak)
        weight = tl.exp2(score - new_peak[:, None])
        total = total * rescale + tl.sum(weight, axis=1)
        acc = tl.dot(weight.to(v.dtype), v, acc * rescale[:, None])
        peak = new_peak
    return acc, peak, total


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128}, num_warps=8, num_stages=2),
    ],
    key=["length", "DIM"],
)
@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr,
    scale, heads, length,
    stride_qb, stride_qh, stride_qm,
    stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn,
    stride_ob, stride_oh, stride_om,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, DIM: tl.constexpr,
    GROUP: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(axis=0)
    batch = tl.program_id(axis=1) // heads
    head = tl.program_id(axis=1) % heads
    kv_head = head // GROUP

    row = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dim = tl.arange(0, DIM)
    in_rows = row[:, None] < length
    q_ptrs = q_ptr + batch * stride_qb + head * stride_qh + row[:, None] * stride_qm + dim[None, :]
    q = tl.load(q_ptrs, mask=in_rows, other=0.0)
    q = (q * (scale * 1.4426950408889634)).to(q_ptr.dtype.element_ty)  # log2(e): the softmax is in powers of two
    k_head = k_ptr + batch * stride_kb + kv_head * stride_kh
    v_head = v_ptr + batch * stride_vb + kv_head * stride_vh

    peak = tl.full((BLOCK_M,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, DIM), dtype=tl.float32)
    if CAUSAL:
        # Keys before this block of rows are seen by all of its rows; only those beside it need a mask.
        tl.static_assert(BLOCK_M % BLOCK_N == 0)
        diagonal = block * BLOCK_M
        acc, peak, total = attend(
            acc, peak, total, q, k_head, v_head, stride_kn, stride_vn, row, 0, diagonal, length,
            BLOCK_N, DIM, CAUSAL, False,
        )  # fmt: skip
        acc, peak, total = attend(
            acc, peak, total, q, k_head, v_head, stride_kn, stride_vn, row, diagonal,
            tl.minimum(diagonal + BLOCK_M, length), length, BLOCK_N, DIM, CAUSAL, True,
        )  # fmt: skip
    else:
        acc, peak, total = attend(
            acc, peak, total, q, k_head, v_head, stride_kn, stride_vn, row, 0, length, length,
            BLOCK_N, DIM, CAUSAL, True,
        )  # fmt: skip

    o_ptrs = o_ptr + batch * stride_ob + head * stride_oh + row[:, None] * stride_om + dim[None, :]
    tl.store(o_ptrs, (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=in_rows)


def attention(q, k, v, causal=True):
    batch, heads, length, dim = q.shape
    kv_heads = k.shape[1]
    assert k.shape == v.shape == (batch, kv_heads, length, dim) and heads % kv_heads == 0
    assert dim == triton.next_power_of_2(dim) and q.stride(3) == k.stride(3) == v.stride(3) == 1
    o = torch.empty_like(q)

    def grid(meta):
        return (triton.cdiv(length, meta["BLOCK_M"]), batch * heads)

    attention_kernel[grid](
        q, k, v, o, dim**-0.5, heads, length,
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *o.stride()[:3],
        DIM=dim, GROUP=heads // kv_heads, CAUSAL=causal,
    )  # fmt: skip
    return o


def main(batch=1, heads=32, kv_heads=8, length=4096, dim=128):
    q = torch.randn((batch, heads, length, dim), device="cuda", dtype=torch.bfloat16)
    k = torch.randn((batch, kv_heads, length, dim), device="cuda", dtype=torch.bfloat16)
    v = torch.randn_like(k)
    for causal in (True, False):
        o = attention(q, k, v, causal)
        print(f"attention, causal={causal}: {tuple(q.shape)} with {kv_heads} key heads -> {tuple(o.shape)} {o.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
