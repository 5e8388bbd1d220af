"""What cannot be emitted is one error that names the op and its line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from emit.small import Small
from emit.whole import simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.errors import ScheduleError
from cpplan.schedule.build import build_schedule

DEVICE = load_device("wormhole", cores="1x1@0,0")
PAGE = Path(__file__).parents[2] / "docs" / "add-an-op.md"


def message(small: Small) -> str:
    """The error of a program."""
    program = small.program()
    with pytest.raises(ScheduleError) as error:
        compute_kernel(build_schedule(program, DEVICE, simple_plan(program, DEVICE)))
    return str(error.value)


def cube_root(small: Small) -> None:
    small.store(small.op("cbrt", small.load((64, 64))))


def product(small: Small) -> None:
    small.store(small.op("reduce_prod", small.load((64, 64)), shape=(64,), axis=1))


def running_maximum(small: Small) -> None:
    small.store(small.op("scan_max", small.load((64, 64)), axis=1))


def regrouped(small: Small) -> None:
    square = small.op("mul", small.load((64, 64)), small.load((64, 64)))
    small.store(small.op("reshape", small.op("dot", square, square, k=64), shape=(32, 128)))


def whole_product(small: Small) -> None:
    a, b = small.load((64, 64), "int32"), small.load((64, 64), "int32", along=None)
    small.store(small.op("dot", a, b, k=64))


def small_floats(small: Small) -> None:
    small.op("cast", small.load((64, 64)), dtype="fp8e4")
    small.store(small.op("cast", small.op("cast", "cast_0", dtype="fp32")))


def unknown_index(small: Small) -> None:
    small.store(small.op("add", small.load((64, 64)), small.op("index", shape=(64, 64), opaque=1)))


CASES: dict[str, tuple[Callable[[Small], None], str]] = {
    "cbrt": (cube_root, "it is not in the table"),
    "reduce_prod": (product, "reduces by sum, max and min"),
    "scan_max": (running_maximum, "has sums only"),
    "reshape": (regrouped, "regroups elements, 64x64 to 32x128"),
    "dot": (whole_product, "multiplies floating-point numbers"),
    "cast": (small_floats, "does not work on elements of type fp8e4"),
    "index": (unknown_index, "depends on data"),
}


@pytest.mark.parametrize("kind", CASES)
def test_ops_that_cannot_be_emitted(kind: str) -> None:
    make, why = CASES[kind]
    small = Small()
    make(small)
    text = message(small)
    assert re.match(rf"small.py:1: {kind} \({kind}_\d+\) cannot be emitted for TT-Metalium: ", text), text
    assert why in text


def test_the_page_shows_the_message() -> None:
    small = Small()
    cube_root(small)
    shown = " ".join(re.search(r"```text\n(.*?)```", PAGE.read_text(), re.S)[1].split())  # type: ignore[index]
    assert shown == message(small).replace("small.py:1", "gelu.py:21").replace("cbrt_0", "y_3")


def test_expressions_that_no_order_fits_into_the_registers() -> None:
    small = Small()
    value = small.load((2048,))

    def tree(depth: int, leaf: int) -> str:
        if depth == 0:
            return small.op("sin", small.op("mul", value, small.constant(1.0 + leaf, (2048,))))
        return small.op("add", tree(depth - 1, 2 * leaf), tree(depth - 1, 2 * leaf + 1))

    small.store(tree(8, 0))  # nine slots; eight there are
    assert "takes more than the 8 hardware tiles that the destination registers hold" in message(small)


def test_the_kernel_takes_all_of_the_registers_if_half_of_them_do_not_do() -> None:
    small = Small()
    value = small.load((2048,))

    def tree(depth: int, leaf: int) -> str:
        if depth == 0:
            return small.op("sin", small.op("mul", value, small.constant(1.0 + leaf, (2048,))))
        return small.op("add", tree(depth - 1, 2 * leaf), tree(depth - 1, 2 * leaf + 1))

    small.store(tree(5, 0))  # six slots of 32 bits
    program = small.program()
    config = compute_kernel(build_schedule(program, DEVICE, simple_plan(program, DEVICE))).config
    assert (config.fp32_dest_acc, config.dst_full_sync) == (True, True)
