"""Rules of a program description that hold before anything runs; the vendor's host runtime checks only some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cpplan.emit_ttmetal.program import (
    MAX_BUFFERS,
    MAX_RUNTIME_ARGS,
    MAX_SEMAPHORES,
    Kernel,
    Program,
    TensorAddress,
)
from cpplan.emulate.faults import ProgramFault


def check_program(program: Program) -> None:
    """Raises ProgramFault with every broken rule, one a line."""
    problems = [*_places(program), *_kernels(program), *_buffers(program), *_semaphores(program), *_tensors(program)]
    if problems:
        raise ProgramFault("the program breaks rules of the chip:\n  " + "\n  ".join(problems))


def _places(program: Program) -> Iterator[str]:
    used = {core for kernel in program.kernels for core in kernel.cores}
    used |= {core for buffer in program.buffers for core in buffer.cores}
    used |= {core for semaphore in program.semaphores for core in semaphore.cores}
    for core in sorted(used - program.noc_coordinates.keys()):
        yield f"core {core} has no NoC coordinate"
    for place, count in Counter(program.noc_coordinates.values()).items():
        if count > 1:
            yield f"NoC coordinate {place} belongs to {count} cores"


def _kernels(program: Program) -> Iterator[str]:
    if not program.kernels:
        yield "there is no kernel"
    taken = Counter((kernel.processor, core) for kernel in program.kernels for core in kernel.cores)
    for (processor, core), count in taken.items():
        if count > 1:
            yield f"{count} kernels share processor {processor} of core {core}"
    nocs = Counter((kernel.noc, core) for kernel in program.kernels if kernel.noc is not None for core in kernel.cores)
    for (noc, core), count in nocs.items():
        if count > 1:
            yield f"both data-movement kernels of core {core} use NoC {noc}"
    for kernel in program.kernels:
        yield from _kernel(program, kernel)


def _kernel(program: Program, kernel: Kernel) -> Iterator[str]:
    moves = kernel.processor != "compute"
    if not kernel.cores:
        yield f"{kernel.name}: runs on no core"
    if moves == (kernel.noc is None):
        yield f"{kernel.name}: a data-movement kernel names its NoC, a compute kernel none"
    if moves and kernel.compute is not None:
        yield f"{kernel.name}: a data-movement kernel has no compute configuration"
    for core in sorted(kernel.runtime_args.keys() - set(kernel.cores)):
        yield f"{kernel.name}: run-time arguments for core {core}, where it does not run"
    longest = max((len(args) for args in kernel.runtime_args.values()), default=0) + len(kernel.common_runtime_args)
    if longest > MAX_RUNTIME_ARGS:
        yield f"{kernel.name}: {longest} run-time arguments, at most {MAX_RUNTIME_ARGS}"
    for argument in {*kernel.common_runtime_args, *(a for args in kernel.runtime_args.values() for a in args)}:
        if not isinstance(argument, TensorAddress) and not -(1 << 31) <= argument < 1 << 32:
            yield f"{kernel.name}: run-time argument {argument} does not fit 32 bits"
    for argument in kernel.compile_args:
        if not -(1 << 31) <= argument < 1 << 32:
            yield f"{kernel.name}: compile-time argument {argument} does not fit 32 bits"
    if kernel.compute is not None:
        formats = {buffer.index: buffer.format for buffer in program.buffers}
        for index in kernel.compute.unpack_to_dest_fp32:
            if formats.get(index) != "fp32" or not kernel.compute.fp32_dest_acc:
                yield f"{kernel.name}: unpack_to_dest_fp32 of buffer {index} needs an fp32 buffer and fp32_dest_acc"


def _buffers(program: Program) -> Iterator[str]:
    for buffer in program.buffers:
        name = f"buffer {buffer.index} ({buffer.name})"
        if not 0 <= buffer.index < MAX_BUFFERS[program.arch]:
            yield f"{name}: indices run from 0 to {MAX_BUFFERS[program.arch] - 1}"
        if buffer.page_bytes <= 0 or buffer.page_bytes % 16 or buffer.pages <= 0:
            yield f"{name}: {buffer.pages} pages of {buffer.page_bytes} bytes (a page is a multiple of 16 bytes)"
        if buffer.address is not None and buffer.address % 16:
            yield f"{name}: address {buffer.address} is not a multiple of 16"
    for (index, core), count in Counter((b.index, core) for b in program.buffers for core in b.cores).items():
        if count > 1:
            yield f"buffer {index} is configured {count} times on core {core}"


def _semaphores(program: Program) -> Iterator[str]:
    for semaphore in program.semaphores:
        if not 0 <= semaphore.id < MAX_SEMAPHORES:
            yield f"semaphore {semaphore.id}: ids run from 0 to {MAX_SEMAPHORES - 1}"
    for (id, core), count in Counter((s.id, core) for s in program.semaphores for core in s.cores).items():
        if count > 1:
            yield f"semaphore {id} exists {count} times on core {core}"


def _tensors(program: Program) -> Iterator[str]:
    for name, count in Counter(tensor.name for tensor in program.tensors).items():
        if count > 1:
            yield f"{count} tensors are called {name}"
        if any(c.isspace() for c in name):
            yield f"tensor name {name!r} holds white space"
    for tensor in program.tensors:
        if tensor.pages <= 0 or tensor.page_bytes <= 0:
            yield f"tensor {tensor.name}: {tensor.pages} pages of {tensor.page_bytes} bytes"
