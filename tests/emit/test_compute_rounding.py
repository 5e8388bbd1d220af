"""Sums of 16-bit numbers in 16-bit slots are rounded to the nearest, ties to even, as numpy's conversions are."""

from __future__ import annotations

import numpy as np
import pytest
from emit.small import Small
from emit.whole import random_tensors, run_schedule, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.elements import decoded, encoded
from cpplan.schedule.build import build_schedule


@pytest.mark.parametrize(("kind", "wanted"), [("add", np.add), ("sub", np.subtract)])
@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_sums_of_sixteen_bits_are_the_nearest(kind: str, wanted: np.ufunc, chip: str) -> None:
    small = Small(blocks=2)
    a, b = small.load((64, 96), "bf16"), small.load((64, 96), "bf16")
    small.store(small.op(kind, a, b))
    program = small.program()
    device = load_device(chip, cores="2x1@0,0")
    schedule = build_schedule(program, device, simple_plan(program, device))
    tensors = random_tensors(program, 0)
    (found,) = run_schedule(schedule, tensors).values()
    first, second = (tensors[t.name].astype(np.float32) for t in program.tensors if t.name.startswith("in"))
    assert (found == decoded(encoded(wanted(first, second), "bf16"), "bf16")).all()
