"""Calls of unsloth's kernel functions; of the package only ``unsloth.kernels`` is loaded, without transformers."""

import torch
from packages import bare_package, stand_in
from packaging.version import Version


def _same(function=None, **_):
    return function if function is not None else _same


for _name in ("unsloth", "unsloth.kernels"):
    bare_package(_name)
stand_in(
    "unsloth.device_type", DEVICE_TYPE="cuda", DEVICE_TYPE_TORCH="cuda", DEVICE_COUNT=1, is_hip=lambda: False,
    get_device_type=lambda: "cuda", ALLOW_PREQUANTIZED_MODELS=False,
)  # fmt: skip
stand_in("unsloth_zoo")
stand_in("unsloth_zoo.utils", Version=Version)
stand_in("unsloth_zoo.log")
stand_in("unsloth_zoo.patching_utils", patch_layernorm=_same)
stand_in("unsloth_zoo.temporary_patches")
stand_in("unsloth_zoo.temporary_patches.common", torch_compile=_same)
stand_in("unsloth_zoo.loss_utils", HAS_CUT_CROSS_ENTROPY=False)
stand_in("bitsandbytes", __version__="0.46.0")
stand_in("transformers")
for _name in ("transformers.models", "transformers.models.llama", "transformers.models.mllama"):
    stand_in(_name)
for _name in ("llama", "mllama"):
    stand_in(f"transformers.models.{_name}.modeling_{_name}")

ROWS, HIDDEN, VOCABULARY = 4096, 4096, 32000


def _tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=dtype, device="cuda", requires_grad=True)


def _backward(result):
    result.backward(torch.ones_like(result))


def rms_norm():
    from unsloth.kernels.rms_layernorm import Fast_RMS_Layernorm

    _backward(Fast_RMS_Layernorm.apply(_tensor(2, 2048, HIDDEN), _tensor(HIDDEN), 1e-6, False))


def gemma_rms_norm():
    from unsloth.kernels.rms_layernorm import Fast_RMS_Layernorm

    _backward(Fast_RMS_Layernorm.apply(_tensor(2, 2048, HIDDEN), _tensor(HIDDEN), 1e-6, True))


def layer_norm():
    from unsloth.kernels.layernorm import Fast_Layernorm

    _backward(Fast_Layernorm.apply(_tensor(2, 2048, HIDDEN), _tensor(HIDDEN), _tensor(HIDDEN), 1e-6))


def swiglu():
    from unsloth.kernels.swiglu import swiglu_DWf_DW_dfg_kernel, swiglu_fg_kernel

    swiglu_fg_kernel(_tensor(2, 2048, 11008), _tensor(2, 2048, 11008))
    swiglu_DWf_DW_dfg_kernel(_tensor(4096, 11008), _tensor(4096, 11008), _tensor(4096, 11008))


def geglu():
    from unsloth.kernels import geglu as kernels

    kernels.geglu_exact_forward_kernel(_tensor(2, 2048, 11008), _tensor(2, 2048, 11008))
    kernels.geglu_exact_backward_kernel(*(_tensor(4096, 11008) for _ in range(3)))
    kernels.geglu_approx_forward_kernel(_tensor(2, 2048, 11008), _tensor(2, 2048, 11008))
    kernels.geglu_approx_backward_kernel(*(_tensor(4096, 11008) for _ in range(3)))


def rope():
    from unsloth.kernels.rope_embedding import fast_rope_embedding

    cos, sin = (torch.randn(2048, 128, device="cuda") for _ in range(2))
    q, _ = fast_rope_embedding(_tensor(2, 32, 2048, 128), _tensor(2, 8, 2048, 128), cos, sin)
    _backward(q)


def cross_entropy():
    from unsloth.kernels.cross_entropy_loss import fast_cross_entropy_loss

    labels = torch.randint(0, VOCABULARY, (2, 512), device="cuda")
    _backward(fast_cross_entropy_loss(_tensor(2, 512, VOCABULARY), labels))


def cross_entropy_chunked():
    from unsloth.kernels.cross_entropy_loss import fast_cross_entropy_loss

    labels = torch.randint(0, 128256, (2, 512), device="cuda")
    _backward(fast_cross_entropy_loss(_tensor(2, 512, 128256), labels))


def fp8_matmul():
    from unsloth.kernels.fp8 import act_quant, w8a8_block_fp8_matmul_triton, weight_dequant_block

    weight = torch.randn(4096, 4096, device="cuda").to(torch.float8_e4m3fn)
    scale = torch.randn(32, 32, device="cuda")
    x, x_scale = act_quant(_tensor(2048, 4096), 128)
    w8a8_block_fp8_matmul_triton(x, weight, x_scale, scale, [128, 128])
    weight_dequant_block(weight, scale)
