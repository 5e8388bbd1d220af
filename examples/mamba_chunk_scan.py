"""Mamba-2: outputs of all tokens of a chunk at once, from the state before the chunk and the tokens inside it.

A head's state S (head dim x state dim) follows S_t = exp(dt_t a) S_(t-1) + dt_t x_t B_t^T and its output is
y_t = S_t C_t + d x_t. With L_t = a (dt_1 + ... + dt_t) summed inside a chunk and P the state before the chunk,
``y_t = exp(L_t) P C_t + sum over s <= t of exp(L_t - L_s) dt_s (C_t . B_s) x_s + d x_t``: an attention without softmax,
whose mask is the decay. Run it on a GPU with
``python mamba_chunk_scan.py [BATCH LENGTH HEADS HEAD_DIM GROUPS STATE CHUNK]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=8, num_stages=2),
    ],
    key=["HEAD_DIM", "STATE", "CHUNK"],
)
@triton.jit
def chunk_scan_kernel(
    x_ptr, b_ptr, c_ptr, dt_ptr, decay_ptr, state_ptr, d_ptr, y_ptr,
    length, chunks,
    stride_xb, stride_xt, stride_xh,
    stride_bb, stride_bt, stride_bg,
    stride_cb, stride_ct, stride_cg,
    stride_dt_b, stride_dt_t,
    stride_de_b, stride_de_h,
    stride_sb, stride_sc, stride_sh,
    stride_yb, stride_yt, stride_yh,
    HEADS_PER_GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, STATE: tl.constexpr, CHUNK: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    tiles_n: tl.constexpr = (HEAD_DIM + BLOCK_N - 1) // BLOCK_N
    tile = tl.program_id(axis=0)
    tile_m = tile // tiles_n
    tile_n = tile % tiles_n
    batch = tl.program_id(axis=1) // chunks
    chunk = tl.program_id(axis=1) % chunks
    head = tl.program_id(axis=2)
    group = head // HEADS_PER_GROUP

    time = chunk * CHUNK + tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    dim = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    state = tl.arange(0, STATE)
    in_time = time < length
    in_dim = dim < HEAD_DIM
    x_head = x_ptr + batch * stride_xb + head * stride_xh
    b_group = b_ptr + batch * stride_bb + group * stride_bg
    c_group = c_ptr + batch * stride_cb + group * stride_cg
    dt_head = dt_ptr + batch * stride_dt_b + head
    decay_head = decay_ptr + batch * stride_de_b + head * stride_de_h
    state_head = state_ptr + batch * stride_sb + chunk * stride_sc + head * stride_sh

    # What the earlier chunks contribute.
    c = tl.load(c_group + time[:, None] * stride_ct + state[None, :], mask=in_time[:, None], other=0.0)
    before = tl.load(state_head + dim[None, :] * STATE + state[:, None], mask=in_dim[None, :], other=0.0)
    decay = tl.load(decay_head + time)
    acc = tl.dot(c, before.to(c.dtype)) * tl.exp(decay)[:, None]

    # What this chunk's tokens contribute to later ones of the same chunk.
    for k in range(0, (tile_m + 1) * BLOCK_M, BLOCK_K):
        source = chunk * CHUNK + k + tl.arange(0, BLOCK_K)
        in_source = source < length
        b = tl.load(b_group + source[None, :] * stride_bt + state[:, None], mask=in_source[None, :], other=0.0)
        dt = tl.load(dt_head + source * stride_dt_t, mask=in_source, other=0.0).to(tl.float32)
        source_decay = tl.load(decay_head + source)
        x = tl.load(
            x_head + source[:, None] * stride_xt + dim[None, :], mask=in_source[:, None] & in_dim[None, :], other=0.0
        )
        # Decay grows over time: above the diagonal the exponent is positive and could overflow, so it is cut first.
        exponent = tl.where(time[:, None] >= source[None, :], decay[:, None] - source_decay[None, :], -1.0e30)
        weight = tl.dot(c, b) * tl.exp(exponent) * dt[None, :]
        acc = tl.dot(weight.to(x.dtype), x, acc)

    x_ptrs = x_head + time[:, None] * stride_xt + dim[None, :]
    skip = tl.load(x_ptrs, mask=in_time[:, None] & in_dim[None, :], other=0.0).to(tl.float32)
    acc += tl.load(d_ptr + head).to(tl.float32) * skip
    y_ptrs = y_ptr + batch * stride_yb + head * stride_yh + time[:, None] * stride_yt + dim[None, :]
    tl.store(y_ptrs, acc.to(y_ptr.dtype.element_ty), mask=in_time[:, None] & in_dim[None, :])


def chunk_scan(x, b, c, dt, decay, state, d, chunk):
    """Outputs y, shaped like x: (batch, length, heads, head dim).

    b and c are (batch, length, groups, state dim), dt is (batch, length, heads), the decay L (batch, heads, whole
    chunks), the states before the chunks (batch, chunks, heads, head dim, state dim) and d (heads).
    """
    batch, length, heads, head_dim = x.shape
    groups, state_dim = b.shape[2:]
    chunks = triton.cdiv(length, chunk)
    assert b.shape == c.shape and b.shape[:2] == x.shape[:2] and heads % groups == 0
    assert state.shape == (batch, chunks, heads, head_dim, state_dim) and state.is_contiguous()
    assert decay.shape == (batch, heads, chunks * chunk)
    assert x.stride(3) == b.stride(3) == c.stride(3) == dt.stride(2) == decay.stride(2) == 1
    assert state_dim == triton.next_power_of_2(state_dim) and chunk % 128 == 0
    y = torch.empty_like(x)

    def grid(meta):
        tiles = triton.cdiv(chunk, meta["BLOCK_M"]) * triton.cdiv(head_dim, meta["BLOCK_N"])
        return (tiles, batch * chunks, heads)

    chunk_scan_kernel[grid](
        x, b, c, dt, decay, state, d, y, length, chunks,
        *x.stride()[:3], *b.stride()[:3], *c.stride()[:3], *dt.stride()[:2], *decay.stride()[:2],
        *state.stride()[:3], *y.stride()[:3],
        HEADS_PER_GROUP=heads // groups, HEAD_DIM=head_dim, STATE=state_dim, CHUNK=chunk,
    )  # fmt: skip
    return y


def main(batch=2, length=2048, heads=32, head_dim=64, groups=1, state_dim=128, chunk=256):
    x = torch.randn((batch, length, heads, head_dim), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((batch, length, groups, state_dim), device="cuda", dtype=torch.bfloat16)
    c = torch.randn_like(b)
    dt = torch.rand((batch, length, heads), device="cuda", dtype=torch.float32)
    chunks = triton.cdiv(length, chunk)
    decay = -torch.rand((batch, heads, chunks * chunk), device="cuda", dtype=torch.float32)
    state = torch.randn((batch, chunks, heads, head_dim, state_dim), device="cuda", dtype=torch.float32)
    d = torch.randn((heads,), device="cuda", dtype=torch.float32)
    y = chunk_scan(x, b, c, dt, decay, state, d, chunk)
    print(f"outputs of {chunks} chunks: {tuple(y.shape)} {y.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
