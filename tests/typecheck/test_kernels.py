"""Good kernels pass the vendor's headers for both chips; each kind of mistake is reported at the kernel's own line."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulate.flash_program import Flash, flash_program
from emulate.gemm_program import Gemm, gemm_program

from cpplan.emit_ttmetal.program import Arch, Processor
from cpplan.typecheck import check, check_kernel

pytestmark = pytest.mark.vendor
ARCHS: tuple[Arch, ...] = ("wormhole", "blackhole")
EMULATED = Path(__file__).parents[2] / "cpplan" / "emulate" / "device"

READER = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    cb_reserve_back(cb, 1);
    cb_push_back(cb, 1);
}
"""
COMPUTE = """#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);
    matmul_block_init(0, 1, 0, 1, 1, 1);
    tile_regs_acquire();
    matmul_block(0, 1, 0, 0, 0, 0, 1, 1, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
}
"""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("program", [gemm_program(Gemm()), flash_program(Flash())], ids=["gemm", "flash"])
def test_handwritten_programs_pass(program: object, arch: Arch) -> None:
    assert check(program, arch) == ()  # type: ignore[arg-type]


MISTAKES: dict[str, tuple[Processor, str, str, str, int]] = {
    # processor, text to replace, its replacement, part of the message, line
    "unknown function": ("riscv1", "cb_push_back(cb, 1)", "cb_push(cb, 1)", "undeclared identifier 'cb_push'", 5),
    "missing argument": ("riscv1", "cb_push_back(cb, 1)", "cb_push_back(cb)", "no matching function", 5),
    "compile-time index past the end": ("riscv1", "arg_val(0)", "arg_val(1)", "Index out of range", 3),
    "wrong header path": ("riscv1", "dataflow/dataflow_api.h", "dataflow_api.h", "file not found", 1),
    "removed name": ("compute", "matmul_block_init(", "mm_block_init(", "undeclared identifier 'mm_block_init'", 6),
    "missing pack argument": ("compute", "pack_tile(0, 16)", "pack_tile(0)", "no matching function", 11),
    "wrong template argument": ("compute", "SrcOrder::Reverse", "SrcOrder::Backward", "no member named 'Backward'", 5),
}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_reported_at_their_line(mistake: str, arch: Arch) -> None:
    processor, old, new, message, line = MISTAKES[mistake]
    good = COMPUTE if processor == "compute" else READER
    formats = {0: "bf16", 1: "bf16", 16: "bf16"}
    assert check_kernel(good, processor, arch, (0,), formats) == ()  # type: ignore[arg-type]
    assert good.count(old) == 1
    found = check_kernel(good.replace(old, new), processor, arch, (0,), formats)  # type: ignore[arg-type]
    assert any(message in diagnostic.message and diagnostic.line == line for diagnostic in found), found


@pytest.mark.parametrize("arch", ARCHS)
def test_every_emulated_header_exists_at_the_vendors_path(arch: Arch) -> None:
    compute = sorted(path.relative_to(EMULATED) for path in (EMULATED / "api" / "compute").rglob("*.h"))
    source = "".join(f'#include "{path}"\n' for path in compute) + "void kernel_main() {}\n"
    assert check_kernel(source, "compute", arch) == ()


def test_a_repeated_check_needs_no_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    found = check_kernel(READER, "riscv1", compile_args=(0,))
    monkeypatch.setattr("cpplan.typecheck.kernels.units", None)
    assert check_kernel(READER, "riscv1", compile_args=(0,)) == found
