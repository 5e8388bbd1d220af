"""The best plans of all example kernels at small, ragged sizes: on the emulated chip they compute what Triton's
interpreter computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpplan.cli import main
from cpplan.cli.options import DeviceOptions, LaunchOptions, RestrictionOptions
from cpplan.cli.planned import of_kernel
from cpplan.emit_ttmetal.emit import emit
from cpplan.schedule.build import build_schedule

EXAMPLES = Path(__file__).parents[2] / "examples"

CASES = (
    ("matmul", "", "500 300 200"),
    ("matmul", "", "64 64 2048"),
    ("batched_matmul", "", "3 70 50 40"),
    ("persistent_matmul", "", "200 144 80"),
    ("matmul_bias_activation", "", "70 100 64"),
    ("attention", "attention_kernel", "1 4 2 128 64"),
    ("attention", "attention_kernel_2", "1 4 2 150 32"),
    ("flash_decode", "decode_part_kernel", "2 8 2 512 64 2"),
    ("flash_decode", "decode_combine_kernel", "2 8 2 512 64 2"),
    ("softmax", "", "33 100"),
    ("layer_norm", "", "33 300"),
    ("rms_norm_residual", "", "33 100"),
    ("swiglu", "", "33 100"),
    ("elementwise", "", "33 100"),
    ("mamba_chunk_state", "chunk_decay_kernel", "1 128 2 32 1 32 64"),
    ("mamba_chunk_state", "chunk_state_kernel", "1 128 2 32 1 32 64"),
)
"""Example, launch ("": its only one), arguments."""

PART = "4x3@1,1"


@pytest.mark.slow
@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("example", "launch", "sizes"), CASES)
def test_examples_compute_what_the_interpreter_computes(example: str, launch: str, sizes: str, device: str) -> None:
    chosen = ["--launch", launch] if launch else []
    part = [] if example == "matmul" else ["--cores", PART]  # the solver takes longer for the whole array
    command = ["run", str(EXAMPLES / f"{example}.py"), "--device", device, *part, *chosen, "--json"]
    result = CliRunner().invoke(main, [*command, "--", *sizes.split()])
    assert result.exit_code == 0, result.output
    record: dict[str, Any] = json.loads(result.stdout)
    assert record["equal"], record["tensors"]


@pytest.mark.slow
@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("example", "launch", "sizes"), [CASES[0], CASES[6], CASES[7]])
def test_programs_pass_the_vendors_headers(example: str, launch: str, sizes: str, device: str) -> None:
    typecheck = pytest.importorskip("cpplan.typecheck")
    options = LaunchOptions(EXAMPLES / f"{example}.py", argv=tuple(sizes.split()))
    planned = of_kernel(options, DeviceOptions((device,), PART), RestrictionOptions(), "1", launch or None)
    program = emit(build_schedule(planned.program, planned.device, planned.plan))
    try:
        assert typecheck.check(program) == ()
    except typecheck.TypeCheckUnavailable as reason:
        pytest.skip(str(reason))


FURTHER = (
    ("masks", "launch('early')"),
    ("masks", "launch('history')"),
    ("masks", "launch('computed')"),
    ("profiles", "sums(0)"),
    ("profiles", "sums(1)"),
    ("profiles", "sums(2)"),
    ("profiles", "sums(3)"),
    ("matmuls", "persistent(256, 192, 128)"),
    ("matmuls", "block_pointers(200, 128, 96)"),
    ("matmuls", "descriptors(200, 128, 96)"),
    ("attention", "attention(True, 1, 4, 2, 256, 32, 64, 32)"),
    ("rows", "planes()"),
    ("rows", "transpose()"),
    ("rows", "early()"),
    ("rows", "fallback()"),
    ("choosy", "launch('branch')"),
    ("choosy", "launch('clipped')"),
)
"""Kernels of the frontend's tests: file, call."""

REFUSED = (
    ("masks", "launch('chunks')", "starts at multiples of 1 along axis 0 and covers 32 elements"),
    ("masks", "launch('triangle')", "has a mask that is no box of indices"),
    ("profiles", "nested()", "less often in some blocks"),
    ("rows", "pairs()", "has an address that depends on data"),
)


def run_further(file: str, call: str) -> Result:
    path = str(Path(__file__).parents[1] / "frontend" / "kernels" / f"{file}.py")
    command = ["run", path, "--device", "wormhole", "--cores", "3x3", "--entry", call, "--json"]
    return CliRunner().invoke(main, command)


@pytest.mark.parametrize(("file", "call"), FURTHER)
def test_further_kernels_compute_what_the_interpreter_computes(file: str, call: str) -> None:
    result = run_further(file, call)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("file", "call", "words"), REFUSED)
def test_kernels_without_programs_are_refused_rather_than_computed_wrongly(file: str, call: str, words: str) -> None:
    result = run_further(file, call)
    assert result.exit_code == 2 and words in result.output
