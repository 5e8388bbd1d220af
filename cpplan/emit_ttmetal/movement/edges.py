"""Where tiles of an access reach beyond what takes part in it, and what data movement does about that.

Per tensor axis: whether pages may lie outside the tensor, over all blocks that any core may be at, and whether elements
of pages that are read must be overwritten by the fill of the access, over the blocks of the grid (nothing computes with
what is loaded beyond it). Most edges need nothing on the cores, since the unused elements of the tensor in DRAM hold
the fill already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cpplan.emit_ttmetal.indices import Range, affine_range, index_ranges
from cpplan.emit_ttmetal.text import plus, scaled
from cpplan.errors import ScheduleError
from cpplan.schedule.schedule import Axis, Schedule, Stream, TensorLayout
from cpplan.tile.layout import RUN
from cpplan.tile.program import HARDWARE_TILE, Affine

Ranges = Mapping[str, Range]
"""Values of dims and loops."""


@dataclass(frozen=True)
class Edge:
    """One tensor axis of a stream, in pages (single elements on axes outside of hardware tiles).

    ``first`` is the first page of a tile, ``count`` how many it covers, ``total`` those of the tensor. ``below`` and
    ``above``: pages before the tensor, or behind it, may be asked for. ``begins`` and ``ends`` are the elements at
    which the access starts and stops to take part where that is inside a page or inside the tensor.
    """

    axis: Axis
    page: int
    first: Affine
    count: int
    total: int
    below: bool
    above: bool
    begins: tuple[Affine, ...]
    ends: tuple[Affine, ...]

    @property
    def in_tile(self) -> bool:
        """Whether the axis lies inside hardware tiles."""
        return self.page > 1

    @property
    def pages_per_piece(self) -> int:
        """Pages of one piece of the axis."""
        return self.axis.padded // self.page


def edges_of(schedule: Schedule, stream: Stream) -> tuple[Edge, ...]:
    """The edges of all axes of ``stream``. Of blocks beyond the grid tiles are loaded, but not stored.

    Raises :class:`~cpplan.errors.ScheduleError` for a store that would have to write parts of a page.
    """
    layout = schedule.layout(stream.layout)
    shape = schedule.program.tensor(layout.tensor).shape
    grid = index_ranges(schedule, in_grid=True)
    reached = grid if stream.kind == "store" else index_ranges(schedule)
    return tuple(_edge(schedule, stream, layout, number, extent, grid, reached) for number, extent in enumerate(shape))


def _edge(
    schedule: Schedule, stream: Stream, layout: TensorLayout, number: int, extent: int, grid: Ranges, reached: Ranges
) -> Edge:
    axis, start, bounds = layout.axes[number], stream.starts[number], stream.bounds[number]
    in_tile = number in (layout.rows, layout.columns)
    page = (RUN if layout.in_runs else HARDWARE_TILE) if in_tile else 1
    per_piece = axis.padded // page
    first = _scaled(start, axis, per_piece)
    count = stream.tile[number] // axis.unit * per_piece
    total = axis.pieces * per_piece
    low, high = affine_range(first, reached)
    # Limits that no block reaches, or that lie beyond the tensor, need nothing.
    begins = tuple(b for b in bounds.begins if affine_range(b, grid)[1] > 0 and _past(start, b, grid)[1] > 0)
    tile = stream.tile[number]
    ends = tuple(e for e in bounds.ends if affine_range(e, grid)[0] < extent and _past(start, e, grid)[0] < tile)
    if stream.kind == "store":
        _check_whole_pages(schedule, stream, number, axis, (*begins, *ends), in_tile)
    elif in_tile and stream.fill is None:
        begins, ends = (), ()
    elif in_tile and (stream.fill != layout.padding or schedule.program.is_written(layout.tensor)):
        first_element, last_element = affine_range(start, grid)
        begins += (Affine(0),) if first_element < 0 else ()
        ends += (Affine(extent),) if last_element + stream.tile[number] > extent else ()
    return Edge(axis, page, first, count, total, low < 0, high + count > total, begins, ends)


def _past(start: Affine, limit: Affine, ranges: Ranges) -> Range:
    """How many elements behind the first one of a tile a limit lies, at least and at most."""
    return affine_range(plus(limit, scaled(start, -1)), ranges)


def _scaled(start: Affine, axis: Axis, per_piece: int) -> Affine:
    """First page of a tile from its first element."""
    terms = tuple((name, factor // axis.unit * per_piece) for name, factor in start.terms)
    return Affine((start.const + axis.lead) // axis.unit * per_piece, terms)


def _check_whole_pages(
    schedule: Schedule, stream: Stream, number: int, axis: Axis, limits: tuple[Affine, ...], in_tile: bool
) -> None:
    for limit in limits if in_tile else ():
        if (limit.const + axis.lead) % axis.unit or any(factor % axis.unit for _, factor in limit.terms):
            access = next(a for a in schedule.program.accesses if a.name == stream.access)
            raise ScheduleError(
                f"{access.source or schedule.program.source}: {access.kind} {access.name} of {access.tensor} is masked "
                f"along axis {number} at an element that is no multiple of {axis.unit}, inside the tensor: only whole "
                "hardware tiles can be written, so the elements behind would be lost"
            )
