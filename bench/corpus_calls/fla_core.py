"""Calls of flash-linear-attention's operators (package fla-core), forward and backward."""

import importlib

import torch

BATCH, LENGTH, HEADS, DIM = 2, 2048, 8, 128

REAL_TENSORS = ("attention_decoding", "attention_ragged", "gated_delta_rule_ragged")
"""Cases whose launches depend on the lengths of sequences: they run on real tensors."""


def _tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=dtype, device="cuda", requires_grad=True)


def _heads(dim=DIM, heads=HEADS, length=LENGTH):
    return _tensor(BATCH, length, heads, dim)


def _qkv(dim=DIM, length=LENGTH):
    return _heads(dim, length=length), _heads(dim, length=length), _heads(dim, length=length)


def _gate(*shape):
    return torch.nn.functional.logsigmoid(_tensor(*shape, dtype=torch.float32))


def _scalars():
    """One gate per token and head."""
    return _gate(BATCH, LENGTH, HEADS)


def _vectors(dim=DIM):
    """One gate per channel."""
    return _gate(BATCH, LENGTH, HEADS, dim)


def _run(path, *arguments, **options):
    first = _forward(path, *arguments, **options)
    first.backward(torch.ones_like(first))


def _forward(path, *arguments, **options):
    module, _, name = path.rpartition(".")
    result = getattr(importlib.import_module(f"fla.ops.{module}"), name)(*arguments, **options)
    return result[0] if isinstance(result, (tuple, list)) else result


def gla():
    _run("gla.chunk_gla", *_qkv(), _vectors())


def gla_recurrent():
    _run("gla.fused_recurrent_gla", *_qkv(), _vectors())


def simple_gla():
    _run("simple_gla.chunk_simple_gla", *_qkv(), _scalars())


def simple_gla_parallel():
    _run("simple_gla.parallel_simple_gla", *_qkv(), _scalars())


def simple_gla_fused():
    _run("simple_gla.fused_chunk_simple_gla", *_qkv(), _scalars())


def delta_rule():
    _run("delta_rule.chunk_delta_rule", *_qkv(), torch.sigmoid(_tensor(BATCH, LENGTH, HEADS)))


def delta_rule_recurrent():
    _run("delta_rule.fused_recurrent_delta_rule", *_qkv(), torch.sigmoid(_tensor(BATCH, LENGTH, HEADS)))


def gated_delta_rule():
    _run("gated_delta_rule.chunk_gated_delta_rule", *_qkv(), _scalars(), torch.sigmoid(_scalars()))


def gated_delta_rule_recurrent():
    _forward("gated_delta_rule.fused_recurrent_gated_delta_rule", *_qkv(), g=_scalars(), beta=torch.sigmoid(_scalars()))


def gated_delta_rule_ragged():
    q, k, v = (_tensor(1, 1000, HEADS, DIM) for _ in range(3))
    gate, lengths = _gate(1, 1000, HEADS), torch.tensor([0, 300, 1000], device="cuda")
    _forward("gated_delta_rule.chunk_gated_delta_rule", q, k, v, gate, torch.sigmoid(gate), cu_seqlens=lengths)


def gated_delta_product():
    q, g = _heads(), _scalars()
    k, v = _heads(length=2 * LENGTH), _heads(length=2 * LENGTH)
    beta = torch.sigmoid(_tensor(BATCH, 2 * LENGTH, HEADS))
    _run("gated_delta_product.chunk_gated_delta_product", q, k, v, g, beta, num_householder=2)


def retention():
    _run("retention.chunk_retention", *_qkv())


def retention_parallel():
    _run("retention.parallel_retention", *_qkv())


def linear_attention():
    _run("linear_attn.chunk_linear_attn", *_qkv())


def linear_attention_fused():
    _run("linear_attn.fused_chunk_linear_attn", *_qkv())


def linear_attention_recurrent():
    _run("linear_attn.fused_recurrent_linear_attn", *_qkv())


def lightning_attention():
    _run("lightning_attn.chunk_lightning_attn", *_qkv(), layer_idx=1, num_layers=24)


def rwkv6():
    _run("rwkv6.chunk_rwkv6", *_qkv(), _vectors(), _tensor(HEADS, DIM))


def rwkv6_recurrent():
    _run("rwkv6.fused_recurrent_rwkv6", *_qkv(), _vectors(), _tensor(HEADS, DIM))


def rwkv7():
    r, k, v = _qkv(64)
    _run("rwkv7.chunk_rwkv7", r, _vectors(64), k, v, _heads(64), _heads(64))


def rwkv4():
    channels = [_tensor(1024, dtype=torch.float32) for _ in range(2)]
    k, v = (_tensor(BATCH, 256, 1024, dtype=torch.float32) for _ in range(2))
    _run("rwkv4.fused_recurrent_rwkv4", *channels, k, v, _tensor(BATCH, 3, 1, 1024, dtype=torch.float32))


def kda():
    _run("kda.chunk_kda", *_qkv(), _vectors(), torch.sigmoid(_tensor(BATCH, LENGTH, HEADS)))


def kda_recurrent():
    _forward("kda.fused_recurrent_kda", *_qkv(), _vectors(), torch.sigmoid(_tensor(BATCH, LENGTH, HEADS)))


def hgrn():
    _run("hgrn.chunk_hgrn", _tensor(BATCH, LENGTH, 1024), _gate(BATCH, LENGTH, 1024))


def hgrn_recurrent():
    _run("hgrn.fused_recurrent_hgrn", _tensor(BATCH, LENGTH, 1024), _gate(BATCH, LENGTH, 1024))


def attention():
    _run("attn.parallel_attn", *_qkv())


def attention_grouped():
    _run("attn.parallel_attn", _heads(), _heads(heads=2), _heads(heads=2))


def attention_windowed():
    _run("attn.parallel_attn", *_qkv(), window_size=512)


def attention_ragged():
    lengths = torch.tensor([0, 300, 1000], device="cuda")
    _forward("attn.parallel_attn", *(_tensor(1, 1000, HEADS, DIM) for _ in range(3)), cu_seqlens=lengths)


def attention_decoding():
    from fla.ops.attn.decoding import attn_decoding_one_step

    k, v = (_tensor(1, 4 * LENGTH, 2, DIM) for _ in range(2))
    lengths = torch.tensor([0, LENGTH, 2 * LENGTH, 3 * LENGTH, 4 * LENGTH], device="cuda")
    attn_decoding_one_step(_tensor(1, 4, HEADS, DIM), k, v, cu_seqlens=lengths)


def forgetting_attention():
    _run("forgetting_attn.parallel_forgetting_attn", *_qkv(), _scalars())


def stickbreaking_attention():
    _run("stickbreaking_attn.parallel_stickbreaking_attn", *_qkv())


def path_attention():
    w = _tensor(BATCH, LENGTH, HEADS, 64, dtype=torch.float32)
    beta = torch.sigmoid(_tensor(BATCH, LENGTH, HEADS, dtype=torch.float32))
    _run("path_attn.parallel_path_attn", *_qkv(64), w, beta, _scalars())


def sparse_attention():
    indices = torch.zeros(BATCH, LENGTH, 1, 16, dtype=torch.long, device="cuda")
    q, k, v = _heads(heads=16), _heads(heads=1), _heads(heads=1)
    gates = [_tensor(BATCH, LENGTH, 16) for _ in range(3)]
    _run("nsa.parallel_nsa", q, k, v, *gates, block_indices=indices, block_counts=16, block_size=64)


def gsa():
    _run("gsa.chunk_gsa", *_qkv(), _heads(64), _vectors(64))


def abc():
    _run("abc.chunk_abc", *_qkv(), _heads(64))


def based():
    _run("based.parallel_based", _heads(16), _heads(16), _heads())


def based_fused():
    _run("based.fused_chunk_based", _heads(16), _heads(16), _heads())


def rebased():
    _run("rebased.parallel_rebased", _heads(16), _heads(16), _heads())


def mesa_net():
    lamb = torch.sigmoid(_tensor(HEADS, DIM, dtype=torch.float32))
    _run("mesa_net.chunk_mesa_net", *_qkv(), _scalars(), torch.sigmoid(_scalars()), lamb)


def comba():
    _run("comba.chunk_comba", *_qkv(), _heads(), _scalars(), torch.sigmoid(_scalars()))


def ttt_linear():
    w, b = _tensor(HEADS, 64), _tensor(HEADS, 64)
    _run("ttt.chunk_ttt_linear", *_qkv(64), w, b, _tensor(BATCH, LENGTH, HEADS, 1), chunk_size=16)


def log_linear_attention():
    levels = _tensor(BATCH, LENGTH, HEADS, 12)
    _run("log_linear_attn.chunk_log_linear_attn", *_qkv(64), _scalars(), levels)


def dplr_delta_rule():
    arguments = *_qkv(64), _heads(64), _heads(64), _vectors(64)
    _run("generalized_delta_rule.chunk_dplr_delta_rule", *arguments)


def iplr_delta_rule():
    _forward("generalized_delta_rule.chunk_iplr_delta_rule", *_qkv(64), _heads(64), _heads(64))


def cumulative_sums():
    from fla.ops.utils import chunk_global_cumsum, chunk_local_cumsum

    chunk_local_cumsum(_tensor(BATCH, LENGTH, HEADS, dtype=torch.float32), chunk_size=64)
    chunk_local_cumsum(_tensor(BATCH, LENGTH, HEADS, DIM, dtype=torch.float32), chunk_size=64)
    chunk_global_cumsum(_tensor(BATCH, LENGTH, HEADS, dtype=torch.float32))
    chunk_global_cumsum(_tensor(BATCH, LENGTH, HEADS, DIM, dtype=torch.float32))


def softmax_and_matmul():
    from fla.ops.utils import addmm, logsumexp_fwd, matmul, softmax_fwd

    softmax_fwd(_tensor(BATCH, LENGTH, HEADS, DIM))
    logsumexp_fwd(_tensor(4096, 2048))
    matmul(_tensor(2048, 1024), _tensor(1024, 512))
    addmm(_tensor(2048, 512), _tensor(2048, 1024), _tensor(1024, 512))


def mean_pooling():
    _run("utils.mean_pooling", _heads(), chunk_size=64)
