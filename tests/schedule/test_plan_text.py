"""plan.mlir: text that MLIR tools read, with every transfer in the loop that the plan says."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pytest
import toy
from follow import followed
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.parser import Parser

from cpplan.cost.model import evaluate
from cpplan.plan.plan import Plan, Split, wave
from cpplan.schedule.mlir import SEPARATOR
from cpplan.schedule.parse import parse_schedule
from cpplan.schedule.plan_text import print_plan
from cpplan.schedule.schedule import Compute
from cpplan.tile.mlir import parse_program
from cpplan.tile.program import TileProgram


def text_of(plan: Plan, program: TileProgram | None = None) -> str:
    program = program or toy.program()
    return print_plan(program, toy.device(), plan, evaluate(program, toy.device(), plan))


def parse(plan: Plan, program: TileProgram | None = None) -> ModuleOp:
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    module = Parser(context, text_of(plan, program).partition(SEPARATOR)[2]).parse_module()
    module.verify()
    return module


def ops_named(module: Operation, name: str) -> list[Operation]:
    def own(op: Operation) -> str:
        return str(op.attributes.get("op_name__", StringAttr(op.name)).data)  # type: ignore[attr-defined]

    return [op for op in module.walk() if own(op) == name]


def value(op: Operation, key: str) -> Any:
    attribute: Any = op.attributes[key]
    return attribute.value.data if hasattr(attribute, "value") else attribute.data


def loops_around(op: Operation) -> list[str]:
    """Counters of the enclosing loops, outermost first."""
    out: list[str] = []
    while (parent := op.parent_op()) is not None:
        if "counter" in parent.attributes:
            out.insert(0, value(parent, "counter"))
        op = parent
    return out


def test_the_first_part_is_the_tile_program() -> None:
    assert parse_program(text_of(toy.plan()).partition(SEPARATOR)[0]) == toy.program()


def test_the_second_part_begins_with_what_the_plan_costs() -> None:
    cost = evaluate(toy.program(), toy.device(), toy.plan())
    title = text_of(toy.plan()).partition(SEPARATOR)[2].split("\n")[2]
    assert title == f"// matmul on toy: {cost.makespan_cycles} cycles, {cost.bound_by}"
    assert parse_schedule(text_of(toy.plan()), toy.device()).plan == toy.plan()


def test_buffers_lie_apart_from_each_other_and_take_what_the_cost_model_charges() -> None:
    module = parse(toy.plan())
    sizes = dict(evaluate(toy.program(), toy.device(), toy.plan()).buffers)
    end = 0
    for op in ops_named(module, "plan.buffer"):
        size = value(op, "pages") * value(op, "slots") * value(op, "page_bytes")
        assert value(op, "offset") >= end and size == sizes[value(op, "name")]
        end = value(op, "offset") + size


def test_every_transfer_sits_in_the_loop_of_its_level() -> None:
    moves = {value(op, "stream"): loops_around(op) for op in ops_named(parse(toy.plan()), "plan.move")}
    assert moves == {
        "load_a": ["wave.m"],
        "load_b": ["wave.m", "wave.n", "k"],
        "store_c": ["wave.m", "wave.n"],
    }


@pytest.mark.parametrize(("shared", "multicasts"), [(True, {"load_a", "load_b"}), (False, set())])
def test_only_shared_reads_have_groups(shared: bool, multicasts: set[str]) -> None:
    assert {value(op, "access") for op in ops_named(parse(toy.plan(shared)), "plan.group")} == multicasts


@pytest.mark.parametrize("is_fused", [True, False])
@pytest.mark.parametrize(
    "spatial",
    [
        ((Split("n", 2),), (Split("m", 2),)),
        ((Split("m", 2),), (Split("m", 2),)),
        ((), (Split("n", 2),)),
    ],
)
def test_every_block_of_the_grid_is_computed_by_exactly_one_core_and_wave(
    spatial: tuple[tuple[Split, ...], ...], is_fused: bool
) -> None:
    waves = {dim.name: 4 for dim in toy.program().dims}
    for split in itertools.chain.from_iterable(spatial):
        waves[split.dim] //= split.factor
    fused = tuple(name for name, trips in waves.items() if trips > 1)
    order = (fused,) if is_fused else tuple((name,) for name in fused)
    private = [dataclasses.replace(p, groups=(1, 1), pattern="private") for p in toy.plan().placements]
    placements = tuple(p if p.level == "k" else dataclasses.replace(p, level=wave(*order[-1])) for p in private)
    plan = Plan(toy.program().block, spatial, order, placements)
    schedule = parse_schedule(text_of(plan), toy.device())
    blocks = [
        (values["m"], values["n"])
        for digits in schedule.digits.values()
        for step, values in followed(
            schedule, schedule.thread("compute").steps, {f"core_{name}": number for name, number in digits}
        )
        if isinstance(step, Compute) and values["k"] == 0
    ]
    assert sorted(blocks) == list(itertools.product(range(4), range(4)))


def test_a_loop_whose_trips_differ_runs_as_often_as_its_block_says() -> None:
    (loop, *_) = (op for op in ops_named(parse(toy.plan(), toy.triangular()), "plan.for") if "trips" in op.attributes)
    assert value(loop, "counter") == "k" and value(loop, "stop") == 4
    assert value(loop, "trips") == "min(4, max(1, (1 * m + 1) ceildiv 1))"


def test_a_plan_without_a_schedule_says_why() -> None:
    first, *rest = toy.program().accesses
    program = dataclasses.replace(toy.program(), accesses=(dataclasses.replace(first, lanes="scattered"), *rest))
    text = text_of(toy.plan(), program)
    assert "// no schedule: " in text and "skips or reorders elements" in text
    assert parse_program(text.partition(SEPARATOR)[0]) == program
    assert not list(parse(toy.plan(), program).body.ops)
