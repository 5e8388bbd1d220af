"""Programs of kernels whose blocks update common memory: the parts of split-K, sums over all blocks, integers.

What they compute is compared with Triton's interpreter and, for integers, with numpy. Damage to the turns that cores
take has to show: in the emitter's own checks, as a fault of the emulation or as a wrong result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from schedule.test_threads import random_schedule

from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.checks import check_emitted
from cpplan.emit_ttmetal.compare import largest_error, random_memory, tolerance
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.launch import device_memory, memory_after
from cpplan.emit_ttmetal.program import Kernel, Program
from cpplan.emulate import Stats, run
from cpplan.emulate.faults import KernelFault
from cpplan.encode.solve import RankedPlan
from cpplan.errors import InternalError, ScheduleError
from cpplan.frontend.find_launch import find_launch
from cpplan.frontend.interpreted import interpret
from cpplan.tile.family import candidate_program

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from emit_cells import Case, Made, Planned

SPLIT_K = Case("split-k matmul", "split_k_matmul", "64 128 1024", "50 100 1000")


def small(name: str, rows: int, columns: int, dtype: str = "float32") -> Case:
    """A launch of one of the small kernels."""
    sizes = f"{name} {rows} {columns} {dtype}"
    return Case(name, "tests/emit/kernels/atomics", sizes, sizes)


@lru_cache
def planned(case: Case, chip: str, cores: str | None) -> Planned:
    return Planned(case, "ragged", load_device(chip, cores=cores))


@lru_cache
def made(case: Case, chip: str, plan: str, cores: str | None = None) -> Made:
    return planned(case, chip, cores).made(plan)


def turns_left(made: Made, stats: Stats) -> bool:
    """Whether some core ends with a turn that it was told of."""
    changed = {semaphore for semaphore, _ in stats.changed_semaphores}
    return any(turns.semaphore in changed for turns in made.schedule.turns)


def off(made: Made, program: Program, seed: int) -> float:
    """Largest error of ``program`` in units of what is allowed."""
    memory = random_memory(made.launch, made.plan.program, seed)
    expected = interpret(made.launch, memory)
    computed = memory_after(made.schedule, memory, run(program, device_memory(made.schedule, memory), seed=seed)[0])
    written = [t for t in made.plan.program.tensors if made.plan.program.is_written(t.name)]
    return max(
        largest_error(computed[t.name], expected[t.name]) / tolerance(made.plan.program, t, expected[t.name])
        for t in written
    )


@pytest.mark.parametrize(
    ("chip", "plan", "cores"),
    [
        ("wormhole", "1", None),
        ("blackhole", "1", None),
        ("wormhole", "part.cores=1", "4x2@1,1"),  # the parts of a tile follow each other on one core,
        ("blackhole", "part.cores=1 c_ptr.noc=0 c_ptr_old.noc=0", "4x2@1,1"),  # whose one thread reads and writes,
        ("wormhole", "part.cores=1 c_ptr.noc=0 c_ptr_old.noc=1", "4x2@1,1"),  # or two threads,
        ("blackhole", "part.cores=3", "3x4@0,0"),  # or go round several of them
        ("wormhole", "part.cores=2 c_ptr.noc=0 c_ptr_old.noc=0", "4x4@0,0"),
        ("blackhole", "part.cores=2 c_ptr.noc=1 c_ptr_old.noc=0 *.depth=2", "4x4@0,0"),
        ("wormhole", "part.cores=2 step.cores=2 combine=tree", "4x4@0,0"),  # the first of a team alone writes
    ],
)
def test_parts_of_a_product_are_added_up(chip: str, plan: str, cores: str | None) -> None:
    found = made(SPLIT_K, chip, plan, cores=cores)
    for seed in range(3):
        assert off(found, found.program, seed) <= 1
    stats = found.run(0).stats
    assert not turns_left(found, stats)
    tiles = 2 * 4 * dict(found.plan.program.block)["SPLIT_K"]  # of 50x100 elements, each read and written by every part
    assert stats.dram["c_ptr"].written_bytes == tiles * 4096
    assert stats.dram["c_ptr"].read_bytes >= tiles * 4096


@pytest.mark.parametrize(
    "name",
    ["column_sums", "whole_sum", "in_a_loop", "two_at_once", "kept_old", "overlapping", "float_extremes"],
)
@pytest.mark.parametrize(("chip", "cores"), [("wormhole", None), ("blackhole", "2x1@0,0"), ("wormhole", "2x2@1,1")])
def test_blocks_update_common_memory(name: str, chip: str, cores: str | None) -> None:
    found = made(small(name, 200, 150), chip, "1", cores=cores)
    for seed in range(2):
        ran = found.run(seed)
        assert ran.off <= 1
        assert not turns_left(found, ran.stats)


@pytest.mark.parametrize(("chip", "cores"), [("wormhole", "3x3@0,0"), ("blackhole", "2x4@1,1")])
@pytest.mark.parametrize("name", ["split_k", "column_sums", "in_a_loop", "two_at_once", "overlapping"])
def test_any_plan(name: str, chip: str, cores: str) -> None:
    """Other orders of waves, levels, depths, networks and deliveries of the other accesses than the best ones."""
    one = planned(SPLIT_K if name == "split_k" else small(name, 200, 150), chip, cores)
    program = candidate_program(one.problem.families[0], 0)
    launch = find_launch(str(one.case.path), one.problem.name, dict(program.block), argv=one.case.sizes("ragged"))
    for seed in range(3):
        schedule = random_schedule(program, one.device, Random(seed))
        plan = RankedPlan(1, schedule.plan, program, evaluate(program, one.device, schedule.plan))
        found = Made(plan, schedule, emit(schedule), launch)
        assert off(found, found.program, seed) <= 1, schedule.plan


def test_sixteen_bits_are_rounded_at_every_update() -> None:
    assert made(small("column_sums", 200, 150, "bfloat16"), "wormhole", "1").run(0).off <= 1


@pytest.mark.parametrize(
    ("name", "reduce"),
    [("add", np.add), ("max", np.maximum), ("min", np.minimum)],
)
@pytest.mark.parametrize(("chip", "plan"), [("wormhole", "1"), ("blackhole", "row.cores=2")])
def test_integers(name: str, reduce: np.ufunc, chip: str, plan: str) -> None:
    found = made(small(name, 5, 150), chip, plan)
    random = np.random.default_rng(1)
    memory = random_memory(found.launch, found.plan.program, 0)
    memory["x_ptr"] = random.integers(-1000, 1000, memory["x_ptr"].size, dtype=np.int32)
    memory["y_ptr"] = random.integers(-1000, 1000, memory["y_ptr"].size, dtype=np.int32)
    pages, _ = run(found.program, device_memory(found.schedule, memory), seed=1)
    computed = memory_after(found.schedule, memory, pages)["y_ptr"]
    assert (computed == reduce.reduce([memory["y_ptr"], *memory["x_ptr"].reshape(5, 150)])).all()


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_tiles_of_a_descriptor(chip: str) -> None:
    """Triton's interpreter has no such atomics."""
    found = made(small("descriptor", 200, 152), chip, "1")
    memory = random_memory(found.launch, found.plan.program, 0)
    pages, _ = run(found.program, device_memory(found.schedule, memory), seed=1)
    computed = memory_after(found.schedule, memory, pages)["y_ptr"].reshape(64, 152)
    x = np.pad(memory["x_ptr"].reshape(200, 152), ((0, 56), (0, 0))).reshape(4, 64, 152)
    assert np.allclose(computed, memory["y_ptr"].reshape(64, 152) + x.sum(axis=0), atol=1e-4)


def test_the_last_exchange_stays() -> None:
    """Blocks come by iteration, then by core: with one core in the order of the rows."""
    found = made(small("xchg", 5, 150), "wormhole", "1", cores="1x1@0,0")
    memory = random_memory(found.launch, found.plan.program, 0)
    memory["x_ptr"] = np.arange(750, dtype=np.int32)
    pages, _ = run(found.program, device_memory(found.schedule, memory), seed=1)
    assert (memory_after(found.schedule, memory, pages)["y_ptr"] == np.arange(600, 750)).all()


def test_compare_and_swap_is_refused_with_its_line() -> None:
    with pytest.raises(ScheduleError, match=r"atomics.py:\d+: atomic y_ptr of y_ptr compares and swaps"):
        made(small("swapped", 4, 1), "wormhole", "1")


# -- damage ------------------------------------------------------------------------------------------------------------


def turns() -> Made:
    """Parts of a product on three cores each, which go round: a line that closes."""
    return made(SPLIT_K, "wormhole", "part.cores=3", cores="3x4@0,0")


def kernels(change: Callable[[Kernel], Kernel]) -> Program:
    program = turns().program
    return replace(program, kernels=tuple(map(change, program.kernels)))


def without(text: str) -> Callable[[], Program]:
    """The program without the lines that hold ``text``."""

    def damaged() -> Program:
        assert any(text in kernel.source for kernel in turns().program.kernels)
        return kernels(lambda k: replace(k, source="\n".join(li for li in k.source.split("\n") if text not in li)))

    return damaged


def words(function: str, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Callable[[], Program]:
    """The program with what ``turn_at`` or ``next_at`` reads changed on all cores."""
    count = {"turn_at": 2, "next_at": 3}[function]

    def damage(kernel: Kernel) -> Kernel:
        found = re.search(rf"= plan::{function}\((\d+)\);", kernel.source)
        if found is None:
            return kernel
        at = int(found[1])
        args = {c: (*w[:at], *change(w[at : at + count]), *w[at + count :]) for c, w in kernel.runtime_args.items()}
        return replace(kernel, runtime_args=args)

    return lambda: kernels(damage)


def without_barrier() -> Program:
    """The turn is passed on while the tile is still on its way."""
    text = "noc_async_write_barrier();  // only now may the next block read the tile"
    assert any(text in kernel.source for kernel in turns().program.kernels)
    return kernels(lambda k: replace(k, source=k.source.replace(text, "noc_async_writes_flushed();")))


def late_wait() -> Program:
    """What is there is read before the turn has come."""

    def damage(kernel: Kernel) -> Kernel:
        wait = next((li.strip() for li in kernel.source.split("\n") if "plan::await_turn(" in li and "=" not in li), "")
        if not wait:
            return kernel
        text = kernel.source.replace(wait, "", 1)
        push = re.search(r"cb_push_back\(cb_c_ptr_old, \w+\);", text)
        assert push is not None
        return replace(kernel, source=text.replace(push[0], f"{wait}\n{push[0]}", 1))

    return kernels(damage)


DAMAGED: dict[str, tuple[Callable[[], Program], set[str]]] = {
    "nobody waits": (without("plan::await_turn(turn"), {"race", "left"}),
    "nobody passes the turn on": (without("plan::pass_turn(next"), {"deadlock"}),
    "the turn goes on too early": (without_barrier, {"race", "barrier"}),
    "reading before the turn": (late_wait, {"race"}),
    "nobody resets": (without("plan::end_turns(turn"), {"left"}),
    "all are the first": (words("turn_at", lambda w: (w[0], 1)), {"race", "left"}),
    "nobody is the first": (words("turn_at", lambda w: (w[0], 0)), {"deadlock"}),
    "nobody has to wait": (words("turn_at", lambda w: (0, 0)), {"race", "left"}),
}
"""Kinds of fault that may report it; "left": a turn was never used."""


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_to_the_turns_is_found(damage: str) -> None:
    program, kinds = DAMAGED[damage]
    found, shown = turns(), set()
    for seed in range(6):
        memory = random_memory(found.launch, found.plan.program, seed)
        try:
            _, stats = run(program(), device_memory(found.schedule, memory), seed=seed)
            shown |= {"left"} if turns_left(found, stats) else set()
        except KernelFault as fault:
            shown.add(fault.kind)
    assert shown and shown <= kinds, shown


def other_place(w: tuple[int, ...]) -> tuple[int, ...]:
    return (w[0], *turns().program.noc_coordinates[turns().program.cores[0]])


@pytest.mark.parametrize(
    ("damaged", "expected"),
    [
        (words("next_at", lambda w: (0, *w[1:])), r"is told never that it has its turn at c_ptr"),
        (words("next_at", other_place), r"is told too often that it has its turn at c_ptr"),
        (words("turn_at", lambda w: (0, 0)), r"is told too often that it has its turn at c_ptr"),
    ],
)
def test_the_emitter_finds_broken_lines_itself(damaged: Callable[[], Program], expected: str) -> None:
    check_emitted(turns().program)
    with pytest.raises(InternalError, match=expected):
        check_emitted(damaged())
