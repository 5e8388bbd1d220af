"""Schedules as text: what is read back equals what was printed, and other MLIR tools read it too."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
import toy
from emit.test_movement import random_plan
from gemm import batched_gemm, gemm
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from cpplan.device.spec import load_device
from cpplan.errors import InputError
from cpplan.plan.plan import Combine, Placement, Plan, Split
from cpplan.schedule.build import build_schedule
from cpplan.schedule.mlir import SEPARATOR, index_text, print_schedule
from cpplan.schedule.parse import index_of, parse_schedule
from cpplan.schedule.schedule import Index, Schedule, Term
from cpplan.tile.mlir import parse_program


def split_k() -> Schedule:
    """A matmul whose loop four cores share, combined in a tree."""
    plan = Plan(
        (("BM", 64), ("BN", 64), ("BK", 64)),
        ((Split("k", 4),), (Split("m", 2),)),
        (),
        (Placement("a", "k", 2, (1, 1)), Placement("b", "k", 2, (1, 2), "multicast", 1), Placement("c", "", 1, (1, 1))),
        Combine("tree", 1),
    )
    return build_schedule(gemm(128, 64, 700, (64, 64, 64)), load_device("wormhole"), plan)


def schedules() -> list[Schedule]:
    out = [split_k(), build_schedule(toy.triangular(), toy.device(), toy.plan())]
    for seed in range(12):
        random = Random(seed)
        sizes = [random.choice((70, 96, 200)) for _ in range(3)]
        program = gemm(*sizes, (64, 32, 64)) if seed % 2 else batched_gemm((3,), *sizes, (32, 64, 32))
        device = load_device("blackhole", cores=random.choice(("4x3@1,2", "2x2", "1x4")))
        out.append(build_schedule(program, device, random_plan(program, device, random)))
    return out


@pytest.mark.parametrize("schedule", schedules(), ids=lambda s: f"{s.program.name} on {s.device.name}")
def test_text_reads_back(schedule: Schedule) -> None:
    text = print_schedule(schedule)
    assert parse_schedule(text, schedule.device) == schedule
    assert parse_program(text.partition(SEPARATOR)[0]) == schedule.program


def test_the_second_part_is_mlir() -> None:
    text = print_schedule(split_k()).partition(SEPARATOR)[2]
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    module = Parser(context, text).parse_module()
    module.verify()
    assert len(list(module.walk())) == text.count('"plan.') + 1


@pytest.mark.parametrize(
    "index",
    [
        Index(),
        Index(-3),
        Index(5, (Term("core_m"), Term("wave.m.n", 8, 3, 2))),
        Index(0, (Term("k", -2), Term("wave", 1, 1, 4))),
    ],
)
def test_index_expressions_read_back(index: Index) -> None:
    assert index_of(index_text(index)) == index


def test_a_schedule_is_for_one_device() -> None:
    schedule = split_k()
    with pytest.raises(InputError, match="it is one for wormhole, not for other"):
        parse_schedule(print_schedule(schedule), replace(schedule.device, name="other"))


@pytest.mark.parametrize("damage", ["plan.take", "builtin.module"])
def test_text_that_is_cut_is_refused(damage: str) -> None:
    text = print_schedule(split_k())
    before, separator, after = text.partition(SEPARATOR)
    with pytest.raises(InputError, match="schedule: "):
        parse_schedule(before + separator + after.replace(damage, "?", 1)[: len(after) // 2], split_k().device)
