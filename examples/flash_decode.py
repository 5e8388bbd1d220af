"""Attention of one new token per sequence over a long cache, in two kernels.

The cache is cut into parts that are worked on side by side; a second kernel combines the partial softmaxes. All query
heads of one key/value head form the rows of one tile. Run it on a GPU with
``python flash_decode.py [BATCH HEADS KV_HEADS LENGTH DIM PARTS]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK_N": n}, num_warps=4, num_stages=3) for n in (32, 64, 128)],
    key=["length", "DIM"],
)
@triton.jit
def decode_part_kernel(
    q_ptr, k_ptr, v_ptr, part_ptr, lse_ptr,
    scale, length, part_length,
    stride_qb, stride_qh,
    stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn,
    stride_pb, stride_ph, stride_pp,
    stride_lb, stride_lh,
    GROUP: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr, DIM: tl.constexpr,
):  # fmt: skip
    """Softmax over one part of the cache, normalised, with the logarithm (base 2) of its denominator."""
    batch = tl.program_id(axis=0)
    kv_head = tl.program_id(axis=1)
    part = tl.program_id(axis=2)
    member = tl.arange(0, BLOCK_H)
    head = kv_head * GROUP + member
    in_group = member < GROUP
    dim = tl.arange(0, DIM)

    q_ptrs = q_ptr + batch * stride_qb + head[:, None] * stride_qh + dim[None, :]
    q = tl.load(q_ptrs, mask=in_group[:, None], other=0.0)
    q = (q * (scale * 1.4426950408889634)).to(q_ptr.dtype.element_ty)
    first = part * part_length
    last = tl.minimum(first + part_length, length)

    peak = tl.full((BLOCK_H,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_H,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_H, DIM), dtype=tl.float32)
    for start in range(first, last, BLOCK_N):
        column = start + tl.arange(0, BLOCK_N)
        in_part = column < last
        k_ptrs = k_ptr + batch * stride_kb + kv_head * stride_kh + column[None, :] * stride_kn + dim[:, None]
        v_ptrs = v_ptr + batch * stride_vb + kv_head * stride_vh + column[:, None] * stride_vn + dim[None, :]
        k = tl.load(k_ptrs, mask=in_part[None, :], other=0.0)
        v = tl.load(v_ptrs, mask=in_part[:, None], other=0.0)
        score = tl.where(in_part[None, :], tl.dot(q, k), -1.0e30)
        new_peak = tl.maximum(peak, tl.max(score, axis=1))
        rescale = tl.exp2(peak - new_peak)
        weight = tl.exp2(score - new_peak[:, None])
        total = total * rescale + tl.sum(weight, axis=1)
        acc = tl.dot(weight.to(v.dtype), v, acc * rescale[:, None])
        peak = new_peak

    part_ptrs = part_ptr + batch * stride_pb + head[:, None] * stride_ph + part * stride_pp + dim[None, :]
    tl.store(part_ptrs, acc / total[:, None], mask=in_group[:, None])
    tl.store(lse_ptr + batch * stride_lb + head * stride_lh + part, peak + tl.log2(total), mask=in_group)


@triton.jit
def decode_combine_kernel(
    part_ptr, lse_ptr, o_ptr,
    parts,
    stride_pb, stride_ph, stride_pp,
    stride_lb, stride_lh,
    stride_ob, stride_oh,
    BLOCK_P: tl.constexpr, DIM: tl.constexpr,
):  # fmt: skip
    """Mean of the parts, each weighted by its share of the whole denominator."""
    batch = tl.program_id(axis=0)
    head = tl.program_id(axis=1)
    part = tl.arange(0, BLOCK_P)
    dim = tl.arange(0, DIM)
    lse = tl.load(lse_ptr + batch * stride_lb + head * stride_lh + part, mask=part < parts, other=-1.0e30)
    partial = tl.load(
        part_ptr + batch * stride_pb + head * stride_ph + part[:, None] * stride_pp + dim[None, :],
        mask=part[:, None] < parts,
        other=0.0,
    )
    share = tl.exp2(lse - tl.max(lse, axis=0))
    o = tl.sum(share[:, None] * partial, axis=0) / tl.sum(share, axis=0)
    tl.store(o_ptr + batch * stride_ob + head * stride_oh + dim, o.to(o_ptr.dtype.element_ty))


def flash_decode(q, k, v, parts=8):
    batch, heads, dim = q.shape
    kv_heads, length = k.shape[1:3]
    assert k.shape == v.shape == (batch, kv_heads, length, dim) and heads % kv_heads == 0
    assert dim == triton.next_power_of_2(dim) and q.stride(2) == k.stride(3) == v.stride(3) == 1
    group = heads // kv_heads
    # No part is empty, and parts are whole blocks for every BLOCK_N that is tried.
    part_length = triton.cdiv(triton.cdiv(length, parts), 128) * 128
    parts = triton.cdiv(length, part_length)
    partial = torch.empty((batch, heads, parts, dim), device=q.device, dtype=torch.float32)
    lse = torch.empty((batch, heads, parts), device=q.device, dtype=torch.float32)
    o = torch.empty_like(q)

    decode_part_kernel[(batch, kv_heads, parts)](
        q, k, v, partial, lse, dim**-0.5, length, part_length,
        *q.stride()[:2], *k.stride()[:3], *v.stride()[:3], *partial.stride()[:3], *lse.stride()[:2],
        GROUP=group, BLOCK_H=max(16, triton.next_power_of_2(group)), DIM=dim,
    )  # fmt: skip
    decode_combine_kernel[(batch, heads)](
        partial, lse, o, parts, *partial.stride()[:3], *lse.stride()[:2], *o.stride()[:2],
        BLOCK_P=triton.next_power_of_2(parts), DIM=dim,
    )  # fmt: skip
    return o


def main(batch=8, heads=32, kv_heads=8, length=16384, dim=128, parts=8):
    q = torch.randn((batch, heads, dim), device="cuda", dtype=torch.bfloat16)
    k = torch.randn((batch, kv_heads, length, dim), device="cuda", dtype=torch.bfloat16)
    v = torch.randn_like(k)
    o = flash_decode(q, k, v, parts)
    print(f"decode {tuple(q.shape)} over a cache of {length} in {parts} parts -> {tuple(o.shape)} {o.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
