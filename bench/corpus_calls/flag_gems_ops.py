"""Calls of flag-gems' operators, which replace those of torch."""

import os

os.environ.setdefault("GEMS_VENDOR", "nvidia")  # otherwise a command is run to find the vendor

import flag_gems.ops as ops
import torch

ROWS, COLUMNS = 4096, 4096


def _tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _matrix():
    return _tensor(ROWS, COLUMNS)


def _integers(*shape, top=1024):
    return torch.randint(0, top, shape, device="cuda")


def add():
    ops.add(_matrix(), _matrix())


def add_broadcast():
    ops.add(_matrix(), _tensor(COLUMNS))


def multiply_transposed():
    ops.mul(_matrix(), _matrix().T)


def gelu():
    ops.gelu(_matrix())


def silu():
    ops.silu(_matrix())


def exp():
    ops.exp(_matrix())


def where():
    ops.where_self(_matrix() > 0, _matrix(), _matrix())


def clamp():
    ops.clamp(_matrix(), 0.0, 1.0)


def mm():
    ops.mm(_tensor(2048, 1024), _tensor(1024, 2048))


def mm_ragged():
    ops.mm(_tensor(1000, 1000), _tensor(1000, 1000))


def bmm():
    ops.bmm(_tensor(16, 512, 512), _tensor(16, 512, 512))


def addmm():
    ops.addmm(_tensor(2048), _tensor(2048, 1024), _tensor(1024, 2048))


def mv():
    ops.mv(_tensor(4096, 4096), _tensor(4096))


def outer_sum():
    ops.sum_dim(_matrix(), [0])


def row_sum():
    ops.sum_dim(_matrix(), [1])


def full_sum():
    ops.sum(_matrix())


def mean():
    ops.mean_dim(_matrix(), [1])


def amax():
    ops.amax(_matrix(), [1])


def argmax():
    ops.argmax(_matrix(), 1)


def all_of_row():
    ops.all_dim(_matrix() > 0, 1)


def prod():
    ops.prod_dim(_matrix(), 1)


def cumsum():
    ops.cumsum(_matrix(), 1)


def softmax():
    ops.softmax(_tensor(ROWS, 2048), 1)


def softmax_outer():
    ops.softmax(_tensor(2048, ROWS), 0)


def softmax_backward():
    output = _tensor(ROWS, 2048)
    ops.softmax_backward(output, output, 1, torch.bfloat16)


def log_softmax():
    ops.log_softmax(_tensor(ROWS, 2048), 1)


def layer_norm():
    ops.layer_norm(_tensor(ROWS, 2048), (2048,), _tensor(2048), _tensor(2048))


def layer_norm_wide():
    ops.layer_norm(_tensor(ROWS, 16384), (16384,), _tensor(16384), _tensor(16384))


def rms_norm():
    ops.rms_norm(_tensor(ROWS, 2048), (2048,), _tensor(2048))


def group_norm():
    ops.group_norm(_tensor(4, 64, 32, 32), _tensor(64), _tensor(64), 4, 64, 1024, 8)


def batch_norm():
    ops.batch_norm(_tensor(8, 64, 32, 32), _tensor(64), _tensor(64), training=True)


def embedding():
    ops.embedding(_tensor(32000, 2048), _integers(4, 512, top=32000))


def gather():
    ops.gather(_matrix(), 1, _integers(ROWS, 128))


def index_select():
    ops.index_select(_matrix(), 0, _integers(512))


def topk():
    ops.topk(_tensor(64, 4096), 8)


def sort():
    ops.sort(_tensor(64, 1024))


def dropout():
    ops.dropout(_matrix(), 0.5, True)


def triu():
    ops.triu(_matrix())


def cat():
    ops.cat([_matrix(), _matrix()], 1)


def stack():
    ops.stack([_matrix(), _matrix()], 0)


def flip():
    ops.flip(_matrix(), [1])


def pad():
    ops.pad(_matrix(), (1, 1), "constant", 0.0)


def conv2d():
    ops.conv2d(_tensor(4, 32, 64, 64), _tensor(64, 32, 3, 3), padding=1)


def conv1d():
    ops.conv1d(_tensor(4, 32, 256), _tensor(64, 32, 3), padding=1)


def max_pool2d():
    ops.max_pool2d_with_indices(_tensor(4, 32, 64, 64), [2, 2])


def upsample():
    ops.upsample_nearest2d(_tensor(4, 32, 64, 64), [128, 128])


def attention():
    q, k, v = (_tensor(2, 16, 1024, 128) for _ in range(3))
    ops.scaled_dot_product_attention(q, k, v, is_causal=True)


def cross_entropy():
    ops.nll_loss_forward(_tensor(1024, 32000), _integers(1024, top=32000))


def vector_norm():
    ops.vector_norm(_matrix(), 2, [1])


def var_mean():
    ops.var_mean(_matrix(), [1])


def outer():
    ops.addr(_tensor(2048, 2048), _tensor(2048), _tensor(2048))


def tile_repeat():
    ops.repeat(_tensor(512, 512), (2, 3))


def arange():
    ops.arange(1 << 20, device="cuda")


def fp8_matmul():
    a, b = (_tensor(1024, 1024).to(torch.float8_e4m3fn) for _ in range(2))
    scales = torch.ones(1024, 8, device="cuda"), torch.ones(8, 8, device="cuda")
    ops.w8a8_block_fp8_matmul(a, b, *scales, [128, 128])
