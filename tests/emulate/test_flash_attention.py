"""Flash attention, handwritten, equals softmax attention in float64 within what bf16 intermediates allow."""

from __future__ import annotations

import numpy as np
import pytest
from emulate.flash_program import Flash, attention, flash_program

from cpplan.emit_ttmetal.program import ComputeConfig
from cpplan.emulate import run
from cpplan.emulate.formats import matrix_pages, pages_matrix, round_bf16

CASES = {
    "small": Flash(),
    "blackhole, two rows of tiles": Flash(arch="blackhole", rows=2),
    "fp32 accumulation": Flash(config=ComputeConfig(fp32_dest_acc=True)),
    "one block": Flash(key_blocks=1),
    "8 heads of 1024 x 64": Flash(heads=8, query_blocks=8, rows=4, keys=4, key_blocks=8),
}


def inputs(f: Flash) -> list[np.ndarray]:
    draw = np.random.default_rng(11)
    lengths = (f.query_length, f.key_length, f.key_length)
    return [round_bf16(draw.standard_normal((f.heads, n, 32 * f.width)).astype(np.float32)) for n in lengths]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("case", CASES)
def test_flash_attention_equals_attention(case: str, seed: int) -> None:
    f = CASES[case]
    q, k, v = inputs(f)
    flat = {name: matrix_pages(x.reshape(-1, 32 * f.width), "bf16") for name, x in (("Q", q), ("K", k), ("V", v))}
    pages, _ = run(flash_program(f), flat, seed)
    got = pages_matrix(pages["O"], "bf16", f.heads * f.query_length, 32 * f.width)
    expected = attention(q, k, v).reshape(got.shape)
    roundings = 4 + 2 * f.key_blocks  # of the state, to bf16, for each block of keys
    assert np.abs(got - expected).max() < roundings * 2.0**-9 * np.abs(expected).max()
