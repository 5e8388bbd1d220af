"""Random loop bodies: reductions are recognised however they are written; whatever is recognised can be combined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bodies import bodies, damaged
from execute import Block, differences
from gemm import gemm
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cpplan.tile.program import TileProgram
from cpplan.tile.reduction import reductions, why_not

SEEDS = st.integers(0, 3)


def tensors_of(program: TileProgram, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {tensor.name: random.normal(size=tensor.shape) for tensor in program.tensors}


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(bodies(), SEEDS)
def test_every_written_reduction_is_recognised_and_runs_in_parts(program: TileProgram, seed: int) -> None:
    assert why_not(program) == ()
    (found,) = reductions(program)
    assert max(differences(program, found, tensors_of(program, seed))) < 1e-9


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(damaged(), SEEDS)
def test_what_is_recognised_in_a_damaged_body_still_runs_in_parts(program: TileProgram, seed: int) -> None:
    found = reductions(program)
    assume(found)
    tensors = tensors_of(program, seed)
    whole = Block(program, tensors, {}, np.float64).whole()
    assume(all(np.isfinite(tile).all() for tile in whole.values()))
    assert max(differences(program, found[0], tensors)) < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_the_check_itself_sees_a_wrong_combination(seed: int) -> None:
    """Combining with another op, or starting parts from something else, shows up as a difference."""
    program = gemm(32, 32, 64, (32, 32, 16))
    zero = replace(program.ops[1], name="zero", kind="constant", operands=(), operand_shapes=(), operand_dtypes=(),
                   shape=(32, 32), attributes=(("value", "0.0"),))  # fmt: skip
    program = replace(program, ops=(zero, *program.ops))
    (found,) = reductions(program)
    tensors = tensors_of(program, seed)
    assert max(differences(program, found, tensors)) < 1e-12
    wrong_op = replace(found, ops=(replace(found.ops[0], kind="max"),))
    wrong_start = replace(found, state=(replace(found.state[0], identity=1.0),))
    assert all(max(differences(program, wrong, tensors)) > 1e-3 for wrong in (wrong_op, wrong_start))
