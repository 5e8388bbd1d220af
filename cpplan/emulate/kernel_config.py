"""The generated header of a kernel: what the vendor's JIT passes on its command line and in chlkc_descriptors.h."""

from __future__ import annotations

from cpplan.emit_ttmetal.program import DRAM_BANKS, FORMAT_CODES, TILE_BYTES, ComputeConfig, Kernel, Program

UNSET_FORMAT = 255
BUFFERS = 64
FIDELITY_CODES = {"LoFi": 0, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}
"""ckernel::MathFidelity (source: tt_llk_wormhole_b0/llk_lib/llk_defs.h)."""


def config_header(program: Program, kernel: Kernel) -> str:
    """Text of ``kernel_config.h``."""
    compute = kernel.compute or ComputeConfig()
    buffers = program.kernel_buffers(kernel)
    formats = [FORMAT_CODES[buffers[i].format] if i in buffers else UNSET_FORMAT for i in range(BUFFERS)]
    sizes = [TILE_BYTES[buffers[i].format] if i in buffers else 0 for i in range(BUFFERS)]
    args = ", ".join(f"{word & 0xFFFFFFFF}u" for word in kernel.compile_args)
    arch = "ARCH_BLACKHOLE" if program.arch == "blackhole" else "ARCH_WORMHOLE"
    lines = [
        "#pragma once",
        "#include <array>",
        "#include <cstdint>",
        f"#define {arch}",
        f"#define {_processor_macro(kernel)}",
        *(f"#define {name} {value}" for name, value in kernel.defines.items()),
        "namespace emu_config {",
        f"constexpr std::array<uint32_t, {len(kernel.compile_args)}> compile_args{{{args}}};",
        f"constexpr uint8_t noc_index = {kernel.noc or 0};",
        f"constexpr bool blackhole = {_word(program.arch == 'blackhole')};",
        f"constexpr uint32_t dram_banks = {DRAM_BANKS[program.arch]};",
        f"constexpr uint8_t math_fidelity = {FIDELITY_CODES[compute.math_fidelity]};",
        f"constexpr bool approx = {_word(compute.approx)};",
        f"constexpr bool fp32_dest_acc = {_word(compute.fp32_dest_acc)};",
        f"constexpr bool dst_full_sync = {_word(compute.dst_full_sync)};",
        f"constexpr uint8_t format[{BUFFERS}] = {{{', '.join(map(str, formats))}}};",
        f"constexpr uint32_t tile_bytes[{BUFFERS}] = {{{', '.join(map(str, sizes))}}};",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _processor_macro(kernel: Kernel) -> str:
    return {"riscv0": "COMPILE_FOR_BRISC", "riscv1": "COMPILE_FOR_NCRISC", "compute": "COMPILE_FOR_TRISC 1"}[
        kernel.processor
    ]


def _word(value: bool) -> str:
    return "true" if value else "false"
