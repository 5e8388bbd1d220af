"""A schedule made a TT-Metalium program: ``emit(schedule)``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from cpplan.emit_ttmetal.arguments import core_arguments, resolved
from cpplan.emit_ttmetal.checks import check_emitted
from cpplan.emit_ttmetal.chip import arch_of, logical_cores
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.emit_ttmetal.movement.kernel import movement_source, network, tensors_moved
from cpplan.emit_ttmetal.program import (
    CB_REGION,
    CircularBuffer,
    ComputeConfig,
    Core,
    DataFormat,
    DeviceTensor,
    Kernel,
    Processor,
    Program,
    Semaphore,
    TensorAddress,
    noc_coordinates,
)
from cpplan.schedule.layouts import pages
from cpplan.schedule.schedule import Schedule, Thread
from cpplan.tile.layout import tile_bytes

PROCESSORS: dict[int, Processor] = {0: "riscv1", 1: "riscv0"}
"""Processor that drives each NoC, as the vendor's reader and writer configurations have it."""


@dataclass(frozen=True)
class ComputeKernel:
    """C++ of the compute kernel and how the unit is configured; its run-time arguments are the core's digits."""

    source: str
    config: ComputeConfig
    compile_args: tuple[int, ...] = ()


def emit(schedule: Schedule) -> Program:
    """The whole program of ``schedule``, checked.

    Raises :class:`~cpplan.errors.ScheduleError` for what a core cannot do or has no room for, and
    :class:`~cpplan.errors.InternalError` when the emitted program breaks a rule of the chip.
    """
    compute = compute_kernel(schedule)
    whole = replace(schedule, buffers=compute.buffers)
    program = assemble(whole, ComputeKernel(compute.source, compute.config))
    check_emitted(program)
    return program


def assemble(schedule: Schedule, compute: ComputeKernel) -> Program:
    """The program of ``schedule`` with a given compute kernel, not yet checked (:mod:`cpplan.emit_ttmetal.checks`)."""
    arch = arch_of(schedule.device)
    places = logical_cores(schedule.device, schedule.digits)
    cores = tuple(sorted(places.values(), key=lambda core: (core[1], core[0])))
    moving = tuple(_movement(schedule, thread) for thread in schedule.threads if thread.name != "compute")
    kernels = (*moving, _compute(schedule, compute))
    return Program(
        arch=arch,
        kernels=tuple(replace(kernel, cores=cores) for kernel in kernels),
        buffers=_buffers(schedule, cores, CB_REGION[arch][0]),
        semaphores=tuple(Semaphore(number, cores) for number in range(schedule.semaphores)),
        tensors=device_tensors(schedule),
        noc_coordinates=noc_coordinates(arch, cores),
    )


def device_tensors(schedule: Schedule) -> tuple[DeviceTensor, ...]:
    """Every layout of every tensor as the program finds it in DRAM."""
    return tuple(
        DeviceTensor(item.name, cast(DataFormat, item.format), pages(item), tile_bytes(item.format))
        for item in schedule.layouts
    )


def _movement(schedule: Schedule, thread: Thread) -> Kernel:
    noc = network(thread)
    accessors = {tensor.name: tensor.accessor_args for tensor in device_tensors(schedule)}
    moved = tensors_moved(schedule, noc)
    return Kernel(
        name=f"move_{thread.name}",
        source=movement_source(schedule, thread),
        processor=PROCESSORS[noc],
        cores=(),
        noc=cast(Literal[0, 1], noc),
        compile_args=tuple(word for name in moved for word in accessors[name]),
        runtime_args=_arguments(schedule, noc),
        common_runtime_args=tuple(TensorAddress(name) for name in moved),
    )


def _compute(schedule: Schedule, compute: ComputeKernel) -> Kernel:
    return Kernel(
        name="compute",
        source=compute.source,
        processor="compute",
        cores=(),
        compile_args=compute.compile_args,
        runtime_args=_arguments(schedule, None),
        compute=compute.config,
    )


def _arguments(schedule: Schedule, noc: int | None) -> dict[Core, tuple[int, ...]]:
    places = logical_cores(schedule.device, schedule.digits)
    on_noc = noc_coordinates(arch_of(schedule.device), places.values())
    coordinates = {core: on_noc[place] for core, place in places.items()}
    return {places[core]: resolved(args, coordinates) for core, args in core_arguments(schedule, noc).items()}


def _buffers(schedule: Schedule, cores: tuple[Core, ...], first: int) -> tuple[CircularBuffer, ...]:
    return tuple(
        CircularBuffer(
            index=b.index,
            name=b.name,
            format=cast(DataFormat, b.format),
            page_bytes=b.page_bytes,
            pages=b.pages * b.slots,
            cores=cores,
            address=first + b.offset,
        )
        for b in schedule.buffers
    )
