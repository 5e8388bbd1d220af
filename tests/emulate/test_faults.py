"""Damage of each kind to correct programs is found over a few seeds: as a fault, a deadlock or a wrong result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from emulate.damage import FLASH, FLASH_DAMAGE, GEMM, GEMM_DAMAGE
from emulate.flash_program import attention, flash_program
from emulate.gemm_program import gemm_program
from emulate.pipeline import compute_source, one_tile, pipeline_program

from cpplan.emit_ttmetal.program import CircularBuffer, Program
from cpplan.emulate import EmulationError, KernelFault, run
from cpplan.emulate.formats import encode, matrix_pages, pages_matrix, round_bf16

SEEDS = range(6)


def gemm_outcome(program: Program, seed: int) -> str:
    m, n, k = GEMM.shape
    draw = np.random.default_rng(1)
    a, b = draw.standard_normal((m, k), np.float32), draw.standard_normal((k, n), np.float32)
    return outcome(program, {"A": matrix_pages(a, "bf16"), "B": matrix_pages(b, "bf16")}, seed, "C", a @ b)


def flash_outcome(program: Program, seed: int) -> str:
    draw = np.random.default_rng(2)
    q, k, v = (
        round_bf16(draw.standard_normal((1, n, 64)).astype(np.float32))
        for n in (FLASH.query_length, FLASH.key_length, FLASH.key_length)
    )
    tensors = {name: matrix_pages(x[0], "bf16") for name, x in (("Q", q), ("K", k), ("V", v))}
    return outcome(program, tensors, seed, "O", attention(q, k, v)[0])


def outcome(program: Program, tensors: dict[str, np.ndarray], seed: int, name: str, expected: np.ndarray) -> str:
    """The kind of fault, "program" for a rejected description, "wrong" or "right"."""
    try:
        pages, _ = run(program, tensors, seed, limit_seconds=60)
    except KernelFault as fault:
        return fault.kind
    except EmulationError:
        return "program"
    got = pages_matrix(pages[name], "bf16", *expected.shape)
    close = np.abs(got - expected).max() <= 0.02 * np.abs(expected).max()
    return "right" if close else "wrong"


def test_undamaged_programs_are_right_for_all_seeds() -> None:
    assert {gemm_outcome(gemm_program(GEMM), seed) for seed in SEEDS} == {"right"}
    assert {flash_outcome(flash_program(FLASH), seed) for seed in SEEDS} == {"right"}


def found_as(damaged: Program, outcome_of: Callable[[Program, int], str]) -> str:
    return next((kind for seed in SEEDS if (kind := outcome_of(damaged, seed)) != "right"), "right")


@pytest.mark.parametrize("name", GEMM_DAMAGE)
def test_damage_to_gemm_is_found(name: str) -> None:
    damage = GEMM_DAMAGE[name]
    assert found_as(damage.change(gemm_program(GEMM)), gemm_outcome) in damage.kinds


@pytest.mark.parametrize("name", FLASH_DAMAGE)
def test_damage_to_flash_attention_is_found(name: str) -> None:
    damage = FLASH_DAMAGE[name]
    assert found_as(damage.change(flash_program(FLASH)), flash_outcome) in damage.kinds


def test_a_deadlock_names_who_waits_for_what() -> None:
    with pytest.raises(EmulationError) as error:
        program = GEMM_DAMAGE["missing push"].change(gemm_program(GEMM))
        m, n, k = GEMM.shape
        run(program, {"A": np.zeros(2 * m * k, np.uint8), "B": np.zeros(2 * k * n, np.uint8)})
    six = "cores (0, 0), (1, 0), (2, 0), (0, 1) and 2 more"
    message = str(error.value)
    assert f"multiply waits for 4 pages in buffer 0 (a), which holds 0 of 8: {six}" in message
    assert f"read_b_write_c waits for room for 4 pages in buffer 1 (b), which holds 8 of 8: {six}" in message
    assert "read_a" not in message  # it went on to its end


def test_a_fault_names_kernel_core_and_line() -> None:
    source = compute_source([], one_tile("").replace("cb_wait_front(0, 1);", ""))
    program = pipeline_program(source, [(1, "bf16")], (1, "bf16"))
    with pytest.raises(KernelFault) as fault:
        run(program, {"T0": encode(np.ones((1, 1024)), "bf16")})
    assert (fault.value.kind, fault.value.core, fault.value.kernel) == ("wait", (0, 0), "compute")
    assert fault.value.line is not None and "copy_tile" in source.splitlines()[fault.value.line - 1]
    assert "of which 0 pages were waited for" in str(fault.value)


def test_a_fault_behind_a_function_that_passes_a_call_on_is_that_of_the_place_it_comes_from() -> None:
    source = compute_source([], one_tile("").replace("cb_wait_front(0, 1);", ""))
    head = "__attribute__((noinline)) void copy_tile(uint32_t cb, uint32_t index, uint32_t dst) {"
    space = f"namespace plan {{\n{head}\n    ::copy_tile(cb, index, dst);\n}}\n}}\n"
    before, main, after = source.partition("void kernel_main()")
    source = before + space + main + after.replace("copy_tile(", "plan::copy_tile(")
    with pytest.raises(KernelFault) as fault:
        run(pipeline_program(source, [(1, "bf16")], (1, "bf16")), {"T0": encode(np.ones((1, 1024)), "bf16")})
    assert fault.value.line is not None and "plan::copy_tile(" in source.splitlines()[fault.value.line - 1]


def test_bytes_that_the_host_did_not_give_are_not_read() -> None:
    program = pipeline_program(compute_source([], one_tile("")), [(1, "bf16")], (1, "bf16"))
    with pytest.raises(KernelFault, match="a NoC read takes bytes that nobody wrote") as fault:
        run(program, {})
    assert fault.value.kind == "uninitialised"


def test_the_same_seed_gives_the_same_run() -> None:
    m, n, k = GEMM.shape
    tensors = {"A": np.zeros(2 * m * k, np.uint8), "B": np.zeros(2 * k * n, np.uint8)}
    damaged = GEMM_DAMAGE["no wait for the receivers"].change(gemm_program(GEMM))
    messages = []
    for _ in range(2):
        with pytest.raises(EmulationError) as error:
            for seed in SEEDS:
                run(damaged, tensors, seed)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_unused_description_errors_are_listed_together() -> None:
    program = gemm_program(GEMM)
    twice = (
        *program.buffers,
        CircularBuffer(0, "again", "bf16", 2048, 1, ((0, 0),)),
        CircularBuffer(40, "far", "bf16", 2040, 1, ((9, 9),)),
    )
    with pytest.raises(EmulationError) as error:
        run(replace(program, buffers=twice), {})
    message = str(error.value)
    assert "buffer 0 is configured 2 times on core (0, 0)" in message
    assert "indices run from 0 to 31" in message
    assert "core (9, 9) has no NoC coordinate" in message
