"""The handwritten GEMM on the emulated chip equals numpy, whatever the order of events."""

from __future__ import annotations

import numpy as np
import pytest
from emulate.gemm_program import Gemm, gemm_program

from cpplan.emit_ttmetal.program import ComputeConfig
from cpplan.emulate import Traffic, run
from cpplan.emulate.formats import decode, encode, matrix_pages, pages_matrix, round_bf16, tilize, untilize

CASES = {
    "2x2": Gemm(),
    "blackhole 3x2": Gemm(arch="blackhole", grid=(3, 2)),
    "across the column gap": Gemm(arch="blackhole", grid=(9, 1), rows=1, columns=1, depth=1),
    "one core": Gemm(grid=(1, 1)),
    "fp32 accumulation": Gemm(config=ComputeConfig(fp32_dest_acc=True), partial="fp32"),
    "bfp8": Gemm(format="bfp8_b"),
    "full sync": Gemm(columns=9, rows=1, config=ComputeConfig(dst_full_sync=True)),
}
TOLERANCE = {"bf16": 0.012, "bfp8_b": 0.03}


def stored(matrix: np.ndarray, format: str) -> np.ndarray:
    """What the tensor really holds after rounding to its format."""
    return untilize(decode(encode(tilize(matrix), format), format), *matrix.shape)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_gemm_equals_numpy(case: str, seed: int) -> None:
    gemm = CASES[case]
    m, n, k = gemm.shape
    draw = np.random.default_rng(7)
    a, b = draw.standard_normal((m, k), np.float32), draw.standard_normal((k, n), np.float32)
    pages, _ = run(gemm_program(gemm), {"A": matrix_pages(a, gemm.format), "B": matrix_pages(b, gemm.format)}, seed)
    c = pages_matrix(pages["C"], gemm.format, m, n)
    expected = stored(a, gemm.format) @ stored(b, gemm.format)
    assert np.abs(c - expected).max() <= TOLERANCE[gemm.format] * np.abs(expected).max()


def test_traffic_is_the_plans() -> None:
    """Each element of A and B leaves DRAM once; leaders send each block and a flag of 4 bytes, receivers get both."""
    gemm = Gemm(grid=(4, 3))
    m, n, k = gemm.shape
    _, stats = run(gemm_program(gemm), {"A": np.zeros(2 * m * k, np.uint8), "B": np.zeros(2 * k * n, np.uint8)})
    assert stats.dram == {"A": Traffic(2 * m * k, 0), "B": Traffic(2 * k * n, 0), "C": Traffic(0, 2 * m * n)}
    flags_a, flags_b = 4 * gemm.blocks * 3, 4 * gemm.blocks * 4
    assert stats.multicast_bytes == 2 * m * k + 2 * k * n + flags_a + flags_b
    assert stats.delivered_bytes == 3 * (2 * m * k + flags_a) + 2 * (2 * k * n + flags_b)
    assert stats.matmul_tiles == (m * n * k) // 32**3


def test_the_order_of_events_changes_no_bit() -> None:
    gemm = Gemm(arch="blackhole", grid=(3, 3), blocks=3)
    m, n, k = gemm.shape
    draw = np.random.default_rng(3)
    tensors = {
        name: matrix_pages(draw.standard_normal(shape), "bf16") for name, shape in (("A", (m, k)), ("B", (k, n)))
    }
    results = [run(gemm_program(gemm), tensors, seed)[0]["C"] for seed in range(12)]
    assert all(np.array_equal(result, results[0]) for result in results)


def test_a_whole_array_multiplies_matrices_of_1024() -> None:
    gemm = Gemm(grid=(8, 8), rows=4, columns=4, depth=4, blocks=8)
    draw = np.random.default_rng(4)
    a, b = (round_bf16(draw.standard_normal((1024, 1024))) for _ in range(2))
    pages, stats = run(gemm_program(gemm), {"A": matrix_pages(a, "bf16"), "B": matrix_pages(b, "bf16")}, seed=5)
    c, expected = pages_matrix(pages["C"], "bf16", 1024, 1024), a @ b
    assert np.abs(c - expected).max() <= 0.02 * np.abs(expected).max()  # partial sums of 8 blocks are rounded to bf16
    assert stats.matmul_tiles == 32**3
