"""What has no words in TT-Lang is refused with the line of the kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from emit.small import Small
from emit.whole import programs, random_plan, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttlang.operation import emit_operation
from cpplan.errors import ScheduleError
from cpplan.plan.plan import Combine
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.program import Affine, Bounds, TileProgram

ROOT = Path(__file__).parents[2]
GEMM = ROOT / "bench" / "data" / "plain_gemm.py"
DEVICE = load_device("wormhole", cores="2x2")


def simple(program: TileProgram) -> Schedule:
    return build_schedule(program, DEVICE, simple_plan(program, DEVICE))


def test_states_that_go_around_in_a_ring() -> None:
    (program,) = programs(GEMM, 64, 64, 256)
    plan = random_plan(program, DEVICE, Random(0), shared=True)
    ring = replace(plan, combine=Combine("ring", 0))
    with pytest.raises(ScheduleError, match=r"plain_gemm.py:10: .*loop k in a ring.*--pin combine=tree"):
        emit_operation(build_schedule(program, DEVICE, ring))


def test_runs_of_elements() -> None:
    (program, *_) = programs(ROOT / "examples" / "swiglu.py", 4, 64)
    with pytest.raises(ScheduleError, match=r"swiglu.py:\d+: .*runs of elements"):
        emit_operation(simple(program))


def test_an_op_without_a_word() -> None:
    small = Small()
    value = small.load((32, 32))
    small.store(small.op("erf", value))
    with pytest.raises(ScheduleError, match=r"small.py:1: .*erf_0 \(erf\): is no word"):
        emit_operation(simple(small.program()))


def test_whole_numbers() -> None:
    small = Small()
    value = small.load((32, 32), "int32")
    small.store(small.op("add", value, value))
    with pytest.raises(ScheduleError, match=r"elements of int32"):
        emit_operation(simple(small.program()))


def test_what_is_joined_beyond_the_elements_of_a_block() -> None:
    """The other rows of the tile hold anything."""
    small = Small(blocks=2)
    value = small.load((16, 64))
    small.store(small.op("reduce_sum", value, shape=(64,), axis=0), along=None)
    with pytest.raises(ScheduleError, match=r"joins 16 elements"):
        emit_operation(simple(small.program()))


def test_a_mask_inside_the_tensor() -> None:
    (program,) = programs(GEMM, 128, 128, 128)
    first = program.accesses[0]
    bounds = (Bounds(ends=(Affine(100),)), *first.bounds[1:])
    damaged = replace(first, masked=(True, False), bounds=bounds)
    with pytest.raises(ScheduleError, match=r"plain_gemm.py:23: .*a_ptr is masked inside its tensor along axis 0"):
        emit_operation(simple(replace(program, accesses=(damaged, *program.accesses[1:]))))
