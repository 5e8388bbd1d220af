"""Where in a kernel things happen, as far as its compute thread must know."""

from __future__ import annotations

from collections.abc import Sequence

from cpplan.emit_ttmetal.kept import home_of_access, place_of, tiles_before
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.places import Place
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.schedule import Compute, For, Guard, Schedule, Step, Stream
from cpplan.tile.program import Affine, TileProgram


def stores_by_op(schedule: Schedule) -> dict[str, list[Stream]]:
    """Stores by the op, or else the access, at which their value is there."""
    found: dict[str, list[Stream]] = {}
    made = {op.name for op in schedule.program.ops}
    values = {access.name: access.value for access in schedule.program.accesses}
    for stream in schedule.streams:
        if stream.kind == "store":
            value = values[stream.access]
            found.setdefault(value if value in made else stream.access, []).append(stream)
    return found


def last_computes(steps: Sequence[Step]) -> dict[str, Compute]:
    """The last step of every loop that computes at its own level."""
    found: dict[str, Compute] = {}
    for step in steps:
        match step:
            case Compute(loop=loop) if loop is not None:
                found[loop] = step
            case For(body=body) | Guard(body=body):
                found |= last_computes(body)
    return found


def origin_of(program: TileProgram, value: str) -> str | None:
    """The loop in which a value that no op makes comes to be: where it is loaded, carried, or left by a loop."""
    for access in program.loads():
        if access.value == value:
            return access.loop
    for loop in program.loops:
        for carry in loop.carries:
            if value in (carry.argument, carry.result):
                return loop.name if value == carry.argument else loop.parent
    return None


def place_in_block(schedule: Schedule, stream: Stream) -> Place:
    """Where the tile at hand lies in the block of a stream, which may hold those of several indices."""
    place = place_of(stream.buffer, home_of_access(schedule, stream), stream.tile)
    cores = cores_per_dim(schedule.plan.spatial)
    symbols = {name: identifier(name) for name, _ in stream.inner}
    symbols |= {n: f"({identifier(n)} / {cores[n]})" for n in symbols if cores.get(n, 1) > 1}
    terms = tuple(sorted(tiles_before(stream, symbols, place.pages)))
    return Place(place.buffer, place.home, place.extents, Affine(0, terms))
