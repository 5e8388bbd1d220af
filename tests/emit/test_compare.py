"""How far a result may be from the interpreter's: by the type on the way, and by products of products."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emit.small import Small
from emit.whole import programs

from cpplan.emit_ttmetal.compare import chained_products, largest_error, tolerance

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("example", "sizes", "chains"),
    [
        ("softmax", (64, 128), [0]),
        ("matmul", (128, 128, 128), [1]),  # its products are added up, none is a factor of another
        ("attention", (1, 2, 2, 128, 64), [2, 2]),  # weights are computed from scores
        ("mamba_chunk_scan", (1, 256, 2, 32, 1, 32, 128), [2]),
    ],
)
def test_products_whose_factors_are_products(example: str, sizes: tuple[int, ...], chains: list[int]) -> None:
    assert [chained_products(program) for program in programs(EXAMPLES / f"{example}.py", *sizes)] == chains


def test_each_further_product_allows_two_more_roundings() -> None:
    small = Small()
    a = small.load((32, 32), "bf16", along=None)
    first = small.op("dot", a, a, a, dtype="fp32", k=32)
    for further in range(3):
        small.store(first, along=None)
        program = small.program()
        allowed = tolerance(program, program.tensors[-1], np.array([1.0]))
        assert allowed == (4 + 2 * further) * 2.0**-8
        first = small.op("dot", first, a, a, dtype="fp32", k=32)


def test_numbers_against_no_numbers_and_infinities_of_both_signs_are_infinitely_far() -> None:
    nan, inf = np.nan, np.inf
    assert largest_error(np.array([nan, inf, 1.0]), np.array([nan, inf, 1.5])) == 0.5
    for one, other in ((nan, 1.0), (1.0, nan), (inf, -inf), (inf, 1.0)):
        assert largest_error(np.array([one]), np.array([other])) == inf
