"""A TT-Metalium program as plain data: what a host script hands to ``ttnn.generic_op``, and nothing else.

The emitter builds a ``Program``; the type check, the emulation and the host script read the same one. Cores are logical
(x, y) as in ``ttnn.CoreCoord``; kernels address each other by NoC coordinates, which ``Program.noc_coordinates`` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Arch = Literal["wormhole", "blackhole"]
Processor = Literal["riscv0", "riscv1", "compute"]
"""riscv0 (BRISC) conventionally writes on NoC 1, riscv1 (NCRISC) reads on NoC 0; compute is the three TRISC threads."""

DataFormat = Literal["fp32", "bf16", "fp16", "bfp8_b", "bfp4_b", "int32", "uint32", "uint16", "uint8"]
MathFidelity = Literal["LoFi", "HiFi2", "HiFi3", "HiFi4"]
Core = tuple[int, int]

FORMAT_CODES: Mapping[DataFormat, int] = MappingProxyType(
    {"fp32": 0, "fp16": 1, "bf16": 5, "bfp8_b": 6, "bfp4_b": 7, "int32": 8, "uint16": 9, "uint32": 24, "uint8": 30}
)
"""``tt::DataFormat`` values (source: hostdevcommon/tensor_types.hpp of ttnn 0.81.1)."""

TILE_BYTES: Mapping[DataFormat, int] = MappingProxyType(
    {
        "fp32": 4096,
        "bf16": 2048,
        "fp16": 2048,
        "bfp8_b": 1088,
        "bfp4_b": 576,
        "int32": 4096,
        "uint32": 4096,
        "uint16": 2048,
        "uint8": 1024,
    }
)
"""Bytes of a 32x32 tile; the block formats carry one shared exponent byte per 16 values (source: tt_metal/api)."""

CB_REGION: Mapping[Arch, tuple[int, int]] = MappingProxyType(
    {"wormhole": (105_824, 1_499_136), "blackhole": (111_744, 1_572_864)}
)
"""First L1 byte that circular buffers may take and the end of L1 (source: ``ttnn.get_memory_view`` of ttnn 0.81.1)."""

DRAM_BANKS: Mapping[Arch, int] = MappingProxyType({"wormhole": 12, "blackhole": 8})
DRAM_ALIGNMENT: Mapping[Arch, int] = MappingProxyType({"wormhole": 32, "blackhole": 64})
"""Bytes: the alignment of DRAM reads, of pages in a bank and of circular buffers (source: noc_parameters.h)."""

MAX_BUFFERS: Mapping[Arch, int] = MappingProxyType({"wormhole": 32, "blackhole": 64})
MAX_SEMAPHORES = 16
MAX_RUNTIME_ARGS = 341
"""Per kernel and core, per-core and common arguments together (source: get_arg_val in dataflow_api.h)."""


@dataclass(frozen=True)
class TensorAddress:
    """A run-time argument that the host fills in: the DRAM base address of a tensor of the program."""

    tensor: str


RuntimeArg = int | TensorAddress


@dataclass(frozen=True)
class ComputeConfig:
    """``ttnn.ComputeConfigDescriptor``; ``copy_tile`` brings buffers of ``unpack_to_dest_fp32`` to DST in full."""

    math_fidelity: MathFidelity = "HiFi4"
    fp32_dest_acc: bool = False
    dst_full_sync: bool = False
    approx: bool = False
    unpack_to_dest_fp32: tuple[int, ...] = ()

    @property
    def dst_tiles(self) -> int:
        """Tiles that DST holds in one phase: 16, halved by 32-bit data and by half sync (source: tt-llk)."""
        return 16 >> self.fp32_dest_acc >> (not self.dst_full_sync)


@dataclass(frozen=True)
class Kernel:
    """One kernel on a set of cores. ``noc`` is None for compute, ``compute`` is None for data movement.

    ``runtime_args`` has one entry per core of ``cores``; values are 32-bit words. ``source`` is the C++ text itself.
    """

    name: str
    source: str
    processor: Processor
    cores: tuple[Core, ...]
    noc: Literal[0, 1] | None = None
    compile_args: tuple[int, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    runtime_args: Mapping[Core, tuple[RuntimeArg, ...]] = field(default_factory=dict)
    common_runtime_args: tuple[RuntimeArg, ...] = ()
    compute: ComputeConfig | None = None


@dataclass(frozen=True)
class CircularBuffer:
    """``pages`` pages of ``page_bytes`` at one L1 address on all of ``cores``; None leaves ``address`` to the host."""

    index: int
    name: str
    format: DataFormat
    page_bytes: int
    pages: int
    cores: tuple[Core, ...]
    address: int | None = None

    @property
    def size(self) -> int:
        """Bytes of L1 per core."""
        return self.page_bytes * self.pages


@dataclass(frozen=True)
class Semaphore:
    """An L1 word that starts at ``initial`` on each of ``cores``; ``get_semaphore(id)`` is its address."""

    id: int
    cores: tuple[Core, ...]
    initial: int = 0


@dataclass(frozen=True)
class DeviceTensor:
    """An interleaved DRAM tensor of ``pages`` pages of ``page_bytes`` bytes (tiles, unless it is row-major)."""

    name: str
    format: DataFormat
    pages: int
    page_bytes: int

    @property
    def accessor_args(self) -> tuple[int, int]:
        """Compile-time words that ``TensorAccessorArgs<N>`` reads: flags (bit 1 is DRAM) and bytes of a page."""
        return (2, self.page_bytes)


@dataclass(frozen=True)
class Program:
    """A whole program. ``noc_coordinates`` maps each logical core to the (x, y) that kernels use on the NoC."""

    arch: Arch
    kernels: tuple[Kernel, ...]
    buffers: tuple[CircularBuffer, ...]
    semaphores: tuple[Semaphore, ...]
    tensors: tuple[DeviceTensor, ...]
    noc_coordinates: Mapping[Core, Core]

    @property
    def cores(self) -> tuple[Core, ...]:
        """Logical cores that run any kernel, row by row."""
        return tuple(sorted({core for kernel in self.kernels for core in kernel.cores}, key=lambda c: (c[1], c[0])))

    def kernel_buffers(self, kernel: Kernel) -> dict[int, CircularBuffer]:
        """Buffers that any core of the kernel holds, by index; the first listed wins, as in the vendor's JIT."""
        cores = frozenset(kernel.cores)
        found: dict[int, CircularBuffer] = {}
        for buffer in self.buffers:
            if not cores.isdisjoint(buffer.cores):
                found.setdefault(buffer.index, buffer)
        return found


def noc_coordinates(arch: Arch, cores: Iterable[Core]) -> dict[Core, Core]:
    """NoC coordinates of logical cores, the same on both NoCs (source: ``device.worker_core_from_logical_core``).

    Wormhole counts on from (18, 18). Blackhole's columns are x = 1..7 and 10..16, rows start at y = 2; harvested
    columns are moved to the end, so a smaller grid is a prefix.
    """
    if arch == "wormhole":
        return {(x, y): (18 + x, 18 + y) for x, y in cores}
    return {(x, y): (x + 1 if x < 7 else x + 3, y + 2) for x, y in cores}
