"""What buffers and kernels are for, in words: the decisions of the plan that comments and ``emit --explain`` name."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cpplan.emit_ttmetal.comments import source_lines
from cpplan.emit_ttmetal.forms import COLUMNS, LANES, ROWS
from cpplan.plan.plan import LAUNCH
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Buffer, Schedule, Stream

READERS = {"first": "the first", "diagonal": "the one on the diagonal", "nearest": "the one nearest to DRAM"}
INDEX_WORDS = {ROWS: "the row", COLUMNS: "the column", LANES: "the place in a run"}


def title(schedule: Schedule, what: str) -> list[str]:
    """Comment lines at the head of a kernel: what it is, block shape, mapping, waves and combining."""
    program = schedule.program
    lines = [f"// {program.name} on {schedule.device.name}: {what}, the same on all cores."]
    if program.block:
        lines.append(f"// Block: {', '.join(f'{name}={value}' for name, value in program.block)}.")
    return [*lines, f"// Plan: {'; '.join(plan_words(schedule))}."]


def plan_words(schedule: Schedule) -> Iterator[str]:
    """``along x: m over 4 cores``, ``waves: n``, ``loop k combined in a ring over NoC 1``."""
    plan = schedule.plan
    used = False
    for dim, splits in zip(schedule.device.dims, plan.spatial, strict=True):
        if splits:
            used = True
            yield f"along {dim.name}: " + ", ".join(f"{split.dim} over {split.factor} cores" for split in splits)
    if not used:
        yield "one core"
    if plan.order:
        yield "waves: " + ", then ".join(" and ".join(group) for group in plan.order)
    shared = shared_loop(schedule.program, plan.spatial)
    if shared is not None and plan.combine is not None:
        yield f"loop {shared[0]} combined in a {plan.combine.method} over NoC {plan.combine.noc}"


def role(schedule: Schedule, name: str) -> str:
    """What the buffer called ``name`` is for, and which decision of the plan it comes from."""
    planned = next((buffer for buffer in schedule.buffers if buffer.name == name), None)
    stream = next((s for s in schedule.streams if s.buffer == name), None)
    if stream is not None:
        return f"{stream.kind} of {stream.access} {where(schedule, stream)}"
    if name in INDEX_WORDS:
        return f"{INDEX_WORDS[name]} of every element of a page, for masks and indices"
    if planned is not None and planned.role in ("partial", "outgoing") and schedule.combining is not None:
        return f"state of loop {schedule.combining.loop} that {'arrives' if planned.role == 'partial' else 'leaves'}"
    return _value(schedule, name.partition(".kept")[0])


def _value(schedule: Schedule, name: str) -> str:
    """A value of the kernel that is kept."""
    program = schedule.program
    for loop in program.loops:
        if any(carry.argument == name for carry in loop.carries):
            return f"carried by loop {loop.name}"
    everything = {op.name for op in program.ops}
    return source_lines(program, name, everything) or "value of the kernel"


def where(schedule: Schedule, stream: Stream) -> str:
    """The level of a transfer: ``in loop k``, ``in every wave of n``, ``once``."""
    level = schedule.plan.placement(stream.access).level
    if level == LAUNCH:
        return "once"
    head, _, dims = level.partition(".")
    if head == "wave" and dims:
        return f"in every wave of {' and '.join(dims.split('.'))}"
    return f"in loop {level}"


def depth(buffer: Buffer) -> str:
    """``double-buffered`` or ``single-buffered``."""
    return {1: "single-buffered", 2: "double-buffered"}.get(buffer.slots, f"{buffer.slots} slots")


def size(buffer: Buffer) -> str:
    """``2 x 4 pages of bf16``: slots, if there are several, and pages of a slot."""
    slots = f"{buffer.slots} x " if buffer.slots > 1 else ""
    return f"{slots}{buffer.pages} page{'s' * (buffer.pages > 1)} of {buffer.format}"


def sharing(schedule: Schedule, stream: Stream) -> str:
    """Who reads or writes: ``of every 4x1 cores the first reads and multicasts``."""
    place = schedule.plan.placement(stream.access)
    if stream.kind == "store":
        shared = shared_loop(schedule.program, schedule.plan.spatial)
        return "every core writes" if shared is None else f"the first core of those that share loop {shared[0]} writes"
    group = "x".join(map(str, place.groups))
    if stream.pattern == "multicast":
        return f"of every {group} cores {READERS[place.reader]} reads and multicasts"
    if stream.pattern == "forward":
        return f"passed on along lines of {max(place.groups)} cores"
    return "every core reads its own"


def block_words(schedule: Schedule, stream: Stream) -> str:
    """What one transfer holds: ``64x64 elements`` or ``2 tiles (2 of n) of 64x64 elements``."""
    held = math.prod(span for _, span in stream.inner)
    over = f"{held} tiles ({', '.join(f'{span} of {name}' for name, span in stream.inner)}) of " if stream.inner else ""
    return over + tile_words(stream)


def tile_words(stream: Stream) -> str:
    """``64x64 elements``."""
    return f"{'x'.join(map(str, stream.tile))} element{'s' * (math.prod(stream.tile) > 1)}"
