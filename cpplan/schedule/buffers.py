"""Circular buffers of a plan, and where they lie in SRAM.

Data movement runs ahead of the computation as far as free slots let it, so the buffers of loads and stores are alive
all the time. What the kernel computes and keeps is alive between the first and the last step of the compute thread that
touches it; such buffers still get bytes of their own, since the threads that unpack and pack tiles are not in step.

A transposed or reshaped operand of products has no buffer here: these mostly read it where it comes from. A program
that cannot gives it one, for which the plan has left room.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from cpplan.cost.model import COMBINE
from cpplan.device.device import Device
from cpplan.errors import ScheduleError
from cpplan.plan.plan import Plan
from cpplan.plan.space import shared_loop
from cpplan.schedule.layouts import FORMATS, page_counts
from cpplan.schedule.schedule import Buffer, Stream, TensorLayout
from cpplan.tile.arith import ceil_div, round_up
from cpplan.tile.layout import hardware_tiles, tile_bytes
from cpplan.tile.program import TileProgram

OUTGOING = "outgoing"
"""Beginning of the names of buffers from which a state is sent to another core."""


def buffer_names(program: TileProgram) -> dict[str, str]:
    """Name of the buffer of every access: its own, unless a kept value is called so."""
    kept = {buffer.name for buffer in program.buffers}
    return {a.name: f"{a.name}.{a.kind}" if a.name in kept else a.name for a in program.accesses}


def buffers_of(
    program: TileProgram, plan: Plan, streams: Sequence[Stream], layouts: Sequence[TensorLayout]
) -> tuple[Buffer, ...]:
    """A buffer per access and per value that is kept, and one for partial states if cores share a loop; no offsets."""
    return tuple(
        replace(buffer, index=index)
        for index, buffer in enumerate((*_moved(plan, streams, layouts), *_kept(program), *_partial(program, plan)))
    )


def _moved(plan: Plan, streams: Sequence[Stream], layouts: Sequence[TensorLayout]) -> Iterator[Buffer]:
    found = {layout.name: layout for layout in layouts}
    for stream, place in zip(streams, plan.placements, strict=True):
        layout = found[stream.layout]
        tiles = math.prod(span for _, span in stream.inner)
        pages = tiles * math.prod(page_counts(layout, stream.tile))
        size = tile_bytes(layout.format)
        yield Buffer(0, stream.buffer, stream.kind, layout.format, stream.tile, pages, place.depth, size, tiles)


def views_for_products(program: TileProgram) -> frozenset[str]:
    """Values that are another one seen otherwise, for products alone."""
    users: dict[str, list[str]] = {}
    for op in program.ops:
        for name in op.operands:
            users.setdefault(name, []).append(op.kind)
    views = (op.name for op in program.ops if op.kind in ("transpose", "reshape"))
    return frozenset(name for name in views if set(users.get(name, ())) == {"dot"})


def _kept(program: TileProgram) -> Iterator[Buffer]:
    views = views_for_products(program)
    for buffer in (item for item in program.buffers if item.name not in views):
        if buffer.dtype not in FORMATS:
            raise ScheduleError(
                f"{program.source or program.name}: {buffer.name} has elements of type {buffer.dtype}, which circular "
                "buffers do not hold"
            )
        pages = int(hardware_tiles(buffer.shape, program.in_runs))
        size = tile_bytes(FORMATS[buffer.dtype])
        yield Buffer(0, buffer.name, "value", FORMATS[buffer.dtype], buffer.shape, pages, 1, size)


def _partial(program: TileProgram, plan: Plan) -> Iterator[Buffer]:
    """Where the partial state of another core arrives and where the own one leaves, a buffer per carried value: for the
    whole of it, or in a ring for one of as many parts as there are cores."""
    shared = shared_loop(program, plan.spatial)
    if shared is None or plan.combine is None or program.reduction is None:
        return
    for state in program.reduction.state:
        pages = int(hardware_tiles(state.shape, program.in_runs))
        pages = int(ceil_div(pages, shared[1])) if plan.combine.method == "ring" else pages
        size = tile_bytes(FORMATS[state.dtype])
        form = FORMATS[state.dtype]
        yield Buffer(0, f"{COMBINE}.{state.result}", "partial", form, state.shape, pages, 1, size)
        yield Buffer(0, f"{OUTGOING}.{state.result}", "outgoing", form, state.shape, pages, 1, size)


def placed(buffers: Iterable[Buffer], device: Device, source: str) -> tuple[Buffer, ...]:
    """``buffers`` one after the other from byte 0 of what SRAM has for them.

    Raises :class:`~cpplan.errors.ScheduleError` when bytes or circular buffers run out.
    """
    out: list[Buffer] = []
    end = 0
    for buffer in buffers:
        out.append(replace(buffer, offset=end))
        end += int(round_up(buffer.bytes, device.sram.alignment))
    if end > device.sram.usable:
        largest = sorted(out, key=lambda b: -b.bytes)[:4]
        listed = ", ".join(f"{b.name} {b.bytes:,}" for b in largest)
        raise ScheduleError(
            f"{source}: the buffers take {end:,} bytes of SRAM and {device.name} has {device.sram.usable:,}; the "
            f"largest are {listed}. Pin smaller blocks or depth 1"
        )
    if len(out) > device.sram.max_buffers:
        raise ScheduleError(
            f"{source}: the kernel needs {len(out)} circular buffers and a core of {device.name} has "
            f"{device.sram.max_buffers}"
        )
    return tuple(out)
