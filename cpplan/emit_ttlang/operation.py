"""A schedule made one file of TT-Lang: ``emit_operation(schedule)``."""

from __future__ import annotations

from dataclasses import dataclass

from cpplan.emit_ttlang.blocks import tiles_at_once
from cpplan.emit_ttlang.body import Body, Lanes
from cpplan.emit_ttlang.compute import Computation
from cpplan.emit_ttlang.exchange import Teams
from cpplan.emit_ttlang.matrices import Matrix, Window, matrices_of, window_of
from cpplan.emit_ttlang.movement import THREADS, Movement
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.nodes import grid, pipe_lines
from cpplan.emit_ttlang.support import check_supported
from cpplan.emit_ttlang.text import Lines
from cpplan.emit_ttlang.wanted import Wanted
from cpplan.schedule.schedule import Schedule, Stream
from cpplan.tile.program import HARDWARE_TILE

_TYPES = {"bf16": "bfloat16", "fp32": "float32"}


@dataclass(frozen=True)
class Parameter:
    """A tensor that the operation takes: ``shape`` in elements, and the layout that it is, or the lanes of a mask."""

    name: str
    shape: tuple[int, int]
    format: str
    of: Matrix | Lanes


@dataclass(frozen=True)
class Operation:
    """``source`` defines the function ``name`` of these ``parameters``, in this order.

    ``unread``: loads whose blocks some nodes get only for the sake of their group. TT-Lang wants blocks to be read, so
    these have one more buffer each, of one block, in which their sum is left behind.
    """

    name: str
    source: str
    parameters: tuple[Parameter, ...]
    unread: tuple[str, ...] = ()


def emit_operation(schedule: Schedule) -> Operation:
    """The operation that does what ``schedule`` says.

    Raises :class:`~cpplan.errors.ScheduleError` for what TT-Lang, or this back end, has no words for.
    """
    check_supported(schedule)
    names, matrices = Names(), matrices_of(schedule)
    name = names.value(schedule.program.name)
    for layout in schedule.layouts:
        names.tensor(layout.name)
    wanted, body = Wanted(schedule, names), Body(schedule, names)
    threads = Lines(depth=1)
    teams = None if schedule.combining is None else Teams(schedule, names, wanted)
    computation = Computation(schedule, names, wanted, body, teams)
    computation.write(threads)
    movement = Movement(schedule, names, wanted, matrices, teams)
    for thread in THREADS:
        threads.add("")
        movement.write(threads, thread, tuple(body.lanes))
    parameters = (*_tensors(schedule, names, matrices), *_lanes(names, body))
    out = Lines()
    _head(out, schedule, parameters)
    out.add("", "", f"@ttl.operation(grid={grid(schedule)})")
    listed = ", ".join(f"{item.name}: ttnn.Tensor" for item in parameters)
    with out.block(f"def {name}({listed}) -> None:"):
        _definitions(out, schedule, names, matrices, tuple(body.lanes))
        if teams is not None:
            teams.define(out, body, matrices)
        for access, shape in computation.unread.items():
            like = names.tensor(schedule.stream(access).layout)
            made = f"ttl.make_dataflow_buffer_like({like}, shape={shape}, block_count=1)"
            out.add(f"{names.buffer(names.unread(access))} = {made}")
        out.add("")
        out.lines += threads.lines
    out.add("", "")
    _example(out, name, parameters)
    return Operation(name, str(out), parameters, tuple(computation.unread))


def _tensors(schedule: Schedule, names: Names, matrices: dict[str, Matrix]) -> list[Parameter]:
    return [
        Parameter(names.tensor(layout.name), matrices[layout.name].shape, layout.format, matrices[layout.name])
        for layout in schedule.layouts
    ]


def _lanes(names: Names, body: Body) -> list[Parameter]:
    sizes = [(lanes, tuple(HARDWARE_TILE * count for count in lanes.shape)) for lanes in body.lanes]
    return [Parameter(names.tensor(lanes.name), (rows, columns), "fp32", lanes) for lanes, (rows, columns) in sizes]


def _head(out: Lines, schedule: Schedule, parameters: tuple[Parameter, ...]) -> None:
    program, plan = schedule.program, schedule.plan
    block = ", ".join(f"{name} {value}" for name, value in plan.block)
    what = f"{program.name} on {schedule.device.name} in TT-Lang, {plan.cores} nodes"
    out.add(f'"""{what}{": " if block else ""}{block}.', "")
    out.add("Tensors are matrices of 32x32 tiles; axes outside of tiles lie one below the other. What a matrix has")
    out.add("beyond the tensor is its padding:", "")
    for item in parameters:
        note = f"padded with {item.of.layout.padding}" if isinstance(item.of, Matrix) else "0, 1, 2, ... for masks"
        out.add(f"    {item.name}: {item.shape[0]} x {item.shape[1]} {_TYPES[item.format]}, {note}")
    out.add('"""', "", "import torch", "import ttl", "import ttnn")


def _definitions(
    out: Lines, schedule: Schedule, names: Names, matrices: dict[str, Matrix], lanes: tuple[Lanes, ...]
) -> None:
    """Pipes and dataflow buffers."""
    for stream in schedule.streams:
        if stream.pattern != "private":
            out.add(*pipe_lines(schedule, stream, names))
    for stream in schedule.streams:
        window = window_of(schedule, stream, matrices[stream.layout])
        out.add(f"{names.buffer(stream.access)} = {_buffers(schedule, stream, names, window)}")
    for item in lanes:
        made = f"ttl.make_dataflow_buffer_like({names.tensor(item.name)}, shape={item.shape}, block_count=1)"
        out.add(f"{names.buffer(item.name)} = {made}")


def _buffers(schedule: Schedule, stream: Stream, names: Names, window: Window) -> str:
    """One buffer, or as many as a transfer has tiles; the slots are those of the plan."""
    slots, tiles = schedule.buffer(stream.buffer).slots, tiles_at_once(stream)
    like = names.tensor(stream.layout)
    shape = (window.rows, window.columns)
    one = f"ttl.make_dataflow_buffer_like({like}, shape={shape}, block_count={slots})"
    return one if not stream.inner else f"[{one} for _ in range({tiles})]"


def _example(out: Lines, name: str, parameters: tuple[Parameter, ...]) -> None:
    """Running the file by itself tries the operation on random tensors."""
    with out.block('if __name__ == "__main__":'):
        out.add("device = ttnn.open_device(device_id=0)", "tensors = [")
        for item in parameters:
            out.add(f"    {_random(item)},")
        out.add("]", f"{name}(*(")
        out.add("    ttnn.from_torch(t, dtype=t.dtype, layout=ttnn.TILE_LAYOUT, device=device,")
        out.add("                    memory_config=ttnn.DRAM_MEMORY_CONFIG)", "    for t in tensors", "))")


def _random(item: Parameter) -> str:
    if isinstance(item.of, Lanes):
        numbers = f"torch.arange({max(item.shape)}, dtype=torch.float32)"
        return f"{numbers}.expand{item.shape}" if item.of.axis else f"{numbers}[:, None].expand{item.shape}"
    return f"torch.randn({item.shape[0]}, {item.shape[1]}, dtype=torch.{_TYPES[item.format]})"
