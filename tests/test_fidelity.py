"""The math fidelity of products: what the matrix unit keeps of both factors, what it costs, and what programs ask for.

Bits are those of tt-isa-documentation: SrcAFidelityBits and SrcBFidelityBits of MatrixUnit.md, for how many explicit
bits of a mantissa take part; the right factor of a product lies in SrcA, the left one in SrcB.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from emit.whole import simple_plan
from gemm import gemm

from cpplan.cli import main
from cpplan.cost.fidelity import math_fidelity
from cpplan.cost.units import level_work
from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.schedule.build import build_schedule
from cpplan.tile.program import Op, TileProgram

DEVICES = ("wormhole", "blackhole")
KEPT = {"LoFi": (6, 4), "HiFi2": (6, 9), "HiFi4": (10, 9)}
"""Explicit mantissa bits of the left and of the right factor."""
HELD = {"bf16": 7, "fp16": 10, "fp32": 10, "bfp8_b": 6, "bfp4_b": 2}
"""Explicit mantissa bits of numbers in a source register: fp32 comes there with 10, blocks have a leading bit."""
PASSES = {"LoFi": 1, "HiFi2": 2, "HiFi4": 4}
PAIRS = tuple(itertools.product(HELD, repeat=2))
PLAIN = Path(__file__).parents[1] / "bench" / "data" / "plain_gemm.py"


def product(left: str, right: str, result: str = "bf16") -> TileProgram:
    """C = A B in blocks of 64x64x64, A stored as ``left`` and B as ``right``."""
    program = gemm(64, 64, 128, (64, 64, 64))
    types = {"a": left, "b": right, "c": result}
    dot, cast = program.ops
    zero = Op("zero", "constant", (), dot.shape, "fp32", None, (("value", "0.0"),))
    return replace(
        program,
        tensors=tuple(replace(tensor, dtype=types[tensor.name]) for tensor in program.tensors),
        ops=(zero, replace(dot, operand_dtypes=(left, right, "fp32")), cast),
    )


def math_cycles(program: TileProgram, device: str) -> int:
    return int(level_work(program, load_device(device))["k"].threads["math"])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_no_factor_loses_more_than_its_last_bit(device: str, left: str, right: str) -> None:
    fidelity = math_fidelity(product(left, right).ops, load_device(device))
    assert fidelity is not None
    kept_left, kept_right = KEPT[fidelity]
    assert kept_left >= HELD[left] - 1
    assert kept_right >= HELD[right] - 1


@pytest.mark.parametrize("device", DEVICES)
def test_one_pass_is_for_factors_that_both_fit_it(device: str) -> None:
    single = {pair for pair in PAIRS if math_fidelity(product(*pair).ops, load_device(device)) == "LoFi"}
    assert single == {("bfp4_b", "bfp4_b")}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_both_factors_count_whichever_comes_first(device: str, left: str, right: str) -> None:
    """8 multiply-accumulates of 32x32x32 tiles, 16 cycles each and pass; the rest is what starting a call takes."""
    fidelity = math_fidelity(product(left, right).ops, load_device(device))
    assert fidelity == math_fidelity(product(right, left).ops, load_device(device))
    assert fidelity is not None
    single = math_cycles(product("bfp4_b", "bfp4_b"), device)
    assert math_cycles(product(left, right), device) - single == 8 * 16 * (PASSES[fidelity] - 1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("left", "right"), [("bf16", "bf16"), ("fp16", "fp16"), ("bfp4_b", "bf16"), ("bfp4_b", "fp16")]
)
def test_programs_ask_for_what_plans_reckon_with(device: str, left: str, right: str) -> None:
    program, small = product(left, right), load_device(device, cores="1x1")
    config = compute_kernel(build_schedule(program, small, simple_plan(program, small))).config
    assert config.math_fidelity == math_fidelity(program.ops, small)


def test_products_of_a_kernel_share_the_finest() -> None:
    """A kernel is compiled for one fidelity, so its products in bf16 take as long as those in fp32 beside them."""
    plain = product("bf16", "bf16")
    zero, dot, cast = plain.ops
    wide = Op("wide", "dot", ("av", "bv"), dot.shape, "fp32", "k", dot.attributes, dot.operand_shapes, ("fp32", "fp32"))
    both = replace(plain, ops=(zero, dot, wide, cast))
    device = load_device("wormhole")
    assert math_fidelity(both.ops, device) == "HiFi4"
    alone = (math_cycles(plain, "wormhole"), math_cycles(replace(plain, ops=(zero, wide, cast)), "wormhole"))
    assert math_cycles(both, "wormhole") == alone[0] + alone[1] + 8 * 2 * 16
    assert math_fidelity((cast,), device) is None


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("stored", "page"), [("bf16", 2048), ("bfp8_b", 1088), ("bfp4_b", 576)])
def test_results_are_packed_in_the_format_of_their_tensor(device: str, stored: str, page: int) -> None:
    """4 pages at 64 bytes a cycle, but a page takes 16 cycles at least, and a call 9.13."""
    found = level_work(product("bf16", "bf16", stored), load_device(device))[""].threads["pack"]
    assert abs(int(found) - (4 * max(Fraction(page, 64), Fraction(16)) + Fraction("9.13"))) < 1


@pytest.mark.parametrize(
    ("device", "sizes", "options"),
    [
        ("wormhole", "33 65 97", ()),
        ("blackhole", "100 1 200", ("--plan", "3")),
        ("blackhole", "64 70 333", ("--format", "b_ptr=bfp8_b")),
        ("wormhole", "64 64 1024", ("--pin", "k.cores=4", "--pin", "combine=ring")),
    ],
)
def test_products_in_half_precision_keep_it(device: str, sizes: str, options: tuple[str, ...]) -> None:
    """The interpreter's results within 4 spacings of fp16 (2^-11), relative to the largest."""
    arguments = ["run", str(PLAIN), "--device", device, "--json", *options, "--", *sizes.split(), "float16"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["equal"]
    assert found["max_abs_error"] <= found["tolerance"]
