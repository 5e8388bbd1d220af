"""Which nodes of the grid work, on which blocks, and the pipes between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

from cpplan.emit_ttlang.names import COORDINATES, Names
from cpplan.emit_ttlang.text import added, times
from cpplan.schedule.schedule import Coordinate, Endpoint, Schedule, Stream

Which = Literal["own", "first", "last"]
"""The node itself, or the first or last of its group in the order of blocks."""


def coordinates(schedule: Schedule) -> list[str]:
    """Names of the position of a node."""
    return list(COORDINATES[: len(schedule.device.dims)])


def grid(schedule: Schedule) -> tuple[int, ...]:
    """Nodes along every axis of the device."""
    return tuple(dim.extent for dim in schedule.device.dims)


def idle_test(schedule: Schedule) -> list[str]:
    """Conditions under which a node is in use; none if the plan uses all."""
    plan, out = schedule.plan, []
    for axis, (name, extent) in enumerate(zip(coordinates(schedule), grid(schedule), strict=True)):
        first = plan.origin[axis] if plan.origin else 0
        end = first + plan.cores_along(axis)
        if (first, end) != (0, extent):
            out.append(f"{first} <= {name} < {end}" if first else f"{name} < {end}")
    return out


def digit_text(schedule: Schedule, dim: str, which: Which = "own", groups: tuple[int, ...] = ()) -> str:
    """Number of a node among those that ``dim`` is spread over (:attr:`Schedule.digits`), from its position."""
    plan, text = schedule.plan, "0"
    for axis, (splits, name) in enumerate(zip(plan.spatial, coordinates(schedule), strict=True)):
        origin = plan.origin[axis] if plan.origin else 0
        place = f"({name} - {origin})" if origin else name
        below = plan.cores_along(axis)
        for number, split in enumerate(splits):
            below //= split.factor
            if split.dim != dim:
                continue
            own = place + (f" // {below}" if below > 1 else "") + (f" % {split.factor}" if number else "")
            together = 1 if which == "own" else max(1, min(split.factor, groups[axis] // below))
            part = _end_of_group(own, together, split.factor, which)
            text = part if text == "0" else added([times(text, split.factor), *([part] if part != "0" else [])])
    return text


def _end_of_group(own: str, together: int, factor: int, which: Which) -> str:
    """``own`` moved to the first or last of ``together`` neighbours."""
    if together == 1:
        return own
    step = together - 1 if which == "last" else 0
    if together == factor:
        return str(step)
    first = f"({own}) // {together}" if " " in own else f"{own} // {together}"
    return added([f"{first} * {together}", *([str(step)] if step else [])])


def is_grouped(stream: Stream, schedule: Schedule, dim: str) -> bool:
    """Whether nodes with different blocks of ``dim`` share the transfers of ``stream``."""
    groups = schedule.plan.placement(stream.access).groups
    return stream.pattern != "private" and digit_text(schedule, dim, "first", groups) != digit_text(schedule, dim)


def pipe_lines(schedule: Schedule, stream: Stream, names: Names) -> list[str]:
    """The definition of the pipes of a shared load."""
    net = names.net(stream.access)
    regular = _regular(schedule, stream)
    if regular is not None:
        return [f"{net} = ttl.PipeNet([{regular}])"]
    ends = {(c.reader, c.low, c.high): None for c in stream.endpoints.values()}
    if stream.pattern == "forward":
        links = [(core, c.following) for core, c in stream.endpoints.items() if c.following is not None]
        pipes = [f"ttl.Pipe(src={_place(a)}, dst={_place(b)})," for a, b in links]
    else:
        groups = schedule.plan.placement(stream.access).groups
        pipes = [f"ttl.Pipe(src={_place(r)}, dst={_box(low, high, groups)})," for r, low, high in ends]
    return [f"{net} = ttl.PipeNet([", *(f"    {pipe}" for pipe in pipes), "])"]


def _regular(schedule: Schedule, stream: Stream) -> str | None:
    """All pipes as one comprehension, if every group looks like the first one, moved."""
    if stream.pattern == "forward":
        return None
    groups, plan = schedule.plan.placement(stream.access).groups, schedule.plan
    first = plan.origin or (0,) * len(groups)
    model = stream.endpoints[first]
    counts = [plan.cores_along(axis) // g for axis, g in enumerate(groups)]
    for step in itertools.product(*(range(n) for n in counts)):
        moved = tuple(o + s * g for o, s, g in zip(first, step, groups, strict=True))
        if _relative(stream.endpoints[moved], moved) != _relative(model, first):
            return None
    source, target, ranges = [], [], []
    for axis, (name, g) in enumerate(zip(coordinates(schedule), groups, strict=True)):
        offsets = [corner[axis] - first[axis] for corner in (model.reader, model.low, model.high)]
        if counts[axis] == 1:
            source.append(str(model.reader[axis]))
            target.append(f"slice({model.low[axis]}, {model.high[axis] + 1})" if g > 1 else str(model.low[axis]))
            continue
        low, high = (_moved(name, offset) for offset in (offsets[1], offsets[2] + 1))
        source.append(_moved(name, offsets[0]))
        target.append(f"slice({low}, {high})" if g > 1 else low)
        begin, end = first[axis], first[axis] + counts[axis] * g
        steps = f"{begin}, {end}, {g}" if g > 1 else f"{begin}, {end}" if begin else f"{end}"
        ranges.append(f"for {name} in range({steps})")
    pipe = f"ttl.Pipe(src=({', '.join(source)}), dst=({', '.join(target)}))"
    return " ".join([pipe, *ranges])


def _relative(end: Endpoint, first: Coordinate) -> list[list[int]]:
    """Reader and corners as seen from the first node of the group."""
    return [[a - b for a, b in zip(corner, first, strict=True)] for corner in (end.reader, end.low, end.high)]


def _moved(name: str, offset: int) -> str:
    return name if offset == 0 else f"{name} + {offset}" if offset > 0 else f"{name} - {-offset}"


def _place(core: Coordinate) -> str:
    return f"({', '.join(map(str, core))})"


def _box(low: Coordinate, high: Coordinate, groups: tuple[int, ...]) -> str:
    """A rectangle of receivers; slices along all axes that groups extend over, so that all pipes are multicasts."""

    def sides() -> Iterator[str]:
        for a, b, g in zip(low, high, groups, strict=True):
            yield f"slice({a}, {b + 1})" if g > 1 else str(a)

    return f"({', '.join(sides())})"
