"""Calls of liger-kernel's public functions, forward and backward."""

import liger_kernel.transformers.functional as F
import torch

ROWS, HIDDEN, VOCABULARY = 4096, 4096, 32000

REAL_TENSORS = ("multi_token_attention",)
"""Cases whose host code reads values of tensors."""


def _tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=dtype, device="cuda", requires_grad=True)


def _labels(*shape, top=VOCABULARY):
    return torch.randint(0, top, shape, device="cuda")


def _backward(result):
    first = result[0] if isinstance(result, tuple) else result
    first.backward(torch.ones_like(first))


def cross_entropy():
    _backward(F.liger_cross_entropy(_tensor(ROWS, VOCABULARY), _labels(ROWS)))


def fused_linear_cross_entropy():
    _backward(F.liger_fused_linear_cross_entropy(_tensor(ROWS, 1024), _tensor(VOCABULARY, 1024), _labels(ROWS)))


def rms_norm():
    _backward(F.liger_rms_norm(_tensor(ROWS, HIDDEN), _tensor(HIDDEN), 1e-6))


def rms_norm_narrow():
    _backward(F.liger_rms_norm(_tensor(65536, 128), _tensor(128), 1e-6))


def fused_add_rms_norm():
    _backward(F.liger_fused_add_rms_norm(_tensor(ROWS, HIDDEN), _tensor(ROWS, HIDDEN), _tensor(HIDDEN), 1e-6))


def layer_norm():
    _backward(F.liger_layer_norm(_tensor(ROWS, HIDDEN), _tensor(HIDDEN), _tensor(HIDDEN), 1e-6))


def group_norm():
    from liger_kernel.ops.group_norm import LigerGroupNormFunction

    _backward(LigerGroupNormFunction.apply(_tensor(8, 64, 4096), _tensor(64), _tensor(64), 64, 8, 1e-6))


def poly_norm():
    from liger_kernel.ops.poly_norm import LigerPolyNormFunction

    _backward(LigerPolyNormFunction.apply(_tensor(ROWS, HIDDEN), _tensor(3), _tensor(1)[0]))


def modulated_rms_norm():
    from liger_kernel.ops.modulated_rms_norm import LigerModulatedRMSNormFunction as Norm

    _backward(Norm.apply(_tensor(4, 1024, 2048), _tensor(2048), _tensor(4, 2048), _tensor(4, 2048), 1e-6))


def swiglu():
    _backward(F.liger_swiglu(_tensor(ROWS, 11008), _tensor(ROWS, 11008)))


def swiglu_fused_gate_up():
    from liger_kernel.ops.swiglu import LigerFusedGateUpSiLUMulFunction

    _backward(LigerFusedGateUpSiLUMulFunction.apply(_tensor(ROWS, 2 * 8192)))


def geglu():
    _backward(F.liger_geglu(_tensor(ROWS, 11008), _tensor(ROWS, 11008)))


def relu_squared():
    from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction

    _backward(LigerReLUSquaredFunction.apply(_tensor(ROWS, 8192)))


def mlp():
    from liger_kernel.ops.mlp import LigerMLPFunction

    _backward(
        LigerMLPFunction.apply(_tensor(4, 1024, 1024), _tensor(2816, 1024), _tensor(2816, 1024), _tensor(1024, 2816))
    )


def rope():
    q, k = _tensor(2, 32, 2048, 128), _tensor(2, 8, 2048, 128)
    cos, sin = torch.randn(1, 2048, 128, device="cuda"), torch.randn(1, 2048, 128, device="cuda")
    _backward(F.liger_rope(q, k, cos, sin))


def llama4_rope():
    from liger_kernel.ops.llama4_rope import LigerLlama4RopeFunction

    frequencies = torch.randn(2048, 64, dtype=torch.complex64, device="cuda")
    _backward(LigerLlama4RopeFunction.apply(_tensor(2, 2048, 32, 128), _tensor(2, 2048, 8, 128), frequencies))


def qwen2vl_mrope():
    q, k = _tensor(2, 32, 2048, 128), _tensor(2, 8, 2048, 128)
    cos, sin = (torch.randn(3, 2, 2048, 128, device="cuda") for _ in range(2))
    _backward(F.liger_qwen2vl_mrope(q, k, cos, sin, [16, 24, 24]))


def softmax():
    _backward(F.liger_softmax(_tensor(ROWS, 2048)))


def softmax_wide():
    _backward(F.liger_softmax(_tensor(512, 65536)))


def sparsemax():
    _backward(F.liger_sparsemax(_tensor(ROWS, 2048), -1))


def dyt():
    _backward(F.liger_dyt(_tensor(ROWS, HIDDEN), _tensor(1), _tensor(HIDDEN), _tensor(HIDDEN)))


def jsd():
    _backward(F.liger_jsd(_tensor(ROWS, VOCABULARY), _tensor(ROWS, VOCABULARY)))


def fused_linear_jsd():
    teacher = _tensor(ROWS, 1024), _tensor(VOCABULARY, 1024)
    _backward(F.liger_fused_linear_jsd(_tensor(ROWS, 1024), _tensor(VOCABULARY, 1024), *teacher))


def kl_div():
    _backward(F.liger_kl_div(_tensor(ROWS, VOCABULARY), _tensor(ROWS, VOCABULARY)))


def tvd():
    _backward(F.liger_tvd(_tensor(ROWS, VOCABULARY), _tensor(ROWS, VOCABULARY)))


def multi_token_attention():
    scores, weight = _tensor(2, 8, 512, 512), _tensor(8, 8, 3, 3)
    _backward(F.liger_multi_token_attention(scores, weight, padding=1))


def fused_neighborhood_attention():
    query, key, value = (_tensor(2, 8, 1024, 64) for _ in range(3))
    _backward(F.liger_fused_neighborhood_attention(query, key, value))


def attention_residual():
    from liger_kernel.ops.attn_res import LigerAttnResFunction

    _backward(LigerAttnResFunction.apply(_tensor(4, 2, 1024, 1024), _tensor(1024), _tensor(1024), 1e-6))


def grpo_loss():
    from liger_kernel.ops.grpo_loss import GrpoLossFunction

    logits, completion = _tensor(4, 513, VOCABULARY), _labels(4, 512)
    old, reference = (torch.randn(4, 512, device="cuda") for _ in range(2))
    mask = torch.ones(4, 512, dtype=torch.int32, device="cuda")
    advantages = torch.randn(4, device="cuda")
    arguments = logits, old, reference, completion, advantages, mask, 0.9, 0.04, 0.2, 0.4, True
    _backward(GrpoLossFunction.apply(*arguments))


def hyper_connections_pre():
    from liger_kernel.ops.mhc import LigerMHCPreFunction

    _backward(LigerMHCPreFunction.apply(_tensor(2, 1024, 4, 1024), _tensor(2, 1024, 4)))


def hyper_connections_post():
    from liger_kernel.ops.mhc import LigerMHCPostResFunction

    x, f_out = _tensor(2, 1024, 4, 1024), _tensor(2, 1024, 1024)
    _backward(LigerMHCPostResFunction.apply(x, f_out, _tensor(2, 1024, 4), _tensor(2, 1024, 4, 4)))


def ce_tvd():
    from liger_kernel.ops.fused_ce_tvd import LigerFusedCETVDFunction

    _backward(LigerFusedCETVDFunction.apply(_tensor(ROWS, VOCABULARY), _tensor(ROWS, VOCABULARY), _labels(ROWS)))
