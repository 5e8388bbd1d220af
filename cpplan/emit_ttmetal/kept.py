"""Which values of a program the compute kernel keeps in buffers, and how they lie there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cpplan.emit_ttmetal.forms import COLUMNS, LANES, ROWS
from cpplan.emit_ttmetal.places import Home, Lane, Place, long_axes, natural_home
from cpplan.errors import ScheduleError
from cpplan.schedule.layouts import FORMATS
from cpplan.schedule.orientation import orientation
from cpplan.schedule.schedule import Buffer, Schedule, Stream
from cpplan.tile.arith import round_up
from cpplan.tile.layout import tile_bytes
from cpplan.tile.program import TileProgram

NARROW_FORMATS = {"bool": "bf16", "uint8": "bf16", "int8": "bf16", "uint16": "fp32", "int16": "fp32", "int64": "fp32"}
"""Formats in which small whole numbers are kept: as floating-point ones, like those in slots."""


@dataclass
class Kept:
    """Values beyond those of the plan that must lie in buffers: found while the kernel is written, then kept from its
    start on. ``wanted`` maps a value to the ways in which it must lie; of what loops carry, ``carried`` is kept at all,
    and ``copied`` takes its next value from another buffer."""

    wanted: dict[str, list[Home]] = field(default_factory=dict)
    carried: set[str] = field(default_factory=set)
    copied: set[str] = field(default_factory=set)
    index_pages: set[str] = field(default_factory=set)

    def want(self, value: str, home: Home) -> bool:
        """Note a need; whether it is new."""
        homes = self.wanted.setdefault(value, [])
        if home in homes:
            return False
        homes.append(home)
        return True


def home_of(program: TileProgram, value: str, shape: tuple[int, ...]) -> Home:
    """How a value lies in a buffer of the plan."""
    rank = len(long_axes(shape))
    return natural_home(rank, bool(program.in_runs), rank == 1 and orientation(program, value) == "column")


def home_of_access(schedule: Schedule, stream: Stream) -> Home:
    """How a tile of a load or store lies in its buffer."""
    layout = schedule.layout(stream.layout)
    lanes: dict[int | None, Lane] = {layout.rows: "row", layout.columns: "run" if layout.in_runs else "col"}
    lanes.pop(None, None)
    return tuple(lanes.get(axis, "at") for axis in long_axes(stream.tile))


def place_of(name: str, home: Home, shape: tuple[int, ...]) -> Place:
    """The place of a value in a buffer of its own."""
    return Place(name, home, tuple(extent for extent in shape if extent > 1))


def scratch(place: Place, dtype: str) -> Buffer:
    """The buffer for a value that the plan does not keep."""
    format_ = NARROW_FORMATS.get(dtype) or FORMATS.get(dtype, "fp32")
    return Buffer(0, place.buffer, "scratch", format_, place.extents, place.pages, 1, tile_bytes(format_))


def index_buffers(pages: Iterable[str]) -> tuple[Buffer, ...]:
    """Buffers of the index pages; numbers up to 1,023 need 32 bits."""
    order = (ROWS, COLUMNS, LANES)
    return tuple(
        Buffer(0, name, "mask", "fp32", (32, 32), 1, 1, tile_bytes("fp32")) for name in order if name in set(pages)
    )


def placed_behind(schedule: Schedule, extra: Iterable[Buffer]) -> tuple[Buffer, ...]:
    """All buffers of ``schedule``, then ``extra`` ones.

    Raises :class:`~cpplan.errors.ScheduleError` when bytes or circular buffers run out.
    """
    out = list(schedule.buffers)
    sram = schedule.device.sram
    end = max((b.offset + b.bytes for b in out), default=0)
    for buffer in extra:
        offset = int(round_up(end, sram.alignment))
        out.append(replace(buffer, index=len(out), offset=offset))
        end = offset + buffer.bytes
    program, added = schedule.program, out[len(schedule.buffers) :]
    names = ", ".join(f"{b.name} {b.bytes:,}" for b in added)
    where = program.source or program.name
    if end > sram.usable:
        raise ScheduleError(
            f"{where}: the plan's buffers and what the compute kernel keeps besides ({names}) take {end:,} bytes of "
            f"SRAM, and {schedule.device.name} has {sram.usable:,}: pin a smaller block, or depth 1 for a load"
        )
    if len(out) > sram.max_buffers:
        raise ScheduleError(
            f"{where}: the compute kernel needs {len(added)} circular buffers besides those of the plan ({names}), and "
            f"a core of {schedule.device.name} has {sram.max_buffers} in all"
        )
    return tuple(out)


def tiles_before(stream: Stream, symbols: Mapping[str, str], pages: int) -> tuple[tuple[str, int], ...]:
    """(C++ index, pages per step) of the indices over which a block of a stream holds several tiles."""
    out, stride = [], pages
    for name, span in reversed(stream.inner):
        out.append((symbols[name], stride))
        stride *= span
    return tuple(out)
