"""Edges of tensors and masks: what a kernel sees in place of elements that take no part, what a store leaves alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.launch import device_memory, memory_after
from cpplan.emit_ttmetal.movement.fills import fill_bits
from cpplan.emulate import run
from cpplan.errors import ScheduleError
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.schedule.build import build_schedule
from cpplan.tile.program import Access, Affine, Bounds, Dim, Op, Tensor, TileProgram

ALONG = Affine(0, (("p", 32),))


def sum_of_two_loads(first: Bounds, second: Bounds, columns: int, rank: int, dtype: str = "fp32") -> TileProgram:
    """y = x + x on 4 blocks of 32 rows (or elements) over a tensor of 70; masked elements of the one x are 1, of the
    other 2. y is larger than x, so that it shows all that the kernel saw."""
    long = 4 * 32 if rank == 2 else 4 * 64
    start = ALONG if rank == 2 else Affine(0, (("p", 64),))
    extra, tile = ((columns,), (32, 64)) if rank == 2 else ((), (64,))
    zero = (Affine(),) * (rank - 1)
    unit = (64, 1) if rank == 2 else (1,)
    bounds = [(b, Bounds(ends=(Affine(columns),))) if rank == 2 else (b,) for b in (first, second)]
    inputs = Tensor("x", dtype, (70, *extra), (columns, 1) if rank == 2 else (1,))
    output = Tensor("y", dtype, (long, 64) if rank == 2 else (long,), unit)
    loads = [
        Access(f"x{i}", "x", "load", tile, (start, *zero), value=f"v{i}", bounds=bounds[i], fill=float(i + 1))
        for i in range(2)
    ]
    store = Access("y", "y", "store", tile, (start, *zero), value="s", source="k.py:3")
    add = Op("s", "add", ("v0", "v1"), tile, dtype, None, (), (tile, tile), (dtype, dtype))
    square = (32, 64)  # a value of two long axes, so that tiles are no runs; nothing uses it
    other = [Op("c", "constant", (), square, dtype, None, (("value", "0.0"),))] if rank == 2 else []
    return TileProgram("two", (Dim("p", 4),), (), (inputs, output), (*loads, store), (*other, add))


def plan(program: TileProgram, depth: int = 1) -> Plan:
    """Two waves on two cores."""
    places = [Placement(access.name, "wave.p", depth, (1, 1), noc=i % 2) for i, access in enumerate(program.accesses)]
    return Plan((), ((Split("p", 2),), ()), (("p",),), tuple(places))


def seen(program: TileProgram, depth: int = 1) -> np.ndarray:
    """What y holds after a run on random x."""
    schedule = build_schedule(program, load_device("wormhole"), plan(program, depth))
    memory = {t.name: np.zeros(int(np.prod(t.shape)), np.float32) for t in program.tensors}
    memory["x"] = np.arange(100, 100 + memory["x"].size).astype(np.float32)
    pages, _ = run(emit(schedule), device_memory(schedule, memory), seed=1)
    return memory_after(schedule, memory, pages)["y"].reshape(program.tensor("y").shape)


def expected(program: TileProgram) -> np.ndarray:
    """The same element by element."""
    shape = program.tensor("y").shape
    x = np.arange(100, 100 + np.prod(program.tensor("x").shape)).reshape(program.tensor("x").shape)
    total = np.zeros(shape, np.float32)
    for load in (a for a in program.accesses if a.kind == "load"):
        for place in np.ndindex(*shape):
            block = {"p": place[0] // load.tile[0]}
            inside = all(
                0 <= at < extent
                and all(at >= value(b, block) for b in bounds.begins)
                and all(at < value(e, block) for e in bounds.ends)
                for at, extent, bounds in zip(place, x.shape, load.bounds, strict=True)
            )
            total[place] += x[place] if inside else load.fill
    return total


def value(form: Affine, block: dict[str, int]) -> int:
    return form.const + sum(factor * block[name] for name, factor in form.terms)


EVERYWHERE = Bounds()
MASKS = {
    "nothing": (EVERYWHERE, EVERYWHERE),
    "the end of the tensor": (Bounds(ends=(Affine(70),)), Bounds(ends=(Affine(70),))),
    "inside a tile": (Bounds(ends=(Affine(45),)), EVERYWHERE),
    "a beginning": (Bounds(begins=(Affine(5),)), Bounds(begins=(Affine(40),), ends=(Affine(66),))),
    "every block": (Bounds(ends=(Affine(20, (("p", 32),)),)), Bounds(begins=(Affine(-3, (("p", 32),)),))),
}


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("mask", MASKS)
def test_masked_elements_of_matrices_are_the_fill(mask: str, depth: int) -> None:
    program = sum_of_two_loads(*MASKS[mask], columns=50, rank=2)
    assert not program.in_runs
    assert np.array_equal(seen(program, depth), expected(program))


@pytest.mark.parametrize("mask", MASKS)
def test_masked_elements_of_runs_are_the_fill(mask: str) -> None:
    program = sum_of_two_loads(*MASKS[mask], columns=1, rank=1)
    assert program.in_runs
    assert np.array_equal(seen(program), expected(program))


def test_a_fill_that_memory_holds_already_costs_nothing() -> None:
    program = sum_of_two_loads(*MASKS["the end of the tensor"], columns=50, rank=2)
    alike = tuple(replace(a, fill=2.0) if a.kind == "load" else a for a in program.accesses)
    filled, plain = (
        "".join(k.source for k in emit(build_schedule(p, load_device("wormhole"), plan(p))).kernels)
        for p in (program, replace(program, accesses=alike))
    )
    assert "plan::fill_outside" in filled and "plan::fill_outside" not in plain
    assert np.array_equal(seen(replace(program, accesses=alike)), expected(replace(program, accesses=alike)))


def test_a_store_whose_mask_cuts_a_page_is_refused() -> None:
    program = sum_of_two_loads(EVERYWHERE, EVERYWHERE, columns=50, rank=2)
    *loads, store = program.accesses
    masked = replace(store, bounds=(Bounds(ends=(Affine(40),)), EVERYWHERE))
    with pytest.raises(ScheduleError, match=r"k\.py:3: store y of y is masked along axis 0 at an element"):
        emit(build_schedule(replace(program, accesses=(*loads, masked)), load_device("wormhole"), plan(program)))


def test_a_store_leaves_pages_behind_its_mask_alone() -> None:
    program = sum_of_two_loads(EVERYWHERE, EVERYWHERE, columns=50, rank=2)
    *loads, store = program.accesses
    masked = replace(store, bounds=(Bounds(begins=(Affine(32),), ends=(Affine(96),)), EVERYWHERE))
    cut = replace(program, accesses=(*loads, masked))
    wanted = expected(program)
    wanted[:32] = wanted[96:] = 0
    assert np.array_equal(seen(cut), wanted)


@pytest.mark.parametrize(
    ("number", "data_format", "bits"),
    [
        (1.0, "fp32", 0x3F800000), (-np.inf, "fp32", 0xFF800000), (1.0, "bf16", 0x3F80), (-np.inf, "bf16", 0xFF80),
        (1.00390625, "bf16", 0x3F80), (1.01171875, "bf16", 0x3F82), (1.0, "fp16", 0x3C00), (1e30, "fp16", 0x7C00),
        (-1.0, "int32", 0xFFFFFFFF), (7.0, "uint8", 7),
    ],
)  # fmt: skip
def test_fills_are_rounded_to_the_nearest_even_bits(number: float, data_format: str, bits: int) -> None:
    assert fill_bits(number, data_format) == bits
