"""Schedules damaged on purpose, which the check with TT-Lang has to notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cpplan.schedule.schedule import Endpoint, For, Move, Schedule, Step, Stream
from cpplan.tile.program import Affine


def narrow_multicast(schedule: Schedule) -> Schedule:
    """A row of nodes gets no block: the rectangle ends one node too early."""
    stream = next(s for s in schedule.streams if s.pattern == "multicast")
    ends = {core: _narrower(end) for core, end in stream.endpoints.items()}
    return _with(schedule, replace(stream, endpoints=ends))


def missing_push(schedule: Schedule) -> Schedule:
    """The blocks of a load never come."""
    lost = next(s.access for s in schedule.streams if s.kind == "load")
    threads = tuple(replace(t, steps=_without(t.steps, lost)) for t in schedule.threads)
    return replace(schedule, threads=threads)


def wrong_tile(schedule: Schedule) -> Schedule:
    """Every trip of the loop gets the tile of the first."""
    stream = next(s for s in schedule.streams if s.kind == "load")
    loops = {loop.name for loop in schedule.program.loops}
    starts = tuple(
        Affine(start.const, tuple((name, factor) for name, factor in start.terms if name not in loops))
        for start in stream.starts
    )
    return _with(schedule, replace(stream, starts=starts))


def wrong_block(schedule: Schedule) -> Schedule:
    """Nodes work on each other's blocks: rows of blocks go to columns of nodes."""
    spatial = tuple(reversed(schedule.plan.spatial))
    return replace(schedule, plan=replace(schedule.plan, spatial=spatial))


def shallow_buffer(schedule: Schedule) -> Schedule:
    """A buffer for two blocks has room for one."""
    deep = next(b for b in schedule.buffers if b.slots == 2 and b.role == "load")
    buffers = tuple(replace(b, slots=1) if b == deep else b for b in schedule.buffers)
    return replace(schedule, buffers=buffers)


def no_multicast(schedule: Schedule) -> Schedule:
    """Every node reads for itself what one should read for its group."""
    stream = next(s for s in schedule.streams if s.pattern == "multicast")
    return _with(schedule, replace(stream, pattern="private", endpoints={}, ready=None, valid=None))


DAMAGE: dict[str, Callable[[Schedule], Schedule]] = {
    f.__name__.replace("_", "-"): f
    for f in (narrow_multicast, missing_push, wrong_tile, wrong_block, shallow_buffer, no_multicast)
}


def _narrower(end: Endpoint) -> Endpoint:
    """The rectangle without its last row or column of nodes."""
    axis = next(n for n, (a, b) in enumerate(zip(end.low, end.high, strict=True)) if a < b)
    high = tuple(at - (n == axis) for n, at in enumerate(end.high))
    return replace(end, high=high, receivers=end.receivers - 1)


def _with(schedule: Schedule, stream: Stream) -> Schedule:
    return replace(schedule, streams=tuple(stream if s.access == stream.access else s for s in schedule.streams))


def _without(steps: tuple[Step, ...], stream: str) -> tuple[Step, ...]:
    out: list[Step] = []
    for step in steps:
        if isinstance(step, For):
            out.append(replace(step, body=_without(step.body, stream)))
        elif not (isinstance(step, Move) and step.stream == stream):
            out.append(step)
    return tuple(out)
