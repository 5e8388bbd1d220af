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
    Semaphore,
    TensorAddress,
    noc_coordinates,
)
from cpplan.emulate import run
from cpplan.emulate.formats import matrix_pages, pages_matrix, round_bf16
from cpplan.typecheck import check
from cpplan.typecheck.wheel import headers

pytestmark = pytest.mark.vendor
OWN_KERNELS = Path(__file__).parent / "kernels"
KERNELS = "ttnn/cpp/ttnn/operations/matmul/device/kernels"
ROWS, COLUMNS, DEPTH = 3, 2, 4
CORES = ((0, 0), (1, 0), (0, 1))


def sources(root: Path, *names: str) -> dict[str, str]:
    found = {path.stem: path for folder in ("dataflow", "compute") for path in (root / KERNELS / folder).glob("*.cpp")}
    return {name: found[name].read_text() for name in names}


def named(**indices: int) -> dict[str, str]:
    """The define behind get_named_compile_time_arg_val."""
    return {"KERNEL_COMPILE_TIME_ARG_MAP": ", ".join(f'{{"{name}", {index}}}' for name, index in indices.items())}


def vendor_matmul(root: Path, arch: Arch) -> Program:
    """Each core multiplies one row of tiles of A with all of B, a tile at a time."""
    source = sources(root, "reader_bmm_8bank_output_tiles_partitioned", "writer_bmm_tile_layout", "bmm")
    a, b, c = (
        DeviceTensor("A", "bf16", ROWS * DEPTH, 2048),
        DeviceTensor("B", "bf16", DEPTH * COLUMNS, 2048),
        DeviceTensor("C", "bf16", ROWS * COLUMNS, 2048),
    )
    names = named(cb_in0=0, cb_in1=1, cb_out=16)
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


ROW = ((0, 0), (1, 0), (2, 0))
BLOCKS, BLOCK_DEPTH = 4, 2


def vendor_multicast_matmul(root: Path, arch: Arch) -> Program:
    """Core (0, 0) multicasts blocks of A along a row of cores; each core multiplies them with its columns of B.

    Sender, receivers and compute are the vendor's; the kernel that reads B and writes C is ours.
    """
    source = sources(
        root,
        "reader_bmm_tile_layout_in0_sender_padding",
        "reader_bmm_tile_layout_in0_receiver",
        "bmm_large_block_zm",
    )
    depth, width = BLOCKS * BLOCK_DEPTH, len(ROW) * COLUMNS
    a, b, c = (
        DeviceTensor("A", "bf16", ROWS * depth, 2048),
        DeviceTensor("B", "bf16", depth * width, 2048),
        DeviceTensor("C", "bf16", ROWS * width, 2048),
    )
    place = noc_coordinates(arch, ROW)
    block = ROWS * BLOCK_DEPTH
    receivers = len(ROW) - 1
    sender_args = (1, depth, BLOCK_DEPTH, 0, BLOCK_DEPTH, ROWS, block, 0, 0, 0, 0, 0, BLOCKS, 1, 1)
    sender_args += (0, 1, receivers, receivers, 0, 1, 1, 0, 0, 0, 0, 0, 0, *a.accessor_args, 2, 32, 1)
    corners = (*place[ROW[1]], *place[ROW[-1]])
    send = Kernel(
        "sender",
        source["reader_bmm_tile_layout_in0_sender_padding"],
        "riscv1",
        ROW[:1],
        noc=0,
        compile_args=sender_args,
        defines=named(cb_in0=0, cb_sparsity=4, num_active=0),
        runtime_args={ROW[0]: (TensorAddress("A"), 0, *corners, ROWS, 0)},
    )
    receive = Kernel(
        "receiver",
        source["reader_bmm_tile_layout_in0_receiver"],
        "riscv1",
        ROW[1:],
        noc=0,
        compile_args=(block, BLOCKS, 1, 1, 0, 1, 1, 0),
        defines=named(cb_in0=0),
        runtime_args={core: place[ROW[0]] for core in ROW[1:]},
    )
    own = Kernel(
        "read_b_write_c",
        (OWN_KERNELS / "gemm_read_b_write_c.cpp").read_text(),
        "riscv0",
        ROW,
        noc=1,
        compile_args=(1, 3, ROWS, COLUMNS, BLOCK_DEPTH, BLOCKS, width, 0, *b.accessor_args, *c.accessor_args),
        runtime_args={
            core: (TensorAddress("B"), TensorAddress("C"), 0, core[0] * COLUMNS, 1, 0, 0, 0, 0, 0, 0) for core in ROW
        },
    )
    multiply = Kernel(
        "bmm_large_block_zm",
        source["bmm_large_block_zm"],
        "compute",
        ROW,
        compile_args=(
            *(BLOCK_DEPTH, ROWS, block, BLOCK_DEPTH, 1, BLOCK_DEPTH * COLUMNS),
            *(COLUMNS, BLOCKS, 1, COLUMNS, COLUMNS, 1),
        ),
        defines=named(cb_in0=0, cb_in1=1, cb_intermed0=2, cb_out=3),
        compute=ComputeConfig(),
    )
    pages = {0: ("in0", 2 * block), 1: ("in1", 2 * BLOCK_DEPTH * COLUMNS)}
    pages |= {2: ("intermed0", ROWS * COLUMNS), 3: ("out", ROWS * COLUMNS)}
    return Program(
        arch,
        (send, receive, own, multiply),
        tuple(CircularBuffer(i, name, "bf16", 2048, count, ROW) for i, (name, count) in pages.items()),
        tuple(Semaphore(i, ROW) for i in range(4)),
        (a, b, c),
        place,
    )


PROGRAMS = {"a tile at a time": vendor_matmul, "multicast": vendor_multicast_matmul}


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_vendor_matmul_passes_the_type_check(name: str, arch: Arch) -> None:
    assert check(PROGRAMS[name](headers(), arch)) == ()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_vendor_matmul_gives_the_product(name: str, arch: Arch, seed: int) -> None:
    """No rule of the emulation objects to the vendor's own idioms, and the product is right."""
    root = headers()
    program = PROGRAMS[name](root, arch)
    tiles = {tensor.name: tensor.pages for tensor in program.tensors}
    k = 32 * tiles["A"] // ROWS
    n = 32 * 32 * tiles["B"] // k
    draw = np.random.default_rng(6)
    a = round_bf16(draw.standard_normal((32 * ROWS, k)).astype(np.float32))
    b = round_bf16(draw.standard_normal((k, n)).astype(np.float32))
    include = (root / "ttnn" / "cpp", root / "tt_metal" / "api")
    pages, _ = run(program, {"A": matrix_pages(a, "bf16"), "B": matrix_pages(b, "bf16")}, seed, include=include)
    expected = a @ b
    assert np.abs(pages_matrix(pages["C"], "bf16", *expected.shape) - expected).max() < 0.012 * np.abs(expected).max()
