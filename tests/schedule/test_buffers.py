"""Buffers: where they lie, how long they live, and what is said when a core has no room for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from emit.test_movement import random_plan
from gemm import gemm

from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.errors import ScheduleError
from cpplan.frontend import read_launches
from cpplan.plan.plan import Combine, Placement, Plan, Split
from cpplan.schedule.buffers import views_for_products
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Compute, For, Guard, Schedule, Step
from cpplan.tile.family import candidate_program

EXAMPLES = Path(__file__).parents[2] / "examples"


def attention() -> Schedule:
    """Two loops in sequence, each with buffers of its own."""
    problem = read_launches(str(EXAMPLES / "attention.py"), argv=["1", "4", "2", "256", "32"]).problems[0]
    program = candidate_program(problem.families[0], 0)
    device = load_device("wormhole", cores="2x2")
    return build_schedule(program, device, random_plan(program, device, Random(1)))


def numbered(steps: tuple[Step, ...], first: int = 0) -> Iterator[tuple[int, Step]]:
    for step in steps:
        yield first, step
        if isinstance(step, For | Guard):
            inside = list(numbered(step.body, first + 1))
            yield from inside
            first = inside[-1][0] if inside else first
        first += 1


def test_buffers_lie_one_behind_the_other() -> None:
    schedule = attention()
    end = 0
    for buffer in schedule.buffers:
        assert buffer.offset >= end and buffer.offset % schedule.device.sram.alignment == 0
        end = buffer.offset + buffer.bytes
    assert end <= schedule.device.sram.usable
    charged = evaluate(schedule.program, schedule.device, schedule.plan)
    views = views_for_products(schedule.program)
    left = sum(size for name, size in charged.buffers if name in views)  # for products that cannot do without
    assert views and end == charged.sram_bytes - left


def test_a_kept_value_lives_while_ops_make_or_use_it() -> None:
    schedule = attention()
    ops = {op.name: op for op in schedule.program.ops}
    steps = list(numbered(schedule.thread("compute").steps))
    for buffer in (b for b in schedule.buffers if b.role == "value"):
        for number, step in steps:
            if isinstance(step, Compute) and any(
                buffer.name in (name, *ops[name].operands) for name in step.ops if name in ops
            ):
                assert buffer.first <= number <= buffer.last


def test_what_one_loop_keeps_is_dead_before_the_next_loop() -> None:
    schedule = attention()
    first, second = ((schedule.buffer(name)) for name in ("score", "score_3"))
    assert first.last < second.first


def test_buffers_of_accesses_live_all_the_time() -> None:
    schedule = attention()
    last = max(number for number, _ in numbered(schedule.thread("compute").steps))
    assert all((b.first, b.last) == (0, last) for b in schedule.buffers if b.role in ("load", "store"))


def small_plan(depth: int = 2) -> Plan:
    places = (Placement("a", "k", depth, (1, 1)), Placement("b", "k", depth, (1, 1)), Placement("c", "", 1, (1, 1)))
    return Plan((), ((Split("m", 2),), ()), (), places)


def test_too_little_sram_is_said_with_figures() -> None:
    program, device = gemm(128, 64, 128, (64, 64, 64)), load_device("wormhole")
    small = replace(device, sram=replace(device.sram, size=device.sram.reserved + 50_000))
    with pytest.raises(
        ScheduleError, match=r"take 57,344 bytes of SRAM and wormhole has 50,000; the largest are a 16,384"
    ):
        build_schedule(program, small, small_plan())


def test_too_few_circular_buffers_are_said_with_figures() -> None:
    program, device = gemm(128, 64, 128, (64, 64, 64)), load_device("wormhole")
    few = replace(device, sram=replace(device.sram, max_buffers=3))
    with pytest.raises(ScheduleError, match="needs 4 circular buffers and a core of wormhole has 3"):
        build_schedule(program, few, small_plan())


@pytest.mark.parametrize(("method", "pages"), [("tree", 4), ("ring", 2)])
def test_states_of_other_cores_arrive_whole_or_in_parts(method: str, pages: int) -> None:
    plan = replace(small_plan(), spatial=((Split("k", 2),), ()), order=(("m",),), combine=Combine(method, 0))
    places = (*plan.placements[:2], replace(plan.placements[2], level="wave.m"))
    schedule = build_schedule(
        gemm(128, 64, 256, (64, 64, 64)), load_device("wormhole"), replace(plan, placements=places)
    )
    found = {buffer.name: buffer.pages for buffer in schedule.buffers if buffer.role in ("partial", "outgoing")}
    assert found == {"combine.total": pages, "outgoing.total": pages}
