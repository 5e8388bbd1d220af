"""What the example kernels compute, against plain float64 arithmetic, on Triton's interpreter.

``python numerics.py`` prints {case: relative error} as JSON. It runs in its own process, because the interpreter is
chosen when ``@triton.jit`` is executed. A kernel is run with each of its configurations.
"""

import contextlib
import itertools
import json
import math
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"

Pair = tuple[Any, Any]
"""(computed, expected) tensors."""


def matmul(m: int, n: int, k: int) -> Iterator[Pair]:
    a, b = normal(m, k), normal(k, n)
    product = exact(a) @ exact(b)
    yield example("matmul").matmul(a, b), product.where(product >= 0, 0.01 * product)


def batched_matmul(batch: int, m: int, n: int, k: int) -> Iterator[Pair]:
    a, b = normal(batch, m, k), normal(batch, k, n)
    yield example("batched_matmul").bmm(a, b), exact(a) @ exact(b)


def elementwise(rows: int, columns: int) -> Iterator[Pair]:
    import torch

    x, r = normal(rows, columns), normal(rows, columns)
    yield example("elementwise").add_gelu(x, r), torch.nn.functional.gelu(exact(x) + exact(r))


def matmul_bias_activation(m: int, n: int, k: int) -> Iterator[Pair]:
    import torch

    x, weight, bias = normal(m, k), normal(n, k), normal(n)
    linear, product = example("matmul_bias_activation").linear, exact(x) @ exact(weight).T
    yield linear(x, weight, bias, "gelu"), torch.nn.functional.gelu(product + exact(bias), approximate="tanh")
    yield linear(x, weight, bias, "silu"), torch.nn.functional.silu(product + exact(bias))
    yield linear(x, weight, None, "relu"), product.clamp(min=0)
    yield linear(x, weight, bias, "none"), product + exact(bias)


def split_k_matmul(m: int, n: int, k: int) -> Iterator[Pair]:
    a, b = normal(m, k), normal(k, n)
    yield example("split_k_matmul").split_k_matmul(a, b), exact(a) @ exact(b)


def persistent_matmul(m: int, n: int, k: int) -> Iterator[Pair]:
    a, b = normal(m, k), normal(n, k)
    yield example("persistent_matmul").persistent_matmul(a, b), exact(a) @ exact(b).T


def softmax(rows: int, columns: int) -> Iterator[Pair]:
    x = normal(rows, columns)
    yield example("softmax").softmax(x), exact(x).softmax(dim=1)


def layer_norm(rows: int, columns: int) -> Iterator[Pair]:
    x, weight, bias = 3 + normal(rows, columns), normal(columns), normal(columns)
    y, mean, rstd = example("layer_norm").layer_norm(x, weight, bias, eps=1e-5)
    centred = exact(x) - exact(x).mean(dim=1, keepdim=True)
    deviation = ((centred**2).mean(dim=1, keepdim=True) + 1e-5).sqrt()
    yield y, centred / deviation * exact(weight) + exact(bias)
    yield mean, exact(x).mean(dim=1)
    yield rstd, 1 / deviation[:, 0]


def rms_norm_residual(rows: int, columns: int) -> Iterator[Pair]:
    x, residual, weight = normal(rows, columns), normal(rows, columns), normal(columns)
    y, h = example("rms_norm_residual").rms_norm_residual(x, residual, weight, eps=1e-6)
    total = exact(x) + exact(residual)
    yield h, total
    yield y, total / ((total**2).mean(dim=1, keepdim=True) + 1e-6).sqrt() * exact(weight)


def swiglu(rows: int, columns: int) -> Iterator[Pair]:
    x = normal(rows, 2 * columns)
    gate, up = exact(x).chunk(2, dim=1)
    yield example("swiglu").swiglu(x), gate / (1 + (-gate).exp()) * up


def attention(batch: int, heads: int, kv_heads: int, length: int, dim: int) -> Iterator[Pair]:
    import torch

    q, k, v = (
        normal(batch, heads, length, dim),
        normal(batch, kv_heads, length, dim),
        normal(batch, kv_heads, length, dim),
    )
    keys, values = (exact(t).repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
    score = exact(q) @ keys.transpose(2, 3) / math.sqrt(dim)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    run = example("attention").attention
    yield run(q, k, v, False), score.softmax(dim=3) @ values
    yield run(q, k, v, True), score.masked_fill(future, -math.inf).softmax(dim=3) @ values


def flash_decode(batch: int, heads: int, kv_heads: int, length: int, dim: int, parts: int) -> Iterator[Pair]:
    q, (k, v) = normal(batch, heads, dim), (normal(batch, kv_heads, length, dim) for _ in "kv")
    keys, values = (exact(t).repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
    weight = (keys @ exact(q)[..., None] / math.sqrt(dim)).softmax(dim=2)
    yield example("flash_decode").flash_decode(q, k, v, parts), (weight * values).sum(dim=2)


def mamba(
    batch: int, length: int, heads: int, head_dim: int, groups: int, state_dim: int, chunk: int
) -> Iterator[Pair]:
    """Both Mamba-2 files together, against the recurrence taken one token at a time."""
    import torch

    x, b, c = normal(batch, length, heads, head_dim), *(normal(batch, length, groups, state_dim) for _ in "bc")
    dt, a, d = torch.rand(batch, length, heads), -torch.rand(heads), normal(heads)
    chunk_state, chunk_scan = example("mamba_chunk_state"), example("mamba_chunk_scan")
    decay = chunk_state.chunk_decay(dt, a, chunk, block_heads=16)
    added = chunk_state.chunk_state(x, b, dt, decay, chunk)
    before = torch.zeros_like(added)
    for index in range(1, added.shape[1]):  # a chunk as a whole decays the state before it, then adds its own
        whole = decay[:, :, index * chunk - 1].exp()[..., None, None]
        before[:, index] = whole * before[:, index - 1] + added[:, index - 1]
    y = chunk_scan.chunk_scan(x, b, c, dt, decay, before, d, chunk)

    rows, columns = (exact(t).repeat_interleave(heads // groups, dim=2) for t in (c, b))
    state, outputs = torch.zeros(batch, heads, head_dim, state_dim, dtype=torch.float64), []
    for t in range(length):
        if t % chunk == 0:
            yield before[:, t // chunk], state
        fade = (exact(dt)[:, t] * exact(a)).exp()[..., None, None]
        state = fade * state + torch.einsum("bh,bhp,bhn->bhpn", exact(dt)[:, t], exact(x)[:, t], columns[:, t])
        outputs.append(torch.einsum("bhpn,bhn->bhp", state, rows[:, t]) + exact(d)[:, None] * exact(x)[:, t])
    yield y, torch.stack(outputs, dim=1)


CASES: tuple[tuple[Callable[..., Iterator[Pair]], tuple[int, ...]], ...] = (
    (matmul, (128, 128, 64)), (matmul, (70, 100, 90)),
    (batched_matmul, (2, 128, 128, 64)), (batched_matmul, (2, 70, 50, 40)),
    (elementwise, (32, 128)), (elementwise, (33, 100)),
    (matmul_bias_activation, (128, 128, 64)), (matmul_bias_activation, (70, 100, 90)),
    (split_k_matmul, (32, 64, 512)), (split_k_matmul, (20, 100, 300)),
    (persistent_matmul, (256, 192, 64)), (persistent_matmul, (200, 144, 80)),
    (softmax, (64, 128)), (softmax, (33, 100)),
    (layer_norm, (64, 512)), (layer_norm, (33, 300)),
    (rms_norm_residual, (64, 128)), (rms_norm_residual, (33, 100)),
    (swiglu, (64, 256)), (swiglu, (33, 100)),
    (attention, (2, 4, 2, 128, 32)), (attention, (1, 4, 1, 150, 32)),
    (flash_decode, (2, 8, 2, 512, 32, 2)), (flash_decode, (1, 6, 2, 300, 32, 4)),
    (mamba, (1, 256, 4, 64, 2, 64, 128)), (mamba, (2, 200, 2, 32, 1, 32, 128)),
)  # fmt: skip
"""Example and sizes: those that the blocks divide, then ragged ones."""


def name_of(case: tuple[Callable[..., Iterator[Pair]], tuple[int, ...]]) -> str:
    return f"{case[0].__name__} {' '.join(map(str, case[1]))}"


def normal(*shape: int) -> Any:
    import torch

    return torch.randn(shape)


def exact(tensor: Any) -> Any:
    return tensor.double()


_loaded: dict[str, Any] = {}


def example(name: str) -> Any:
    """The global names of an example file."""
    if name not in _loaded:
        _loaded[name] = type(name, (), runpy.run_path(str(EXAMPLES / f"{name}.py")))
    return _loaded[name]


def relative_error(computed: Any, expected: Any) -> float:
    """Largest error over the largest expected value, infinite for anything that is no number."""
    error = (exact(computed) - expected).abs().max() / expected.abs().max().clamp(min=1e-30)
    return float(error) if error == error else math.inf


class EveryConfiguration:
    """Stands for the autotuner: configuration number ``turn`` of every kernel, the last one when there are fewer."""

    def __init__(self) -> None:
        self.turn = self.most = 0

    def run(self, tuner: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.most = max(self.most, len(tuner.configs))
        config = tuner.configs[min(self.turn, len(tuner.configs) - 1)]
        values = {**kwargs, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(tuner.arg_names, args, strict=False)), **values})
        return tuner.fn.run(*args, **values)


def main() -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import torch
    from frontend.interpreter_addresses import count_loops_with_any_numpy
    from triton.runtime import autotuner, driver

    from cpplan.frontend.stub_driver import StubDriver
    from cpplan.frontend.torch_stub import patch_cuda

    torch.manual_seed(0)
    torch.set_num_threads(1)
    count_loops_with_any_numpy()
    driver.set_active(StubDriver())
    patch_cuda(setattr)
    properties = type("Properties", (), {"multi_processor_count": 5})  # persistent programs get several tiles each
    torch.cuda.get_device_properties = lambda *_: properties
    tuner = EveryConfiguration()
    autotuner.Autotuner.run = lambda *args, **kwargs: tuner.run(*args, **kwargs)
    errors: dict[str, float] = {}
    with contextlib.redirect_stdout(sys.stderr):
        for case in CASES:
            tuner.most, worst = 0, 0.0
            for tuner.turn in itertools.count():
                worst = max(worst, *(relative_error(*pair) for pair in case[0](*case[1])))
                if tuner.turn + 1 >= tuner.most:
                    break
            errors[name_of(case)] = worst
    print(json.dumps(errors))


if __name__ == "__main__":
    main()
