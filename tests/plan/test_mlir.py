"""plan.mlir: text that MLIR tools read, with every transfer in the loop that the plan says."""

from __future__ import annotations

import dataclasses
import itertools
import math

import pytest
import toy
from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, scf
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser

from cpplan.cost.model import evaluate
from cpplan.plan.mlir import SEPARATOR, print_plan
from cpplan.plan.plan import Plan, Split, wave
from cpplan.tile.mlir import parse_program
from cpplan.tile.program import TileProgram


def parse(plan: Plan, program: TileProgram | None = None) -> builtin.ModuleOp:
    program = program or toy.program()
    text = print_plan(program, toy.device(), plan, evaluate(program, toy.device(), plan))
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, affine.Affine, scf.Scf, arith.Arith):
        context.load_dialect(dialect)
    module = Parser(context, text.partition(SEPARATOR)[2]).parse_module()
    module.verify()
    return module


def name_of(op: Operation) -> str:
    return str(op.attributes.get("op_name__", builtin.StringAttr(op.name)).data)  # type: ignore[attr-defined]


def ops_named(module: Operation, name: str) -> list[Operation]:
    return [op for op in module.walk() if name_of(op) == name]


def loops_around(op: Operation) -> list[str]:
    """Trip counts of the enclosing loops, outermost first."""
    out: list[str] = []
    while (parent := op.parent_op()) is not None:
        if isinstance(parent, affine.ForOp | scf.ForOp):
            out.insert(0, str(parent.body.block.args[0].name_hint))
        op = parent
    return out


def text_of(op: Operation, key: str) -> str:
    attribute = op.attributes[key]
    assert isinstance(attribute, builtin.StringAttr)
    return attribute.data


def test_the_kernel_names_the_layout_of_its_tiles() -> None:
    (kernel,) = ops_named(parse(toy.plan()), "plan.kernel")
    assert text_of(kernel, "layout") == "tiles"


def test_the_first_part_is_the_tile_program() -> None:
    cost = evaluate(toy.program(), toy.device(), toy.plan())
    text = print_plan(toy.program(), toy.device(), toy.plan(), cost)
    assert parse_program(text.partition(SEPARATOR)[0]) == toy.program()


def test_every_transfer_sits_in_the_loop_of_its_level() -> None:
    module = parse(toy.plan())
    where = {text_of(op, "buffer"): loops_around(op) for op in ops_named(module, "plan.load")}
    where |= {text_of(op, "buffer"): loops_around(op) for op in ops_named(module, "plan.store")}
    assert where == {
        "load_a": ["wave_m"],
        "load_b": ["wave_m", "wave_n", "k"],
        "store_c": ["wave_m", "wave_n"],
    }


@pytest.mark.parametrize(("shared", "multicasts"), [(True, ["load_a", "load_b"]), (False, [])])
def test_only_shared_reads_are_passed_on(shared: bool, multicasts: list[str]) -> None:
    module = parse(toy.plan(shared))
    assert [text_of(op, "buffer") for op in ops_named(module, "plan.multicast")] == multicasts


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
    formulas = {str(op.result.name_hint): op for op in parse(plan).walk() if isinstance(op, affine.ApplyOp)}
    ranges = {"x": plan.cores_along(0), "y": plan.cores_along(1)}
    ranges |= {wave(*group).replace(".", "_"): math.prod(waves[name] for name in group) for group in order}
    blocks = [
        tuple(value_of(formulas[dim], dict(zip(ranges, point, strict=True))) for dim in "mn")
        for point in itertools.product(*(range(extent) for extent in ranges.values()))
    ]
    assert sorted(blocks) == list(itertools.product(range(4), range(4)))


def value_of(op: affine.ApplyOp, point: dict[str, int]) -> int:
    formula: AffineMap = op.map.data
    (value,) = formula.eval([point[str(operand.name_hint)] for operand in op.mapOperands], [])
    return value


def test_a_loop_whose_trips_differ_runs_as_often_as_its_block_says() -> None:
    ops = {str(op.results[0].name_hint): op for op in parse(toy.plan(), toy.triangular()).walk() if op.results}
    (line,) = (op for name, op in ops.items() if name == "line_k")
    assert isinstance(line, affine.ApplyOp)
    assert [str(operand.name_hint) for operand in line.mapOperands] == ["m"]
    assert [value_of(line, {"m": block}) for block in range(4)] == [1, 2, 3, 4]
    assert isinstance(ops["some_k"], arith.MaxSIOp) and isinstance(ops["trips_k"], arith.MinSIOp)
    limits = [ops[name].attributes.get("value") or ops[name].properties["value"] for name in ("low_k", "high_k")]
    assert [limit.value.data for limit in limits] == [1, 4]  # type: ignore[attr-defined]
