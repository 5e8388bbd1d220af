"""A makespan that is guessed while no plan is known decides block shapes only if a plan is within it: whatever is
guessed, the answer over many block shapes is that of brute force."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from gemm import gemm
from instances import random_device
from test_solver_equals_oracle import assert_same_answer

from cpplan.encode import columns
from cpplan.enumerate.oracle import count
from cpplan.tile.family import stack

MOST = 20_000
"""Plans that brute force scores per instance."""


@pytest.mark.parametrize(
    "part", [1 << 40, 32, 8, 1], ids=["the least bound", "a 32nd more", "an 8th more", "twice that"]
)
@pytest.mark.parametrize("seed", range(8))
def test_the_answer_is_the_same_for_every_guess(seed: int, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "GUESS", part)
    for attempt in range(100):
        r = Random(1_000 * seed + attempt)
        m, n, k = (r.choice((32, 64, 96, 128)) for _ in range(3))
        shapes = itertools.product((32, 64), (32, 64, 96), (32, 64))
        programs = [
            gemm(m, n, k, shape) for shape in shapes if all(b <= e for b, e in zip(shape, (m, n, k), strict=True))
        ]
        device = random_device(r)
        if len(programs) > columns.CONSTRUCTED_BLOCKS and 0 < count(programs, device, MOST) <= MOST:
            break
    else:
        raise AssertionError("nothing small enough was drawn")
    assert_same_answer(device, programs, r.choice((1, 4)), (stack(programs),))
