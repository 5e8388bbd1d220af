"""A kernel that does not compile, a missing compiler and bad inputs end in one message, not in a traceback."""

from __future__ import annotations

import numpy as np
import pytest
from emulate.pipeline import compute_source, one_tile, pipeline_program

from cpplan.emulate import KernelCompileError, KernelFault, ProgramFault, ToolMissing, compiler, run
from cpplan.errors import CpplanError


def test_the_message_names_kernel_line_and_reason() -> None:
    source = compute_source([], one_tile("no_such_call(0);"))
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "no_such_call" in text)
    with pytest.raises(KernelCompileError) as error:
        run(pipeline_program(source, [(1, "bf16")], (1, "bf16")), {})
    assert f"compute.cpp:{line}" in str(error.value)
    assert "no_such_call" in str(error.value)


def test_a_compile_time_index_past_the_end_does_not_compile() -> None:
    source = compute_source([], "constexpr uint32_t n = get_compile_time_arg_val(3);")
    with pytest.raises(KernelCompileError, match="Index out of range"):
        run(pipeline_program(source, [(1, "bf16")], (1, "bf16")), {})


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    compiler.compiler.cache_clear()
    with pytest.raises(ToolMissing, match=r"needs g\+\+"):
        compiler.compiler()
    compiler.compiler.cache_clear()


def test_tensors_of_another_size_or_name_are_refused() -> None:
    program = pipeline_program(compute_source([], one_tile("")), [(1, "bf16")], (1, "bf16"))
    with pytest.raises(ProgramFault, match="T0: 12 bytes given for 1 pages of 2048"):
        run(program, {"T0": np.zeros(12, np.uint8)})
    with pytest.raises(ProgramFault, match="X, which the program does not have"):
        run(program, {"X": np.zeros(12, np.uint8)})


def test_a_run_past_its_limit_is_stopped() -> None:
    body = "for (volatile uint64_t i = 0; i < 4000000000000; i = i + 1) {}"
    program = pipeline_program(compute_source([], body), [(1, "bf16")], (1, "bf16"))
    with pytest.raises(KernelFault) as error:
        run(program, {"T0": np.zeros(2048, np.uint8)}, limit_seconds=0.5)
    assert error.value.kind == "time"
    assert isinstance(error.value, CpplanError)
