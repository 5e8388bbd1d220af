"""Tensors as TT-Lang gets them: every layout as one matrix of hardware tiles.

The axes outside of hardware tiles lie one below the other, row-major; each piece of them has as many rows and columns
of tiles as any block reaches, so that blocks at the edge are whole. What that adds to the tensor holds the layout's
padding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cpplan.emit_ttlang.support import place_of, refuse
from cpplan.emit_ttlang.text import scaled, total
from cpplan.schedule.schedule import Schedule, Stream, TensorLayout
from cpplan.tile.program import HARDWARE_TILE, Access, Affine


@dataclass(frozen=True)
class Matrix:
    """``layout`` as ``others`` pieces below each other of ``rows`` x ``columns`` hardware tiles each."""

    layout: TensorLayout
    others: int
    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """In elements."""
        return self.others * self.rows * HARDWARE_TILE, self.columns * HARDWARE_TILE


@dataclass(frozen=True)
class Window:
    """A block of a matrix: its first row and column of tiles, and how many of them it has."""

    row: Affine
    column: Affine
    rows: int
    columns: int


def matrices_of(schedule: Schedule) -> dict[str, Matrix]:
    """The matrix of every layout, by its name."""
    return {layout.name: _matrix(schedule, layout) for layout in schedule.layouts}


def window_of(schedule: Schedule, stream: Stream, matrix: Matrix) -> Window:
    """The tiles that one block of ``stream`` covers.

    Raises :class:`~cpplan.errors.ScheduleError` for blocks that are no rectangle of the matrix.
    """
    layout, access = matrix.layout, access_of(schedule, stream)
    piece, below = Affine(), 1
    for number in reversed(_others(layout)):
        axis = layout.axes[number]
        low, high = affine_range(schedule, stream.starts[number])
        if stream.tile[number] != 1:
            raise refuse(place_of(access, schedule), f"{access.name} covers more than two axes, and blocks have two")
        if low < 0 or high >= axis.pieces:
            raise refuse(place_of(access, schedule), f"{access.name} leaves its tensor along axis {number}")
        piece = total(piece, scaled(stream.starts[number], below))
        below *= axis.pieces
    row, rows = _side(schedule, stream, layout.rows)
    column, columns = _side(schedule, stream, layout.columns)
    return Window(total(scaled(piece, matrix.rows), row), column, rows, columns)


def access_of(schedule: Schedule, stream: Stream) -> Access:
    """The access that a stream moves."""
    return next(item for item in schedule.program.accesses if item.name == stream.access)


def affine_range(schedule: Schedule, form: Affine) -> tuple[int, int]:
    """Least and largest value over all blocks of the grid and all trips."""
    most = {dim.name: dim.extent - 1 for dim in schedule.program.dims}
    most |= {loop.name: loop.trips - 1 for loop in schedule.program.loops}
    low = form.const + sum(min(0, factor * most[name]) for name, factor in form.terms)
    return low, form.const + sum(max(0, factor * most[name]) for name, factor in form.terms)


def _matrix(schedule: Schedule, layout: TensorLayout) -> Matrix:
    others = math.prod(layout.axes[number].pieces for number in _others(layout))
    sizes = [1, 1]
    for side, number in enumerate((layout.rows, layout.columns)):
        if number is not None:
            axis = layout.axes[number]
            reached = [_reach(schedule, stream, number) for stream in _users(schedule, layout)]
            sizes[side] = max(axis.pieces * axis.padded // HARDWARE_TILE, *reached)
    return Matrix(layout, others, *sizes)


def _users(schedule: Schedule, layout: TensorLayout) -> Iterator[Stream]:
    return (stream for stream in schedule.streams if stream.layout == layout.name)


def _reach(schedule: Schedule, stream: Stream, number: int) -> int:
    """Tiles along an axis up to the end of the last block."""
    start, count = _tiles(schedule, stream, number)
    return affine_range(schedule, start)[1] + count


def _side(schedule: Schedule, stream: Stream, number: int | None) -> tuple[Affine, int]:
    return (Affine(), 1) if number is None else _tiles(schedule, stream, number)


def _tiles(schedule: Schedule, stream: Stream, number: int) -> tuple[Affine, int]:
    """First hardware tile of a block along an axis, and how many it has there."""
    axis, start = schedule.layout(stream.layout).axes[number], stream.starts[number]
    per_piece = axis.padded // HARDWARE_TILE
    terms = tuple((name, factor // axis.unit * per_piece) for name, factor in start.terms)
    first = Affine((start.const + axis.lead) // axis.unit * per_piece, terms)
    if affine_range(schedule, first)[0] < 0:
        access = access_of(schedule, stream)
        raise refuse(place_of(access, schedule), f"{access.name} begins before its tensor along axis {number}")
    return first, stream.tile[number] // axis.unit * per_piece


def _others(layout: TensorLayout) -> list[int]:
    return [number for number in range(len(layout.axes)) if number not in (layout.rows, layout.columns)]
