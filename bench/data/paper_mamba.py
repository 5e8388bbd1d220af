"""The Mamba-2 kernels of the examples on any chunk length, launched with the configurations that fit it.

``python paper_mamba.py {scan,state} BATCH LENGTH HEADS HEAD_DIM GROUPS STATE CHUNK``
"""

import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from mamba_chunk_scan import chunk_scan_kernel
from mamba_chunk_state import chunk_state


def launch_scan(x, b, c, dt, decay, state, d, chunk):
    """``chunk_scan`` of the example without its check, which holds for chunks that all configurations divide."""
    batch, length, heads, head_dim = x.shape
    groups, state_dim = b.shape[2:]
    chunks = triton.cdiv(length, chunk)
    fitting = [config for config in chunk_scan_kernel.configs if chunk % config.kwargs["BLOCK_M"] == 0]
    kernel = triton.autotune(configs=fitting, key=["HEAD_DIM", "STATE", "CHUNK"])(chunk_scan_kernel.fn)
    y = torch.empty_like(x)

    def grid(meta):
        tiles = triton.cdiv(chunk, meta["BLOCK_M"]) * triton.cdiv(head_dim, meta["BLOCK_N"])
        return (tiles, batch * chunks, heads)

    kernel[grid](
        x, b, c, dt, decay, state, d, y, length, chunks,
        *x.stride()[:3], *b.stride()[:3], *c.stride()[:3], *dt.stride()[:2], *decay.stride()[:2],
        *state.stride()[:3], *y.stride()[:3],
        HEADS_PER_GROUP=heads // groups, HEAD_DIM=head_dim, STATE=state_dim, CHUNK=chunk,
    )  # fmt: skip


def main(which, batch, length, heads, head_dim, groups, state_dim, chunk):
    x = torch.empty((batch, length, heads, head_dim), device="cuda", dtype=torch.bfloat16)
    b = torch.empty((batch, length, groups, state_dim), device="cuda", dtype=torch.bfloat16)
    c = torch.empty_like(b)
    dt = torch.empty((batch, length, heads), device="cuda", dtype=torch.float32)
    chunks = triton.cdiv(length, chunk)
    decay = torch.empty((batch, heads, chunks * chunk), device="cuda", dtype=torch.float32)
    if which == "state":
        chunk_state(x, b, dt, decay, chunk)
        return
    state = torch.empty((batch, chunks, heads, head_dim, state_dim), device="cuda", dtype=torch.float32)
    d = torch.empty((heads,), device="cuda", dtype=torch.float32)
    launch_scan(x, b, c, dt, decay, state, d, chunk)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
