"""The text that tells the compiled machine what to run; device/machine/main.cpp reads it line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cpplan.emit_ttmetal.program import (
    DRAM_ALIGNMENT,
    DRAM_BANKS,
    FORMAT_CODES,
    ComputeConfig,
    Core,
    Kernel,
    Program,
)
from cpplan.emulate.layout import argument_word, buffer_addresses, tensor_addresses

ROLES = {"riscv0": 0, "riscv1": 1, "compute": 2}
FIDELITY_PHASES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


def describe(program: Program, objects: Mapping[int, Path], files: Mapping[str, tuple[Path, bool]], seed: int) -> str:
    """``files`` gives each tensor's file and whether it holds data; the machine writes results to the same files."""
    return "\n".join(_lines(program, objects, files, seed)) + "\n"


def _lines(
    program: Program, objects: Mapping[int, Path], files: Mapping[str, tuple[Path, bool]], seed: int
) -> Iterator[str]:
    arch, addresses = program.arch, tensor_addresses(program)
    yield f"chip {int(arch == 'blackhole')} {DRAM_BANKS[arch]} {DRAM_ALIGNMENT[arch]} {seed}"
    index = {core: i for i, core in enumerate(_active_cores(program))}
    for core, place in program.noc_coordinates.items():
        if core not in index:
            yield f"idle {place[0]} {place[1]}"
    for core in index:
        x, y = program.noc_coordinates[core]
        yield f"core {core[0]} {core[1]} {x} {y}"
    for buffer, address in zip(program.buffers, buffer_addresses(program), strict=True):
        head = f"{buffer.index} {FORMAT_CODES[buffer.format]} {buffer.page_bytes} {buffer.pages} {address}"
        yield f"buffer {head} {_list(index[core] for core in buffer.cores)} {buffer.name}"
    for semaphore in program.semaphores:
        yield f"semaphore {semaphore.id} {semaphore.initial} {_list(index[core] for core in semaphore.cores)}"
    for tensor in program.tensors:
        path, given = files[tensor.name]
        yield (f"tensor {addresses[tensor.name]} {tensor.page_bytes} {tensor.pages} {int(given)} {tensor.name} {path}")
    for i, kernel in enumerate(program.kernels):
        yield from _kernel(kernel, objects[i], index, addresses)


def _kernel(kernel: Kernel, binary: Path, index: Mapping[Core, int], addresses: Mapping[str, int]) -> Iterator[str]:
    compute = kernel.compute or ComputeConfig()
    full = sum(1 << i for i in compute.unpack_to_dest_fp32)
    flags = f"{int(compute.fp32_dest_acc)} {int(compute.dst_full_sync)} {FIDELITY_PHASES[compute.math_fidelity]} {full}"
    yield f"kernel {ROLES[kernel.processor]} {kernel.noc or 0} {flags} {kernel.name}"
    yield f"object {binary}"
    yield f"common {_list(argument_word(argument, addresses) for argument in kernel.common_runtime_args)}"
    for core in kernel.cores:
        arguments = kernel.runtime_args.get(core, ())
        yield f"run {index[core]} {_list(argument_word(argument, addresses) for argument in arguments)}"


def _active_cores(program: Program) -> Sequence[Core]:
    """Cores that hold anything, in the order of the coordinates' listing."""
    active = {core for kernel in program.kernels for core in kernel.cores}
    active |= {core for buffer in program.buffers for core in buffer.cores}
    active |= {core for semaphore in program.semaphores for core in semaphore.cores}
    return [core for core in program.noc_coordinates if core in active]


def _list(values: Iterator[int]) -> str:
    items = list(values)
    return " ".join(map(str, [len(items), *items]))
