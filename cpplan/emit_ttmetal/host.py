"""The host script of a program: Python that hands it to ``ttnn.generic_op`` and brings tensors there and back.

The script names cores by their logical coordinates and asks the device where they are on the NoC. It prepares tensors
with :mod:`cpplan.emit_ttmetal.pages`, as the emulation does.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from cpplan.emit_ttmetal.arguments import Argument, OnNoc, argument_words, core_arguments, semaphore_words
from cpplan.emit_ttmetal.chip import logical_cores
from cpplan.emit_ttmetal.program import Core, Kernel, Program, TensorAddress
from cpplan.emit_ttmetal.roles import role
from cpplan.errors import ScheduleError
from cpplan.schedule.schedule import Coordinate, Schedule, TensorLayout
from cpplan.tile.stored import block_formats
from cpplan.version import __version__

TTNN_TYPES = {
    "fp32": "float32", "bf16": "bfloat16", "int32": "int32", "uint32": "uint32", "uint16": "uint16", "uint8": "uint8",
    "bfp8_b": "bfloat8_b", "bfp4_b": "bfloat4_b",
}  # fmt: skip
"""Formats that tensors of the host library have."""

HEAD = '''\
"""{kernel} on {device}, planned and emitted by cpplan {version}.

    from host import run
    results = run(ttnn.open_device(device_id=0), tensors)

{tensors}
"""

from pathlib import Path

import torch
import ttnn

from cpplan.emit_ttmetal.pages import from_pages, to_pages
from cpplan.schedule.schedule import Axis, TensorLayout

KERNELS = Path(__file__).parent / "kernels"

# fmt: off
'''

BODY = '''\
# fmt: on


def core_range():
    """All cores in use."""
    first, last = (ttnn.CoreCoord(*corner) for corner in GRID)
    return ttnn.CoreRangeSet([ttnn.CoreRange(first, last)])


def words(device, arguments):
    """Run-time arguments of a core; (x, y) stands for the NoC coordinates of that logical core."""
    for argument in arguments:
        if isinstance(argument, tuple):
            place = device.worker_core_from_logical_core(ttnn.CoreCoord(*argument))
            yield from (place.x, place.y)
        else:
            yield argument


def data_movement(noc):
    """NCRISC drives NoC 0, BRISC NoC 1."""
    return ttnn.ReaderConfigDescriptor() if noc == 0 else ttnn.WriterConfigDescriptor()


def compute():
    """Configuration of the compute unit."""
    config = ttnn.ComputeConfigDescriptor(
        math_fidelity=getattr(ttnn.MathFidelity, COMPUTE["fidelity"]),
        math_approx_mode=COMPUTE["approx"],
        fp32_dest_acc_en=COMPUTE["fp32_dest_acc"],
        dst_full_sync_en=COMPUTE["dst_full_sync"],
    )
    if COMPUTE["unpack_to_dest_fp32"]:
        modes = [ttnn.UnpackToDestMode.Default] * 64
        for index in COMPUTE["unpack_to_dest_fp32"]:
            modes[index] = ttnn.UnpackToDestMode.UnpackToDestFp32
        config.unpack_to_dest_mode = modes
    return config


def kernel(device, name, noc, on_device):
    """One kernel with its arguments."""
    accessed, per_core = ACCESSED[name], ttnn.RuntimeArgs()
    for (x, y), arguments in ARGUMENTS[name].items():
        per_core[x][y] = list(words(device, arguments))
    accessors = [ttnn.TensorAccessorArgs(on_device[tensor]).get_compile_time_args() for tensor in accessed]
    return ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / f"{name}.cpp"),
        core_ranges=core_range(),
        compile_time_args=[word for words_of_one in accessors for word in words_of_one],
        runtime_args=per_core,
        common_runtime_args=[on_device[tensor].buffer_address() for tensor in accessed],
        config=compute() if noc is None else data_movement(noc),
    )


def program(device, on_device):
    """The descriptor of the whole program; circular buffers are laid out in this order."""
    buffers = [
        ttnn.CBDescriptor(
            total_size=page_bytes * pages,
            core_ranges=core_range(),
            format_descriptors=[
                ttnn.CBFormatDescriptor(buffer_index=index, data_format=getattr(ttnn, kind), page_size=page_bytes)
            ],
        )
        for index, kind, page_bytes, pages in BUFFERS
    ]
    semaphores = [
        ttnn.SemaphoreDescriptor(id=number, core_ranges=core_range(), initial_value=0) for number in range(SEMAPHORES)
    ]
    kernels = [kernel(device, name, noc, on_device) for name, noc in NOC_OF_KERNEL.items()]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=buffers)


def to_device(device, tensor, layout):
    """A tensor as pages in DRAM: hardware tiles, or runs of 1,024 elements."""
    shape, strides = TENSORS[layout.tensor]
    array = torch.as_strided(tensor, shape, strides)
    array = array.float().numpy() if tensor.is_floating_point() else array.numpy()
    in_blocks = STORED_AS.get(layout.tensor)
    pages = torch.from_numpy(to_pages(array, layout)).to(torch.float32 if in_blocks else tensor.dtype)
    return ttnn.from_torch(
        pages if layout.in_runs else pages.reshape(-1, 32),
        dtype=getattr(ttnn, in_blocks) if in_blocks else None,
        layout=ttnn.ROW_MAJOR_LAYOUT if layout.in_runs else ttnn.TILE_LAYOUT,
        device=device,
        memory_config=ttnn.DRAM_MEMORY_CONFIG,
    )


def from_device(on_device, like, layout):
    """The tensor that the pages in DRAM hold."""
    pages = ttnn.to_torch(on_device).reshape(-1, 1024)
    shape, strides = TENSORS[layout.tensor]
    pages = pages.float().numpy() if like.is_floating_point() else pages.numpy()
    result = like.clone()
    torch.as_strided(result, shape, strides).copy_(torch.from_numpy(from_pages(pages, layout, shape)))
    return result


def run(device, tensors):
    """The tensors that the kernel writes, by name."""
    on_device = {layout.name: to_device(device, tensors[layout.tensor], layout) for layout in LAYOUTS}
    ttnn.generic_op(list(on_device.values()), program(device, on_device))
    written = [layout for layout in LAYOUTS if layout.tensor in WRITTEN]
    return {item.tensor: from_device(on_device[item.name], tensors[item.tensor], item) for item in written}
'''


def host_script(schedule: Schedule, program: Program) -> str:
    """Python text; its kernels are ``kernels/<name>.cpp`` beside it.

    Raises :class:`~cpplan.errors.ScheduleError` for element types that tensors of the host library do not have.
    """
    for tensor in program.tensors:
        if tensor.format not in TTNN_TYPES:
            raise ScheduleError(
                f"{schedule.program.source}: tensor {tensor.name} has elements of {tensor.format}, which tensors of "
                f"ttnn do not: {', '.join(TTNN_TYPES)} they do"
            )
    for buffer in program.buffers:
        if buffer.format not in TTNN_TYPES:
            raise ScheduleError(
                f"{schedule.program.source}: {buffer.name} is kept in {buffer.format}, which circular buffers of ttnn "
                "do not hold: let the kernel compute it in bf16 or fp32"
            )
    head = HEAD.format(
        kernel=schedule.program.name, device=schedule.device.name, version=__version__, tensors=_about(schedule)
    )
    return head + "\n".join([*_tables(schedule, program), BODY])


def _about(schedule: Schedule) -> str:
    """Who takes and returns what."""
    tensors = schedule.program.tensors
    names = ", ".join(tensor.name for tensor in tensors)
    written = ", ".join(tensor.name for tensor in tensors if schedule.program.is_written(tensor.name))
    return textwrap.fill(
        f"takes the torch tensors {names} by name, in the memory layout of the kernel's launch, and returns those that "
        f"the kernel writes: {written}.",
        width=120,
    )


def _tables(schedule: Schedule, program: Program) -> Iterator[str]:
    cores = program.cores
    yield f"GRID = ({cores[0]}, {cores[-1]})  # first and last core"
    yield f"SEMAPHORES = {len(program.semaphores)}"
    for number, words in enumerate(semaphore_words(schedule)):
        yield f"# {number}: {words}"
    yield "BUFFERS = ["
    yield "    # index, format, bytes of a page, pages"
    for buffer in program.buffers:
        kind = TTNN_TYPES.get(buffer.format, buffer.format)
        words = f"{buffer.name}: {role(schedule, buffer.name)}"
        yield f'    ({buffer.index}, "{kind}", {buffer.page_bytes}, {buffer.pages}),  # {words}'
    yield "]"
    yield "TENSORS = {"
    yield "    # shape and strides, in elements"
    for tensor in schedule.program.tensors:
        yield f'    "{tensor.name}": ({tensor.shape}, {tensor.strides}),'
    yield "}"
    stored = ", ".join(f'"{name}": "{TTNN_TYPES[f]}"' for name, f in block_formats(schedule.program).items())
    yield f"STORED_AS = {{{stored}}}  # tensors in block formats"
    written = [t.name for t in schedule.program.tensors if schedule.program.is_written(t.name)]
    yield f"WRITTEN = {_text(written)}"
    yield "LAYOUTS = ["
    for layout in schedule.layouts:
        yield from _layout(layout)
    yield "]"
    yield "NOC_OF_KERNEL = {" + ", ".join(f'"{k.name}": {k.noc}' for k in program.kernels) + "}"
    yield "ACCESSED = {"
    for kernel in program.kernels:
        yield f'    "{kernel.name}": {_text(_accessed(kernel))},'
    yield "}"
    yield from _compute(program)
    yield "ARGUMENTS = {"
    for kernel in program.kernels:
        yield f'    "{kernel.name}": {{'
        yield from (f"        # {words}" for words in argument_words(schedule, kernel.noc))
        yield from _arguments(schedule, kernel)
        yield "    },"
    yield "}"


def _layout(layout: TensorLayout) -> Iterator[str]:
    axes = ", ".join(f"Axis({a.unit}, {a.padded}, {a.pieces}, {a.lead})" for a in layout.axes)
    comma = "," if len(layout.axes) == 1 else ""
    padding = repr(layout.padding) if abs(layout.padding) != float("inf") else f'float("{layout.padding}")'
    yield "    TensorLayout("
    yield f'        "{layout.name}", "{layout.tensor}", "{layout.format}",'
    yield f"        ({axes}{comma}),"
    yield f"        rows={layout.rows}, columns={layout.columns}, in_runs={layout.in_runs}, padding={padding},"
    yield "    ),"


def _accessed(kernel: Kernel) -> list[str]:
    return [argument.tensor for argument in kernel.common_runtime_args if isinstance(argument, TensorAddress)]


def _compute(program: Program) -> Iterator[str]:
    config = next(kernel.compute for kernel in program.kernels if kernel.compute is not None)
    yield "COMPUTE = {"
    yield f'    "fidelity": "{config.math_fidelity}",'
    for name in ("approx", "fp32_dest_acc", "dst_full_sync", "unpack_to_dest_fp32"):
        yield f'    "{name}": {getattr(config, name)},'
    yield "}"


def _arguments(schedule: Schedule, kernel: Kernel) -> Iterator[str]:
    places = logical_cores(schedule.device, schedule.digits)
    by_core = core_arguments(schedule, kernel.noc)
    for core in sorted(by_core, key=lambda c: (places[c][1], places[c][0])):
        listed = ", ".join(map(str, _paired(by_core[core], places)))
        yield f"        {places[core]}: [{listed}],"


def _paired(arguments: Sequence[Argument], places: dict[Coordinate, Core]) -> Iterator[Any]:
    """Arguments with both coordinates of a core as its logical (x, y)."""
    for argument in arguments:
        if not isinstance(argument, OnNoc):
            yield argument
        elif argument.axis == 0:
            yield places[argument.core]


def _text(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
