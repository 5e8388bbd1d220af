"""Mamba-2: decay inside the chunks of a sequence, and the state that each chunk adds.

A head's state S (head dim x state dim) follows S_t = exp(dt_t a) S_(t-1) + dt_t x_t B_t^T with one scalar a < 0 per
head. With L_t = a (dt_1 + ... + dt_t) summed inside a chunk, what the chunk's tokens leave at its end is
``sum over t of exp(L_end - L_t) dt_t x_t B_t^T``, a matrix product whose inner axis is time. Run it on a GPU with
``python mamba_chunk_state.py [BATCH LENGTH HEADS HEAD_DIM GROUPS STATE CHUNK]``.
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def chunk_decay_kernel(
    dt_ptr, a_ptr, decay_ptr,
    heads, length,
    stride_dt_b, stride_dt_t,
    stride_de_b, stride_de_h,
    BLOCK_H: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """L_t for a block of heads in one chunk; the last chunk is filled up with dt = 0, which changes nothing."""
    batch = tl.program_id(axis=0)
    chunk = tl.program_id(axis=1)
    head = tl.program_id(axis=2) * BLOCK_H + tl.arange(0, BLOCK_H)
    time = chunk * CHUNK + tl.arange(0, CHUNK)
    in_heads = (head < heads)[:, None]
    dt_ptrs = dt_ptr + batch * stride_dt_b + time[None, :] * stride_dt_t + head[:, None]
    dt = tl.load(dt_ptrs, mask=in_heads & (time < length)[None, :], other=0.0).to(tl.float32)
    a = tl.load(a_ptr + head, mask=head < heads, other=0.0).to(tl.float32)
    decay = tl.cumsum(dt * a[:, None], axis=1)
    decay_ptrs = decay_ptr + batch * stride_de_b + head[:, None] * stride_de_h + time[None, :]
    tl.store(decay_ptrs, decay, mask=in_heads)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    ],
    key=["HEAD_DIM", "STATE", "CHUNK"],
)
@triton.jit
def chunk_state_kernel(
    x_ptr, b_ptr, dt_ptr, decay_ptr, state_ptr,
    length, chunks,
    stride_xb, stride_xt, stride_xh,
    stride_bb, stride_bt, stride_bg,
    stride_dt_b, stride_dt_t,
    stride_de_b, stride_de_h,
    stride_sb, stride_sc, stride_sh,
    HEADS_PER_GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, STATE: tl.constexpr, CHUNK: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """State (head dim x state dim) that one chunk adds in one head."""
    tiles_n: tl.constexpr = (STATE + BLOCK_N - 1) // BLOCK_N
    tile = tl.program_id(axis=0)
    tile_m = tile // tiles_n
    tile_n = tile % tiles_n
    batch = tl.program_id(axis=1) // chunks
    chunk = tl.program_id(axis=1) % chunks
    head = tl.program_id(axis=2)
    group = head // HEADS_PER_GROUP

    dim = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    state = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    x_head = x_ptr + batch * stride_xb + head * stride_xh
    b_group = b_ptr + batch * stride_bb + group * stride_bg
    dt_head = dt_ptr + batch * stride_dt_b + head
    decay_head = decay_ptr + batch * stride_de_b + head * stride_de_h
    decay_end = tl.load(decay_head + chunk * CHUNK + CHUNK - 1)

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, CHUNK, BLOCK_K):
        time = chunk * CHUNK + k + tl.arange(0, BLOCK_K)
        in_time = time < length
        x = tl.load(
            x_head + time[None, :] * stride_xt + dim[:, None],
            mask=(dim < HEAD_DIM)[:, None] & in_time[None, :],
            other=0.0,
        )
        b = tl.load(
            b_group + time[:, None] * stride_bt + state[None, :],
            mask=in_time[:, None] & (state < STATE)[None, :],
            other=0.0,
        )
        dt = tl.load(dt_head + time * stride_dt_t, mask=in_time, other=0.0).to(tl.float32)
        decay = tl.load(decay_head + time)
        scale = tl.exp(decay_end - decay) * dt
        acc = tl.dot(x, (b * scale[:, None]).to(x.dtype), acc)

    state_ptrs = (
        state_ptr + batch * stride_sb + chunk * stride_sc + head * stride_sh + dim[:, None] * STATE + state[None, :]
    )
    tl.store(state_ptrs, acc, mask=(dim < HEAD_DIM)[:, None] & (state < STATE)[None, :])


def chunk_decay(dt, a, chunk, block_heads=32):
    """L as (batch, heads, whole chunks), from dt (batch, length, heads) and a (heads)."""
    batch, length, heads = dt.shape
    assert a.shape == (heads,) and dt.stride(2) == 1 and chunk == triton.next_power_of_2(chunk)
    chunks = triton.cdiv(length, chunk)
    decay = torch.empty((batch, heads, chunks * chunk), device=dt.device, dtype=torch.float32)
    chunk_decay_kernel[(batch, chunks, triton.cdiv(heads, block_heads))](
        dt, a, decay, heads, length, *dt.stride()[:2], *decay.stride()[:2], BLOCK_H=block_heads, CHUNK=chunk
    )
    return decay


def chunk_state(x, b, dt, decay, chunk):
    """What each chunk adds to the states: (batch, chunks, heads, head dim, state dim).

    x is (batch, length, heads, head dim), b (batch, length, groups, state dim) and dt (batch, length, heads).
    """
    batch, length, heads, head_dim = x.shape
    groups, state_dim = b.shape[2:]
    chunks = triton.cdiv(length, chunk)
    assert b.shape[:2] == x.shape[:2] == dt.shape[:2] and heads % groups == 0
    assert decay.shape == (batch, heads, chunks * chunk) and chunk % 64 == 0
    assert x.stride(3) == b.stride(3) == dt.stride(2) == decay.stride(2) == 1
    state = torch.empty((batch, chunks, heads, head_dim, state_dim), device=x.device, dtype=torch.float32)

    def grid(meta):
        tiles = triton.cdiv(head_dim, meta["BLOCK_M"]) * triton.cdiv(state_dim, meta["BLOCK_N"])
        return (tiles, batch * chunks, heads)

    chunk_state_kernel[grid](
        x, b, dt, decay, state, length, chunks,
        *x.stride()[:3], *b.stride()[:3], *dt.stride()[:2], *decay.stride()[:2], *state.stride()[:3],
        HEADS_PER_GROUP=heads // groups, HEAD_DIM=head_dim, STATE=state_dim, CHUNK=chunk,
    )  # fmt: skip
    return state


def main(batch=2, length=2048, heads=32, head_dim=64, groups=1, state_dim=128, chunk=256):
    x = torch.randn((batch, length, heads, head_dim), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((batch, length, groups, state_dim), device="cuda", dtype=torch.bfloat16)
    dt = torch.rand((batch, length, heads), device="cuda", dtype=torch.float32)
    a = -torch.rand((heads,), device="cuda", dtype=torch.float32)
    decay = chunk_decay(dt, a, chunk)
    state = chunk_state(x, b, dt, decay, chunk)
    print(f"states of {state.shape[1]} chunks: {tuple(state.shape)} {state.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
