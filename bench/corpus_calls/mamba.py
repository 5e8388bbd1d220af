"""Calls of mamba-ssm's Triton functions, forward and backward; its CUDA extension is not needed for them."""

import torch
from packages import bare_package, stand_in

bare_package("mamba_ssm")
for _name in ("selective_scan_cuda", "causal_conv1d_cuda"):
    stand_in(_name)

BATCH, LENGTH, HEADS, DIM, STATE, GROUPS, CHUNK = 2, 2048, 64, 64, 128, 1, 256


def _tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=dtype, device="cuda", requires_grad=True)


def _scan_arguments(length=LENGTH):
    x, dt = _tensor(BATCH, length, HEADS, DIM), _tensor(BATCH, length, HEADS)
    b, c = _tensor(BATCH, length, GROUPS, STATE), _tensor(BATCH, length, GROUPS, STATE)
    return x, dt, _tensor(HEADS, dtype=torch.float32), b, c


def _backward(result):
    first = result[0] if isinstance(result, tuple) else result
    first.backward(torch.ones_like(first))


def chunk_scan_combined():
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    skip, bias = (_tensor(HEADS, dtype=torch.float32) for _ in range(2))
    _backward(mamba_chunk_scan_combined(*_scan_arguments(), CHUNK, D=skip, dt_bias=bias, dt_softplus=True))


def chunk_scan_gated():
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    gate = _tensor(BATCH, LENGTH, HEADS, DIM)
    _backward(mamba_chunk_scan_combined(*_scan_arguments(), CHUNK, z=gate))


def chunk_scan_separate():
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan

    _backward(mamba_chunk_scan(*_scan_arguments(), CHUNK))


def chunk_scan_ragged():
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    mamba_chunk_scan_combined(*_scan_arguments(2000), CHUNK)


def selective_state_update():
    from mamba_ssm.ops.triton import selective_state_update as module

    state, x, dt = _tensor(16, HEADS, DIM, STATE), _tensor(16, HEADS, DIM), _tensor(16, HEADS, DIM)
    a, b, c = _tensor(HEADS, DIM, STATE), _tensor(16, GROUPS, STATE), _tensor(16, GROUPS, STATE)
    module.selective_state_update(state, x, dt, a, b, c, D=_tensor(HEADS, DIM), dt_bias=_tensor(HEADS, DIM))


def layer_norm():
    from mamba_ssm.ops.triton.layer_norm import layer_norm_fn

    _backward(layer_norm_fn(_tensor(4096, 2048), _tensor(2048), _tensor(2048), residual=_tensor(4096, 2048)))


def layer_norm_gated():
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn

    _backward(rmsnorm_fn(_tensor(4096, 2048), _tensor(2048), None, z=_tensor(4096, 2048)))


def swiglu():
    from mamba_ssm.ops.triton.k_activations import SwiGLU

    _backward(SwiGLU.apply(_tensor(4096, 2 * 4096)))


def angle_dt():
    from mamba_ssm.ops.triton.mamba3.angle_dt import angle_dt_fwd

    angle_dt_fwd(_tensor(BATCH, LENGTH, 16, 32), _tensor(BATCH, 16, LENGTH))


def segment_sums():
    from mamba_ssm.ops.triton.mamba3.mamba3_mimo_utils import compute_dacs_segsum_triton

    compute_dacs_segsum_triton(_tensor(BATCH, 16, LENGTH, dtype=torch.float32), 64)
