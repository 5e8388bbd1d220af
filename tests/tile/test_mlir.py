"""MLIR text of tile programs: readable, and read back to the same program."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from cpplan.errors import InputError
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.mlir import parse_program, print_program
from cpplan.tile.program import Access, Affine, Bounds, Buffer, Carry, Dim, Loop, Op, Profile, Tensor, TileProgram

ROOT = Path(__file__).parents[2]
SUM = TileProgram(
    name="row_sum",
    dims=(Dim("row", 4),),
    loops=(Loop("j", 3, None, 10, (Carry("zero", "total", "sum", "result"),)),),
    tensors=(Tensor("x", "bf16", (128, 96), (96, 1)), Tensor("y", "fp32", (128,), (1,))),
    accesses=(
        Access(
            "x", "x", "load", (32, 32), (Affine(0, (("row", 32),)), Affine(-5, (("j", 32),))), "j", (False, True), "t"
        ),
        Access("y", "y", "store", (32,), (Affine(0, (("row", 32),)),), None, (False,), "result", note='say "hi"'),
    ),
    ops=(
        Op("zero", "constant", (), (32,), "fp32", None, (("value", "0.0"),)),
        Op("part", "reduce_sum", ("t",), (32,), "fp32", "j", (("axis", 1),), ((32, 32),), ("bf16",)),
        Op("sum", "add", ("total", "part"), (32,), "fp32", "j", (), ((32,), (32,)), ("fp32", "fp32"), "k.py:9"),
    ),
    buffers=(Buffer("total", (32,), "fp32", "j", "carried"),),
    block=(("B", 32),),
    source="k.py:1",
)
TEXT = """\
module {
  tile.program @row_sum attributes {block = [["B", 32]], source = "k.py:1"} {
    %x = tile.tensor : memref<128x96xbf16, strided<[96, 1]>>
    %y = tile.tensor : memref<128xf32, strided<[1]>>
    affine.parallel (%row) = (0) to (4) {
      tile.buffer %total : tensor<32xf32> {loop = "j", reason = "carried"}
      %zero = tile.constant() {value = "0.0", source = ""} : () -> tensor<32xf32>
      %result = scf.for %j = 0 to 3 step 1 iter_args(%total = %zero) attributes {total_trips = 10} {
        %t = tile.load @x %x[affine_map<(row, j) -> (32 * row, 32 * j + -5)>] : tile<32x32> \
{masked = [false, true], class = "affine", source = "", note = ""}
        %part = tile.reduce_sum(%t) {axis = 1, source = ""} : (tensor<32x32xbf16>) -> tensor<32xf32>
        %sum = tile.add(%total, %part) {source = "k.py:9"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
        scf.yield %sum
      }
      tile.store @y %result to %y[affine_map<(row) -> (32 * row)>] : tile<32> \
{masked = [false], class = "affine", source = "", note = "say \\"hi\\""}
    }
  }
}
"""


def test_text_of_a_small_program() -> None:
    assert print_program(SUM) == TEXT


MASKED = replace(
    SUM,
    accesses=(
        replace(
            SUM.accesses[0],
            bounds=(Bounds(), Bounds((Affine(), Affine(0, (("j", 8),))), (Affine(90), Affine(32, (("row", 8),))))),
            fill=-math.inf,
        ),
        replace(SUM.accesses[1], bounds=(Bounds(ends=(Affine(100),)),), mask="seen"),
    ),
    ops=(*SUM.ops, Op("seen", "mask", (), (32,), "bool", None, (("0.const", 3), ("0.lane0", -1)))),
)


def test_text_of_masks() -> None:
    text = print_program(MASKED)
    assert 'bounds = ["index", "0, 8 * j <= index < 90, 8 * row + 32"], fill = -Infinity, class' in text
    assert "%result to %y[affine_map<(row) -> (32 * row)>] if %seen : tile<32> " in text
    assert text.index("%seen = tile.mask") < text.index("if %seen")
    assert parse_program(text) == MASKED


def test_text_of_a_fill_that_is_no_number() -> None:
    program = replace(SUM, accesses=(replace(SUM.accesses[0], fill=math.nan), SUM.accesses[1]))
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize("total", [10, None])
def test_text_of_trips_by_block(total: int | None) -> None:
    loop = replace(SUM.loops[0], total_trips=total, profile=Profile("row", 32, -16, 64, 0, 3))
    program = replace(SUM, loops=(loop,))
    text = print_program(program)
    assert 'trips = "min(3, max(0, (32 * row + -16) ceildiv 64))"} {' in text
    assert parse_program(text) == program
    with pytest.raises(InputError, match=r"line 8: .* does not give trips by block"):
        parse_program(text.replace("ceildiv", "floordiv"))


def test_text_is_read_back() -> None:
    assert parse_program(TEXT) == SUM


@pytest.mark.parametrize(
    ("path", "argv"),
    [
        ("examples/matmul.py", ["1000", "900", "500"]),
        ("examples/elementwise.py", []),
        ("examples/batched_matmul.py", []),
        ("tests/frontend/kernels/attention.py", []),
        ("tests/frontend/kernels/rows.py", ["layer_norm"]),
        ("tests/frontend/kernels/rows.py", ["softmax"]),
        ("tests/frontend/kernels/rows.py", ["gather"]),
        ("tests/frontend/kernels/rows.py", ["transpose"]),
        ("tests/frontend/kernels/rows.py", ["pairs"]),
        ("tests/frontend/kernels/matmuls.py", ["split_k"]),
    ],
)
def test_programs_of_real_kernels_survive_the_round_trip(path: str, argv: list[str]) -> None:
    for launch in capture_launches(str(ROOT / path), argv=argv)[:2]:
        program = build(launch).program
        assert parse_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("32 * row, 32 * j", "32 * row * row, j"),
        ("tensor<32xf32> {", "tensor{"),
        ("%sum = ", "sum = "),
        ("<= index < 90", "<= index > 90"),
        ("index < 100", "index < row"),
    ],
)
def test_damaged_text_names_the_line(before: str, after: str) -> None:
    text = print_program(MASKED)
    damaged = text.replace(before, after, 1)
    line = next(i for i, (a, b) in enumerate(zip(text.splitlines(), damaged.splitlines(), strict=True), 1) if a != b)
    with pytest.raises(InputError, match=f"tile program, line {line}: "):
        parse_program(damaged)


def test_text_without_a_program() -> None:
    with pytest.raises(InputError, match=r"there is no tile\.program"):
        parse_program("module {\n}\n")
