"""What the solver refuses instead of answering wrongly, and what it still answers at the edge."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gemm import gemm
from instances import problem

from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.errors import InputError


@pytest.mark.parametrize("exponent", [20, 24, 30])
def test_launches_beyond_the_64_bit_range_are_refused(exponent: int) -> None:
    size = 1 << exponent
    with pytest.raises(InputError, match=r"too long to plan exactly.*BM=32 BN=32 BK=32"):
        solve(problem(gemm(size, size, size, (32, 32, 32))), load_device("wormhole"))


def test_a_launch_just_within_the_range_is_solved() -> None:
    size = 1 << 18
    assert solve(problem(gemm(size, size, size, (32, 32, 32))), load_device("wormhole")).status == "optimal"


def test_a_program_without_accesses_is_refused() -> None:
    empty = replace(gemm(64, 64, 64, (32, 32, 32)), accesses=())
    with pytest.raises(InputError, match="nothing to plan"):
        solve(problem(empty), load_device("wormhole"))


@pytest.mark.parametrize(("k", "workers"), [(0, 1), (-1, 1), (1, 0)])
def test_counts_below_one_are_refused(k: int, workers: int) -> None:
    with pytest.raises(InputError, match="at least 1"):
        solve(problem(gemm(64, 64, 64, (32, 32, 32))), load_device("wormhole"), k=k, workers=workers)
