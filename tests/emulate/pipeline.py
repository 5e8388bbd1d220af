"""One core that reads tensors into buffers 0.., computes with a given kernel body, and writes buffer 16."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cpplan.emit_ttmetal.program import (
    TILE_BYTES,
    Arch,
    CircularBuffer,
    ComputeConfig,
    DataFormat,
    DeviceTensor,
    Kernel,
    Program,
    TensorAddress,
    noc_coordinates,
)
from cpplan.emulate import run
from cpplan.emulate.formats import decode, encode

KERNELS = Path(__file__).parent / "kernels"
OUT = 16
CORES = ((0, 0),)


def compute_source(headers: Sequence[str], body: str, startup: str = "compute_kernel_hw_startup(0, 0, 16);") -> str:
    includes = ["compute_kernel_hw_startup", "pack", "reg_api", "cb_api", "tile_move_copy", *headers]
    return "\n".join(
        [*(f'#include "api/compute/{h}.h"' for h in includes), f"void kernel_main() {{\n{startup}\n{body}\n}}"]
    )


def one_tile(call: str, copies: int = 1) -> str:
    """Body: inputs 0..copies-1 (a tile each) to DST 0.., one call, DST 0 out."""
    loads = "\n".join(
        f"reconfig_data_format_srca({i}); copy_init({i}); cb_wait_front({i}, 1);\n"
        f"copy_tile({i}, 0, {i}); cb_pop_front({i}, 1);"
        for i in range(copies)
    )
    return f"tile_regs_acquire();\n{loads}\n{call}\ntile_regs_commit();\n{pack_out()}"


def pack_out(count: int = 1) -> str:
    packs = " ".join(f"pack_tile({i}, 16);" for i in range(count))
    return f"tile_regs_wait(); cb_reserve_back(16, {count}); {packs} cb_push_back(16, {count}); tile_regs_release();"


def pipeline_program(
    source: str,
    inputs: Sequence[tuple[int, DataFormat]],
    output: tuple[int, DataFormat],
    config: ComputeConfig | None = None,
    arch: Arch = "wormhole",
) -> Program:
    """``inputs`` and ``output`` give tiles and format of each tensor (T0, T1, ... and OUT)."""
    tensors = [DeviceTensor(f"T{i}", f, pages, TILE_BYTES[f]) for i, (pages, f) in enumerate(inputs)]
    out = DeviceTensor("OUT", output[1], output[0], TILE_BYTES[output[1]])
    read_args = [len(inputs), *(word for t in tensors for word in (t.pages, *t.accessor_args))]
    read = Kernel(
        "read",
        (KERNELS / "pipeline_read.cpp").read_text(),
        "riscv1",
        CORES,
        noc=0,
        compile_args=tuple(read_args),
        runtime_args={(0, 0): tuple(TensorAddress(t.name) for t in tensors)},
    )
    write = Kernel(
        "write",
        (KERNELS / "pipeline_write.cpp").read_text(),
        "riscv0",
        CORES,
        noc=1,
        compile_args=(out.pages, *out.accessor_args),
        runtime_args={(0, 0): (TensorAddress("OUT"),)},
    )
    compute = Kernel("compute", source, "compute", CORES, compute=config or ComputeConfig())
    buffers = [CircularBuffer(i, t.name, t.format, t.page_bytes, t.pages, CORES) for i, t in enumerate(tensors)]
    buffers.append(CircularBuffer(OUT, "out", out.format, out.page_bytes, 2 * out.pages, CORES))
    return Program(arch, (read, write, compute), tuple(buffers), (), (*tensors, out), noc_coordinates(arch, CORES))


def run_pipeline(
    source: str,
    inputs: Sequence[tuple[np.ndarray, DataFormat]],
    output: tuple[int, DataFormat] = (1, "bf16"),
    config: ComputeConfig | None = None,
    arch: Arch = "wormhole",
    seed: int = 1,
) -> np.ndarray:
    """Tiles of the output, (tiles, 1024), each input given as (tiles, 1024) values."""
    program = pipeline_program(source, [(len(values), f) for values, f in inputs], output, config, arch)
    pages, _ = run(program, {f"T{i}": encode(values, f) for i, (values, f) in enumerate(inputs)}, seed)
    return decode(pages["OUT"], output[1])
