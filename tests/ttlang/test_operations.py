"""Emitted operations executed by a stand-in for TT-Lang, against the kernel executed block by block and the plan."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from emit.small import Small
from emit.whole import errors, programs, random_plan, random_tensors, simple_plan
from ttlang.lazy_ttl import Machine, execute, receivers

from cpplan.cost.traffic import tiles_moved
from cpplan.device.spec import load_device
from cpplan.emit_ttlang.body import Lanes
from cpplan.emit_ttlang.elements import from_matrix, numbers, to_matrix
from cpplan.emit_ttlang.matrices import Matrix, matrices_of, window_of
from cpplan.emit_ttlang.operation import Operation, emit_operation
from cpplan.plan.nest import build_nest, cores_per_dim
from cpplan.plan.plan import Plan
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.program import TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"
GEMM = Path(__file__).parents[2] / "bench" / "data" / "plain_gemm.py"


def schedule_of(program: TileProgram, plan: Plan, cores: str) -> Schedule:
    return build_schedule(program, load_device("wormhole", cores=cores), plan)


def executed(schedule: Schedule, operation: Operation, seed: int) -> tuple[Machine, dict[str, np.ndarray], dict]:
    """What was moved; the tensors before and the written ones after."""
    tensors = random_tensors(schedule.program, seed)
    matrices = {
        item.name: numbers(item.of).astype(float)
        if isinstance(item.of, Lanes)
        else to_matrix(tensors[item.of.layout.tensor].astype(float), item.of)
        for item in operation.parameters
    }
    machine = execute(operation.source, operation.name, matrices)
    found = {
        item.of.layout.tensor: from_matrix(
            matrices[item.name], item.of, schedule.program.tensor(item.of.layout.tensor).shape
        )
        for item in operation.parameters
        if isinstance(item.of, Matrix) and schedule.program.is_written(item.of.layout.tensor)
    }
    return machine, tensors, found


def check(schedule: Schedule, seed: int = 0) -> None:
    """Results are the kernel's; tiles read, written and sent, and buffers, are the plan's."""
    operation = emit_operation(schedule)
    machine, tensors, found = executed(schedule, operation, seed)
    for store, error in errors(schedule.program, found, tensors).items():
        assert error < 1e-6, store
    program, plan = schedule.program, schedule.plan
    nest = build_nest(program, plan.spatial, plan.order)
    read, written, sent = Counter[str](), Counter[str](), 0
    buffers = Counter[tuple[str, tuple[int, int], int]]()
    for access, place in zip(program.accesses, plan.placements, strict=True):
        stream = schedule.stream(access.name)
        window = window_of(schedule, stream, matrices_of(schedule)[stream.layout])
        blocks = tiles_moved(program, plan.spatial, nest, access, place)
        name = stream.layout.replace(".", "_")
        (read if access.kind == "load" else written)[name] += blocks * window.rows * window.columns
        if stream.pattern != "private":
            hops = np.prod(place.groups) - 1 if stream.pattern == "forward" else 1
            sent += blocks * int(hops)
        held = schedule.buffer(stream.buffer)
        buffers[name, (window.rows, window.columns), place.depth] += held.tiles
        assert held.pages == held.tiles * window.rows * window.columns
    if program.reduction is not None and schedule.combining is not None:
        cores = cores_per_dim(plan.spatial)[schedule.combining.loop]
        sent += (cores - 1) * len(program.reduction.state) * math.prod(dim.extent for dim in program.dims)
    lanes = {item.name for item in operation.parameters if isinstance(item.of, Lanes)}
    own = [buffer for buffer in machine.buffers if buffer[0] not in lanes]
    assert {name: count for name, count in machine.read.items() if name not in lanes} == read
    assert machine.written == written
    assert sum(len(pipe.sent) for net in machine.nets for pipe in net) == sent
    for pipe in (pipe for net in machine.nets for pipe in net):
        assert sum(pipe.received.values()) == len(pipe.sent) * receivers(pipe)
    assert not buffers - Counter(own)
    of_states = 0 if schedule.combining is None else 2 * len(program.reduction.state)
    assert len(own) == buffers.total() + len(operation.unread) + of_states


@pytest.mark.parametrize("cores", ["1x1", "4x2", "3x3"])
@pytest.mark.parametrize("shape", [(256, 256, 256), (300, 200, 150)], ids=["even", "ragged"])
@pytest.mark.parametrize("seed", range(6))
def test_gemm_under_any_plan(shape: tuple[int, int, int], cores: str, seed: int) -> None:
    (program,) = programs(GEMM, *shape)
    plan = random_plan(program, load_device("wormhole", cores=cores), Random(f"{shape}{cores}{seed}"))
    check(schedule_of(program, plan, cores), seed)


@pytest.mark.parametrize("which", [0, 1], ids=["causal", "full"])
@pytest.mark.parametrize("length", [128, 150])
@pytest.mark.parametrize("seed", range(4))
def test_attention_under_any_plan(which: int, length: int, seed: int) -> None:
    program = programs(EXAMPLES / "attention.py", 1, 4, 2, length, 32)[which]
    plan = random_plan(program, load_device("wormhole", cores="4x3"), Random(f"{which}{length}{seed}"))
    check(schedule_of(program, plan, "4x3"), seed)


def test_gemm_with_leaky_relu() -> None:
    (program, *_) = programs(EXAMPLES / "matmul.py", 100, 90, 70)
    check(schedule_of(program, simple_plan(program, load_device("wormhole", cores="2x2")), "2x2"))


@pytest.mark.parametrize("name", ["triple_ring", "amd_xdna2_8x4"])
def test_gemm_passed_on_from_node_to_node(name: str) -> None:
    device = load_device(name)
    (program,) = programs(GEMM, 500, 300, 128)
    plans = (random_plan(program, device, Random(seed)) for seed in itertools.count())
    plan = next(plan for plan in plans if any(place.pattern == "forward" for place in plan.placements))
    check(build_schedule(program, device, plan))


@pytest.mark.parametrize("seed", range(3))
def test_a_part_of_the_array_that_does_not_begin_at_its_first_core(seed: int) -> None:
    """As plans around faulty cores have it."""
    (program,) = programs(GEMM, 200, 256, 128)
    inner = random_plan(program, load_device("wormhole", cores="2x2"), Random(seed))
    device = load_device("wormhole", cores="4x4")
    check(build_schedule(program, device, replace(inner, origin=(1, 2))))


def small(body: Small) -> None:
    """The operation of a hand-written body."""
    program = body.program()
    device = load_device("wormhole", cores="2x2")
    check(build_schedule(program, device, simple_plan(program, device)))


@pytest.mark.parametrize("axis", [0, 1], ids=["row", "column"])
def test_a_vector_spread_over_a_matrix(axis: int) -> None:
    """A bias of every column, or of every row."""
    body = Small(blocks=2)
    matrix, bias = body.load((64, 96)), body.load(((96, 64)[axis],), along=None)
    line = body.op("reshape", bias, shape=((1, 96), (64, 1))[axis], axis=axis)
    body.store(body.op("add", matrix, body.op("broadcast", line, shape=(64, 96))))
    small(body)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["reduce_sum", "reduce_max"])
def test_a_reduction_and_its_result_spread_again(kind: str, axis: int) -> None:
    body = Small()
    matrix = body.load((64, 96), along=None)
    vector = body.op(kind, matrix, shape=((96,), (64,))[axis], axis=axis)
    line = body.op("reshape", vector, shape=((1, 96), (64, 1))[axis], axis=axis)
    body.store(body.op("sub", matrix, body.op("broadcast", line, shape=(64, 96))), along=None)
    small(body)


@pytest.mark.parametrize("predicate", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_a_comparison_chooses(predicate: str) -> None:
    body = Small()
    left, right = body.load((32, 64)), body.load((32, 64))
    test = body.op("cmp", left, right, dtype="bool", predicate=predicate)
    body.store(body.op("where", test, left, body.constant(-2.5, (32, 64)), dtype="fp32"))
    small(body)


@pytest.mark.parametrize("kind", ["exp", "exp2", "tanh", "abs", "neg"])
def test_functions_of_one_value(kind: str) -> None:
    body = Small()
    body.store(body.op(kind, body.load((32, 64))))
    small(body)


def test_a_running_maximum_begins_at_minus_infinity() -> None:
    body = Small()
    peak = body.carry("i", body.constant(float("-inf"), (32, 64)), trips=3)
    larger = body.op("max", peak, body.load((32, 64), loop="i", along=None), loop="i")
    left = body.next("i", peak, larger)
    body.types[left] = ((32, 64), "fp32")
    body.store(body.op("neg", left))
    small(body)


@pytest.mark.parametrize("which", ["gemm", "attention", "flash decode"])
@pytest.mark.parametrize("seed", range(4))
def test_nodes_that_share_a_loop(which: str, seed: int) -> None:
    """Their states meet in a tree: sums, and those of an online softmax."""
    program = {
        "gemm": lambda: programs(GEMM, 100, 200, 400)[0],
        "attention": lambda: programs(EXAMPLES / "attention.py", 1, 4, 2, 300, 32)[1],
        "flash decode": lambda: programs(EXAMPLES / "flash_decode.py", 2, 8, 2, 512, 64, 2)[0],
    }[which]()
    plan = random_plan(program, load_device("wormhole", cores="4x3"), Random(f"{which}{seed}"), shared=True)
    check(schedule_of(program, plan, "4x3"), seed)


def test_blocks_with_fewer_rows_than_a_tile() -> None:
    """Four rows a block, each padded to a tile of its own."""
    body = Small(blocks=3)
    matrix = body.load((4, 64))
    total = body.op("reduce_sum", matrix, shape=(4,), axis=1)
    line = body.op("reshape", total, shape=(4, 1), axis=1)
    body.store(body.op("div", matrix, body.op("broadcast", line, shape=(4, 64))))
    small(body)
