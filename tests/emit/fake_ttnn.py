"""A stand-in for the host library: descriptors are kept, and ``generic_op`` runs them on the emulated chip.

``modules()`` gives what ``import ttnn`` finds. Names and arguments are those of ttnn 0.81.1.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
import torch

from cpplan.emit_ttmetal.program import (
    TILE_BYTES,
    Arch,
    CircularBuffer,
    ComputeConfig,
    DataFormat,
    DeviceTensor,
    Kernel,
    Program,
    Semaphore,
    TensorAddress,
    noc_coordinates,
)
from cpplan.emulate import run
from cpplan.emulate.formats import decode, encode

FORMATS = {
    torch.bfloat16: "bf16",
    torch.float32: "fp32",
    torch.int32: "int32",
    torch.uint8: "uint8",
    "bfloat16": "bf16",
    "float32": "fp32",
    "bfloat8_b": "bfp8_b",
    "bfloat4_b": "bfp4_b",
}
BLOCKS = ("bfp8_b", "bfp4_b")


class OnDevice:
    """A tensor in DRAM, with pages in the order of device memory; its address is itself."""

    def __init__(self, tensor: torch.Tensor, is_tiled: bool, dtype: str | None) -> None:
        self.dtype, self.is_tiled = tensor.dtype, is_tiled
        self.format = cast(DataFormat, FORMATS[dtype or tensor.dtype])
        self.shape = tuple(tensor.shape)
        pages = tensor.reshape(-1, 2, 16, 2, 16).swapaxes(2, 3) if is_tiled else tensor
        self.memory = pages.contiguous().reshape(-1, 1024)
        if self.format in BLOCKS:
            assert is_tiled, "the library has block formats in tiles alone"
            self.dtype, self.memory = torch.uint8, torch.from_numpy(encode(self.memory.numpy(), self.format))

    def buffer_address(self) -> OnDevice:
        return self

    def as_bytes(self) -> np.ndarray:
        return self.memory.view(torch.uint8).numpy()

    def to_torch(self) -> torch.Tensor:
        memory = torch.from_numpy(decode(self.memory.numpy(), self.format)) if self.format in BLOCKS else self.memory
        faces = memory.reshape(-1, 2, 2, 16, 16).swapaxes(2, 3) if self.is_tiled else memory
        return faces.contiguous().reshape(self.shape)


class Record(SimpleNamespace):
    """A descriptor: its keyword arguments."""


def _program(arch: Arch, tensors: list[OnDevice], given: Record) -> tuple[Program, dict[str, OnDevice]]:
    names = {id(tensor): f"t{number}" for number, tensor in enumerate(tensors)}
    box = given.kernels[0].core_ranges
    cores = tuple((x, y) for y in range(box[0][1], box[1][1] + 1) for x in range(box[0][0], box[1][0] + 1))
    kernels = []
    for item in given.kernels:
        noc = {"reader": 0, "writer": 1}.get(item.config.kind)
        kernels.append(
            Kernel(
                name=Path(item.kernel_source).stem,
                source=Path(item.kernel_source).read_text(),
                processor={0: "riscv1", 1: "riscv0", None: "compute"}[noc],  # type: ignore[arg-type]
                cores=cores,
                noc=noc,  # type: ignore[arg-type]
                compile_args=tuple(item.compile_time_args),
                runtime_args={(x, y): tuple(args) for x, row in item.runtime_args.items() for y, args in row.items()},
                common_runtime_args=tuple(TensorAddress(names[id(t)]) for t in item.common_runtime_args),
                compute=None if noc is not None else _config(item.config),
            )
        )
    buffers = []
    for item in given.cbs:
        (form,) = item.format_descriptors
        kind = cast(DataFormat, FORMATS[form.data_format])
        pages = item.total_size // form.page_size
        buffers.append(CircularBuffer(form.buffer_index, f"cb{form.buffer_index}", kind, form.page_size, pages, cores))
    program = Program(
        arch,
        tuple(kernels),
        tuple(buffers),
        tuple(Semaphore(item.id, cores, item.initial_value) for item in given.semaphores),
        tuple(DeviceTensor(names[id(t)], t.format, len(t.memory), TILE_BYTES[t.format]) for t in tensors),
        noc_coordinates(arch, cores),
    )
    return program, {names[id(t)]: t for t in tensors}


def _config(item: Record) -> ComputeConfig:
    modes = getattr(item, "unpack_to_dest_mode", [])
    in_full = tuple(index for index, mode in enumerate(modes) if mode == "fp32")
    return ComputeConfig(
        item.math_fidelity, item.fp32_dest_acc_en, item.dst_full_sync_en, item.math_approx_mode, in_full
    )


def module(arch: Arch) -> ModuleType:
    """The library, for a chip of ``arch``."""

    def generic_op(tensors: list[OnDevice], given: Record) -> None:
        program, by_name = _program(arch, tensors, given)
        pages, _ = run(program, {name: tensor.as_bytes() for name, tensor in by_name.items()})
        for name, tensor in by_name.items():
            tensor.memory = torch.from_numpy(pages[name]).view(tensor.dtype).reshape(len(tensor.memory), -1)

    def from_torch(
        tensor: torch.Tensor, *, layout: str, device: Any, memory_config: str, dtype: str | None = None
    ) -> OnDevice:
        return OnDevice(tensor, layout == "tile", dtype)

    def accessor(tensor: OnDevice) -> SimpleNamespace:
        words = [2, TILE_BYTES[tensor.format]]
        return SimpleNamespace(get_compile_time_args=lambda: words)

    library: Any = ModuleType("ttnn")
    for name in ("KernelDescriptor", "CBDescriptor", "CBFormatDescriptor", "SemaphoreDescriptor", "ProgramDescriptor"):
        setattr(library, name, Record)
    library.ComputeConfigDescriptor = lambda **given: Record(kind="compute", **given)
    library.ReaderConfigDescriptor = lambda: Record(kind="reader")
    library.WriterConfigDescriptor = lambda: Record(kind="writer")
    library.RuntimeArgs = lambda: defaultdict(dict)
    library.CoreCoord = lambda x, y: (x, y)
    library.CoreRange = lambda first, last: (first, last)
    library.CoreRangeSet = lambda ranges: ranges[0]
    library.MathFidelity = SimpleNamespace(**{name: name for name in ("LoFi", "HiFi2", "HiFi3", "HiFi4")})
    library.UnpackToDestMode = SimpleNamespace(Default="default", UnpackToDestFp32="fp32")
    library.TensorAccessorArgs = accessor
    library.bfloat16, library.float32 = "bfloat16", "float32"
    library.bfloat8_b, library.bfloat4_b = "bfloat8_b", "bfloat4_b"
    library.TILE_LAYOUT, library.ROW_MAJOR_LAYOUT, library.DRAM_MEMORY_CONFIG = "tile", "rows", "dram"
    library.from_torch, library.to_torch, library.generic_op = from_torch, OnDevice.to_torch, generic_op
    return cast(ModuleType, library)


class Device:
    """A device that knows where its cores are."""

    def __init__(self, arch: Arch) -> None:
        self.arch = arch

    def worker_core_from_logical_core(self, core: tuple[int, int]) -> SimpleNamespace:
        ((x, y),) = noc_coordinates(self.arch, [core]).values()
        return SimpleNamespace(x=x, y=y)
