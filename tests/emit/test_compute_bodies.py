"""Bodies of more than single ops on the chip: what loops carry, reductions, running sums, masks and products."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bodies import bodies
from emit.small import Shape, Small
from emit.whole import errors, random_tensors, run_schedule, simple_plan
from hypothesis import HealthCheck, Phase, given, settings

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.errors import ScheduleError
from cpplan.frontend.buffers import buffers_of
from cpplan.schedule.build import build_schedule
from cpplan.tile.program import Affine, Bounds, Dim, TileProgram

DEVICE = load_device("wormhole", cores="2x1@0,0")


def largest_error(program: TileProgram, seed: int = 0) -> float:
    """Over all stores, relative to the largest value."""
    schedule = build_schedule(program, DEVICE, simple_plan(program, DEVICE))
    tensors = random_tensors(program, seed)
    return max(errors(program, run_schedule(schedule, tensors, seed), tensors).values())


def test_values_that_a_loop_exchanges() -> None:
    small = Small(blocks=3)
    first, second = small.load((64, 96)), small.load((64, 96))
    a, b = small.carry("k", first, trips=4), small.carry("k", second)
    x = small.load((64, 96), loop="k")
    a_left = small.next("k", a, small.op("add", b, x, loop="k"))
    b_left = small.next("k", b, small.op("sub", a, x, loop="k"))
    small.store(a_left)
    small.store(b_left)
    assert largest_error(small.program()) < 1e-6


def test_a_value_that_is_used_old_and_new() -> None:
    small = Small(blocks=2)
    peak, total = small.carry("k", small.load((64,)), trips=3), small.carry("k", small.load((64,)))
    x = small.load((64,), loop="k")
    new = small.op("max", peak, x, loop="k")
    change = small.op("sub", new, peak, loop="k")
    small.store(small.next("k", peak, new))
    small.store(small.next("k", total, small.op("add", total, change, loop="k")))
    assert largest_error(small.program()) < 1e-6


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((64, 96), 1), ((64, 96), 0), ((40, 70), 1), ((40, 70), 0), ((3, 70), 1), ((3, 64, 32), 0)]
)
def test_reductions_along_an_axis(kind: str, shape: Shape, axis: int) -> None:
    small = Small(blocks=2)
    x = small.load(shape)
    square = small.op("mul", x, x)
    left = tuple(extent for number, extent in enumerate(shape) if number != axis)
    reduced = small.op(f"reduce_{kind}", square, shape=left, axis=axis)
    small.store(reduced, along=0 if axis else None)
    if axis or small.blocks == 1:
        assert largest_error(small.program()) < 1e-5
    else:  # all blocks would write the same elements
        small.blocks = 1
        assert largest_error(replace(small.program(), dims=(Dim("block", 1),))) < 1e-5


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_reductions_of_everything(kind: str) -> None:
    small = Small(blocks=2)
    x = small.load((40, 70))
    flat = small.op("reshape", small.op("abs", x), shape=(2800,))
    one = small.op(f"reduce_{kind}", flat, shape=(), axis=0)
    small.store(small.op("mul", x, small.op("broadcast", one, shape=(40, 70))))
    assert largest_error(small.program()) < 1e-5


def test_all_and_any() -> None:
    small = Small()
    x = small.load((64, 70))
    test = small.op("cmp", x, small.constant(-2.4, (64, 70)), dtype="bool", predicate="gt")
    for kind in ("and", "or"):
        verdict = small.op(f"reduce_{kind}", test, shape=(64,), dtype="bool", axis=1)
        small.store(small.op("cast", verdict, dtype="fp32"))
    program = small.program()
    tensors = random_tensors(program, 1)
    found = run_schedule(build_schedule(program, DEVICE, simple_plan(program, DEVICE)), tensors)
    rows = tensors["in0"] > -2.4
    np.testing.assert_array_equal(found["out0"], rows.all(axis=1))
    np.testing.assert_array_equal(found["out1"], rows.any(axis=1))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("shape", [(64, 96), (32, 96), (70, 20)])
def test_running_sums(shape: Shape, axis: int, reverse: int) -> None:
    small = Small(blocks=2)
    x = small.load(shape)
    doubled = small.op("add", x, x)
    small.store(small.op("scan_sum", doubled, axis=axis, **({"reverse": 1} if reverse else {})))
    assert largest_error(small.program()) < 1e-5


@pytest.mark.parametrize(("rows", "inner", "columns"), [(64, 64, 96), (40, 24, 70), (32, 16, 32)])
def test_products_of_computed_operands(rows: int, inner: int, columns: int) -> None:
    small = Small(blocks=2)
    a, b = small.load((rows, inner), "bf16"), small.load((columns, inner), "bf16", along=None)
    twice = small.op("cast", small.op("exp", small.op("cast", a, dtype="fp32")), dtype="bf16")
    turned = small.op("transpose", small.op("add", b, b), shape=(inner, columns), order="1,0")
    bias = small.op("broadcast", small.load((1, columns), along=None), shape=(rows, columns))
    product = small.op("dot", twice, turned, bias, shape=(rows, columns), dtype="fp32", k=inner)
    small.store(small.op("where", small.op("mask", shape=(rows, columns), dtype="bool", **{
        "0.const": 5, "0.lane0": 1, "0.lane1": -1, "0.block": 3}), product, small.constant(-2.0, (rows, columns)),
        dtype="fp32", shape=(rows, columns)))  # fmt: skip
    assert largest_error(small.program()) < 0.01


@pytest.mark.parametrize("turned", [False, True])
def test_products_do_not_see_what_fills_the_rest_of_a_hardware_tile(turned: bool) -> None:
    small = Small()
    a = small.load((32, 24), "bf16")
    b = small.load((64, 24) if turned else (24, 64), "bf16")
    b = small.op("transpose", b, shape=(24, 64), order="1,0") if turned else b
    small.store(small.op("dot", a, b, shape=(32, 64), dtype="fp32", k=24))
    small.accesses = [replace(access, fill=-7.5 if access.kind == "load" else None) for access in small.accesses]
    assert largest_error(small.program()) < 0.01


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "int32"])
def test_copies_and_constants(dtype: str) -> None:
    small = Small(blocks=3)
    small.store(small.load((64, 96), dtype))
    small.store(small.constant(7.0, (64, 32), dtype))
    assert largest_error(small.program()) == 0


def test_what_a_loop_carries_can_be_one_number() -> None:
    small = Small(blocks=2)
    total = small.carry("k", small.constant(2.0, ()), trips=3)
    x = small.load((40, 70), loop="k")
    part = small.op("reduce_sum", small.op("reshape", x, shape=(2800,), loop="k"), shape=(), axis=0, loop="k")
    left = small.next("k", total, small.op("add", total, part, loop="k"))
    small.store(small.op("broadcast", left, shape=(32, 64)))
    assert largest_error(small.program()) < 1e-5


def test_kernels_of_bf16_alone_take_16_bit_slots() -> None:
    small = Small(blocks=2)
    x, y = small.load((64, 96), "bf16"), small.load((64, 96), "bf16")
    peak = small.op("reduce_max", x, shape=(64,), axis=1)
    column = small.op("broadcast", small.op("reshape", peak, shape=(64, 1), axis=1), shape=(64, 96))
    bigger = small.op("cmp", x, y, dtype="bool", predicate="gt")
    chosen = small.op("where", bigger, x, small.op("mul", y, column), dtype="bf16", shape=(64, 96))
    small.store(small.op("sub", small.op("exp", chosen), small.constant(0.5, (64, 96), "bf16")))
    schedule = build_schedule(small.program(), DEVICE, simple_plan(small.program(), DEVICE))
    assert not compute_kernel(schedule).config.fp32_dest_acc
    assert largest_error(small.program()) < 0.03


def test_elements_of_a_load_that_take_no_part() -> None:
    small = Small(blocks=2)
    x = small.load((64, 70))
    small.store(small.op("exp", small.op("fill", x, value="-1.5")))
    ends = (Bounds(begins=(Affine(3, (("block", 64),)),)), Bounds(ends=(Affine(50, (("block", 10),)),)))
    small.accesses = [replace(a, bounds=ends) if a.kind == "load" else a for a in small.accesses]
    assert largest_error(small.program()) < 1e-5


def test_indices_are_numbers() -> None:
    for shape in ((64, 70), (3000,)):
        small = Small(blocks=2)
        x = small.load(shape)
        lanes = {f"lane{axis}": 7 - 9 * axis for axis in range(len(shape))}
        index = small.op("index", shape=shape, dtype="int32", const=-5, block=1000, **lanes)
        small.store(small.op("add", x, small.op("cast", index, dtype="fp32")))
        assert largest_error(small.program()) < 1e-6


@settings(max_examples=12, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(bodies())
def test_random_bodies(program: TileProgram) -> None:
    program = replace(program, dims=(Dim("block", 1),))
    program = replace(program, buffers=buffers_of(program))
    try:
        compute_kernel(build_schedule(program, DEVICE, simple_plan(program, DEVICE)))
    except ScheduleError as error:
        assert "circular buffers" in str(error)
        return
    with np.errstate(all="ignore"):
        assert largest_error(program) < 2e-3
