"""Frequent calls of a compute kernel go through functions that are not inlined; programs show what these do."""

from __future__ import annotations

import re

from emit.whole import EXAMPLES, programs, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal import ops
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.emit_ttmetal.outlined import FEWEST, LONG, PARAMETERS, outlined
from cpplan.schedule.build import build_schedule


def kernel(*lines: str) -> str:
    """A long kernel with these lines at its head."""
    lines += tuple(f"{name}();" for name in ("tile_regs_acquire", "tile_regs_wait") for _ in range(LONG // 2))
    return "\n".join(["#include <cstdint>", "", "void kernel_main() {", *(f"    {line}" for line in lines), "}", ""])


def test_what_is_called_often_gets_a_function() -> None:
    text = outlined(kernel(*["copy_tile(cb_a, 0, 1);"] * FEWEST, "pack_tile(0, cb_b);"))
    assert text.count("plan::copy_tile(cb_a, 0, 1);") == FEWEST
    assert "void copy_tile(uint32_t cb, uint32_t index, uint32_t dst) {\n    ::copy_tile(cb, index, dst);" in text
    assert "plan::pack_tile" not in text and text.index("namespace plan") < text.index("kernel_main")


def test_what_is_called_seldom_stays_as_it_is() -> None:
    assert "plan::copy_tile" not in outlined(kernel(*["copy_tile(cb_a, 0, 1);"] * (FEWEST - 1)))


def test_short_kernels_stay_as_they_are() -> None:
    source = "void kernel_main() {\n" + "    copy_tile(cb_a, 0, 1);\n" * (LONG - 1) + "}\n"
    assert outlined(source) == source


def test_template_arguments_make_functions_of_their_own() -> None:
    columns, rows = "unary_bcast<BroadcastType::COL>(cb_a, 0, 1);", "unary_bcast<BroadcastType::ROW>(cb_a, 0, 1);"
    packs = ["pack_tile<true>(0, cb_b, page);"] * FEWEST
    text = outlined(kernel(*[columns] * FEWEST, *[rows] * FEWEST, *packs))
    assert text.count("plan::unary_bcast_col(cb_a, 0, 1)") == text.count("plan::unary_bcast_row(cb_a, 0, 1)") == FEWEST
    assert "::pack_tile<true>(dst, cb, index);" in text


def test_parameters_are_those_of_the_table() -> None:
    """Rows of the table with as many words as the function has parameters."""
    for table in (ops.FLOAT, ops.IMMEDIATE):
        for row in table.values():
            name = row.call.partition("(")[0].replace("{nearest}", "")
            if name in PARAMETERS:
                assert len(row.call.split("(")[1].split(",")) == len(PARAMETERS[name]), name


def test_no_call_of_a_long_kernel_is_left_out() -> None:
    device = load_device("wormhole", cores="1x1@0,0")
    program = programs(EXAMPLES / "attention.py", 1, 4, 1, 256, 64)[0]
    source = compute_kernel(build_schedule(program, device, simple_plan(program, device))).source
    body = source.partition("void kernel_main() {")[2]
    plain = re.findall(r"(?<![\w:])(\w+)(?:<[\w:, ]*>)?\(", body)
    assert all(plain.count(name) < 3 * FEWEST for name in PARAMETERS)
    assert "plan::copy_tile(" in body
