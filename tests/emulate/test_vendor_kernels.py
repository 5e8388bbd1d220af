"""Matmul kernels of the vendor, unchanged: they pass the type check and give the right product in the emulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cpplan.emit_ttmetal.program import (
    Arch,
    CircularBuffer,
    ComputeConfig,
    DeviceTensor,
    Kernel,
    Program,
    TensorAddress,
    noc_coordinates,
)
from cpplan.emulate import run
from cpplan.emulate.formats import matrix_pages, pages_matrix, round_bf16
from cpplan.typecheck import check
from cpplan.typecheck.wheel import headers

pytestmark = pytest.mark.vendor
KERNELS = "ttnn/cpp/ttnn/operations/matmul/device/kernels"
ROWS, COLUMNS, DEPTH = 3, 2, 4
CORES = ((0, 0), (1, 0), (0, 1))


def vendor_matmul(root: Path, arch: Arch) -> Program:
    """Each core multiplies one row of tiles of A with all of B, a tile at a time."""
    source = {
        name: (root / KERNELS / folder / f"{name}.cpp").read_text()
        for folder, name in (
            ("dataflow", "reader_bmm_8bank_output_tiles_partitioned"),
            ("dataflow", "writer_bmm_tile_layout"),
            ("compute", "bmm"),
        )
    }
    a, b, c = (
        DeviceTensor("A", "bf16", ROWS * DEPTH, 2048),
        DeviceTensor("B", "bf16", DEPTH * COLUMNS, 2048),
        DeviceTensor("C", "bf16", ROWS * COLUMNS, 2048),
    )
    names = {"KERNEL_COMPILE_TIME_ARG_MAP": '{"cb_in0", 0}, {"cb_in1", 1}, {"cb_out", 16}'}
    addresses = (TensorAddress("A"), TensorAddress("B"))
    sizes = (ROWS, DEPTH, COLUMNS, ROWS * DEPTH, DEPTH * COLUMNS, 1, 0)
    first = {core: i * COLUMNS for i, core in enumerate(CORES)}
    read = Kernel(
        "reader",
        source["reader_bmm_8bank_output_tiles_partitioned"],
        "riscv1",
        CORES,
        noc=0,
        compile_args=(0, 0, *a.accessor_args, *b.accessor_args),
        defines=names,
        runtime_args={core: (*addresses, *sizes, first[core], COLUMNS, ROWS * COLUMNS) for core in CORES},
    )
    steps = (1, COLUMNS, 1, COLUMNS, 1, 1, 1, COLUMNS, 1, ROWS * COLUMNS, 1)
    write = Kernel(
        "writer",
        source["writer_bmm_tile_layout"],
        "riscv0",
        CORES,
        noc=1,
        compile_args=c.accessor_args,
        defines=names,
        runtime_args={core: (TensorAddress("C"), first[core], *steps) for core in CORES},
    )
    multiply = Kernel(
        "bmm",
        source["bmm"],
        "compute",
        CORES,
        compile_args=(1, 1, DEPTH, COLUMNS),
        defines=names,
        compute=ComputeConfig(fp32_dest_acc=True),
    )
    buffers = tuple(
        CircularBuffer(i, name, "bf16", 2048, 2, CORES) for i, name in ((0, "in0"), (1, "in1"), (16, "out"))
    )
    return Program(arch, (read, write, multiply), buffers, (), (a, b, c), noc_coordinates(arch, CORES))


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_vendor_matmul_passes_the_type_check(arch: Arch) -> None:
    assert check(vendor_matmul(headers(), arch)) == ()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_vendor_matmul_gives_the_product(arch: Arch, seed: int) -> None:
    root = headers()
    draw = np.random.default_rng(6)
    a = round_bf16(draw.standard_normal((32 * ROWS, 32 * DEPTH)).astype(np.float32))
    b = round_bf16(draw.standard_normal((32 * DEPTH, 32 * COLUMNS)).astype(np.float32))
    include = (root / "ttnn" / "cpp", root / "tt_metal" / "api")
    pages, _ = run(
        vendor_matmul(root, arch), {"A": matrix_pages(a, "bf16"), "B": matrix_pages(b, "bf16")}, seed, include=include
    )
    np.testing.assert_allclose(pages_matrix(pages["C"], "bf16", 32 * ROWS, 32 * COLUMNS), a @ b, rtol=8e-3, atol=0.02)
