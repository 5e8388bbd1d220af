"""Flash attention forward with grouped-query heads, causal or not."""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, scale,
    stride_qz, stride_qh, stride_qm, stride_kz, stride_kh, stride_kn, heads, length,
    GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, DIM: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    block_m = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // GROUP
    rows = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    dim = tl.arange(0, DIM)
    q_offset = batch * stride_qz + head * stride_qh + rows[:, None] * stride_qm + dim[None, :]
    q = tl.load(q_ptr + q_offset)
    k_ptrs = k_ptr + batch * stride_kz + kv_head * stride_kh + columns[None, :] * stride_kn + dim[:, None]
    v_ptrs = v_ptr + batch * stride_kz + kv_head * stride_kh + columns[:, None] * stride_kn + dim[None, :]
    peak = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, DIM), tl.float32)
    end = (block_m + 1) * BLOCK_M if CAUSAL else length
    for n in range(0, end, BLOCK_N):
        score = tl.dot(q, tl.load(k_ptrs)) * scale
        if CAUSAL:
            score = tl.where(rows[:, None] >= (n + columns)[None, :], score, -1.0e6)
        new_peak = tl.maximum(peak, tl.max(score, 1))
        weight = tl.exp2(score - new_peak[:, None])
        rescale = tl.exp2(peak - new_peak)
        total = total * rescale + tl.sum(weight, 1)
        acc = tl.dot(weight.to(tl.bfloat16), tl.load(v_ptrs), acc * rescale[:, None])
        peak = new_peak
        k_ptrs += BLOCK_N * stride_kn
        v_ptrs += BLOCK_N * stride_kn
    tl.store(o_ptr + q_offset, (acc / total[:, None]).to(tl.bfloat16))


def attention(causal, batch=2, heads=8, kv_heads=2, length=512, dim=64, block_m=128, block_n=64):
    q = torch.randn((batch, heads, length, dim), device="cuda", dtype=torch.bfloat16)
    k = torch.randn((batch, kv_heads, length, dim), device="cuda", dtype=torch.bfloat16)
    v, o = torch.randn_like(k), torch.empty_like(q)
    attention_kernel[lambda meta: (length // meta["BLOCK_M"], batch * heads)](
        q, k, v, o, 0.18, *q.stride()[:3], *k.stride()[:3], heads, length,
        GROUP=heads // kv_heads, BLOCK_M=block_m, BLOCK_N=block_n, DIM=dim, CAUSAL=causal,
    )  # fmt: skip


if __name__ == "__main__":
    attention(causal=True)
    attention(causal=False)
