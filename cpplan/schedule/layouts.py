"""Layouts of tensors in DRAM, so that every tile that a program moves is a set of whole pages.

Hardware tiles lie over the last two axes along which the tiles of an access are longer than one element; other axes are
cut into single elements. Along an axis of hardware tiles the start of every tile must be a multiple of 32, or the tile
must be one *unit* that all starts are multiples of: then units are padded to 32 each. A constant shared by all starts
is made up for by unused elements in front.

A tensor that is only read is stored once per layout that its loads ask for; one that is written has one layout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from cpplan.errors import ScheduleError
from cpplan.schedule.orientation import orientation
from cpplan.schedule.schedule import Axis, TensorLayout
from cpplan.tile.arith import ceil_div, round_up
from cpplan.tile.layout import BLOCK_FORMATS, RUN
from cpplan.tile.program import HARDWARE_TILE, Access, Tensor, TileProgram
from cpplan.tile.stored_edges import why_not_at_edges

FORMATS = {
    "fp32": "fp32", "bf16": "bf16", "fp16": "fp16", "int32": "int32", "uint32": "uint32", "uint16": "uint16",
    "uint8": "uint8", "int8": "uint8", "bool": "uint8", "bfp8_b": "bfp8_b", "bfp4_b": "bfp4_b",
}  # fmt: skip
"""Element type -> format of circular buffers; types that are not here have none."""


def tensor_layouts(program: TileProgram) -> tuple[tuple[TensorLayout, ...], dict[str, str]]:
    """All layouts, and the name of the layout that each access uses.

    Raises :class:`~cpplan.errors.ScheduleError` where tiles are no sets of whole pages.
    """
    layouts: list[TensorLayout] = []
    uses: dict[str, str] = {}
    for access in program.accesses:
        wanted = layout_of_access(program, access)
        others = [item for item in layouts if item.tensor == access.tensor]
        same = next((item for item in others if replace(item, name=access.tensor) == wanted), None)
        if same is None and others and program.is_written(access.tensor):
            raise ScheduleError(
                f"{_place(program, access)}: {access.kind} {access.name} takes {access.tensor} apart in other pieces "
                "than another access does, and a tensor that is written has one layout: use one block shape for both"
            )
        if same is None:
            number = f".{len(others) + 1}" if others else ""
            same = replace(wanted, name=access.tensor + number)
            layouts.append(same)
        _check_blocks(program, access)
        uses[access.name] = same.name
    return tuple(replace(item, padding=_padding(program, item.name, uses)) for item in layouts), uses


def layout_of_access(program: TileProgram, access: Access) -> TensorLayout:
    """The layout that ``access`` asks for, named like its tensor."""
    tensor = program.tensor(access.tensor)
    _check_kind(program, access)
    rows, columns = tile_axes(program, access)
    in_runs = bool(program.in_runs)
    axes = tuple(
        _axis(program, access, tensor, i, RUN if in_runs else HARDWARE_TILE) if i in (rows, columns)
        else Axis(1, 1, extent)
        for i, extent in enumerate(tensor.shape)
    )  # fmt: skip
    return TensorLayout(tensor.name, tensor.name, FORMATS[tensor.dtype], axes, rows, columns, in_runs)


def tile_axes(program: TileProgram, access: Access) -> tuple[int | None, int | None]:
    """Tensor axes along the rows and the columns of hardware tiles."""
    long = [axis for axis, extent in enumerate(access.tile) if extent > 1]
    if len(long) >= 2:
        return long[-2], long[-1]
    if not long:
        return None, None
    is_column = not program.in_runs and orientation(program, access.value) == "column"
    return (long[0], None) if is_column else (None, long[0])


def page_counts(layout: TensorLayout, tile: tuple[int, ...]) -> tuple[int, ...]:
    """Pages of ``tile`` along every tensor axis, one per element on axes outside of hardware tiles."""
    size = RUN if layout.in_runs else HARDWARE_TILE
    inside = (layout.rows, layout.columns)
    return tuple(
        extent // axis.unit * (axis.padded // size) if number in inside else extent
        for number, (axis, extent) in enumerate(zip(layout.axes, tile, strict=True))
    )


def pages(layout: TensorLayout) -> int:
    """Pages of the whole tensor."""
    size = RUN if layout.in_runs else HARDWARE_TILE
    inside = (layout.rows, layout.columns)
    return math.prod(
        axis.pieces * (axis.padded // size if number in inside else 1) for number, axis in enumerate(layout.axes)
    )


def _axis(program: TileProgram, access: Access, tensor: Tensor, axis: int, page: int) -> Axis:
    extent, start = access.tile[axis], access.starts[axis]
    step = math.gcd(extent, *(factor for _, factor in start.terms))
    if step % page and step != extent:
        raise ScheduleError(
            f"{_place(program, access)}: {access.kind} {access.name} of {access.tensor} starts at multiples of {step} "
            f"along axis {axis} and covers {extent} elements: tiles that begin inside a hardware tile of {page} cannot "
            f"be moved, so use a block of {step} there or one whose steps are multiples of {page}"
        )
    unit = page if step % page == 0 else step
    lead = -start.const % unit
    return Axis(unit, round_up(unit, page), ceil_div(tensor.shape[axis] + lead, unit), lead)


def _padding(program: TileProgram, layout: str, uses: dict[str, str]) -> float:
    """What loads that use ``layout`` see beyond the tensor, if they agree: then nothing is filled in on the cores."""
    loads = [access for access in program.loads() if uses[access.name] == layout]
    fills = {access.fill for access in loads if access.fill is not None}
    in_blocks = any(program.tensor(access.tensor).dtype in BLOCK_FORMATS for access in loads)
    if len(fills) != 1 or in_blocks or any(program.is_written(access.tensor) for access in loads):
        return 0.0
    return next(iter(fills))


def _check_blocks(program: TileProgram, access: Access) -> None:
    """Block shapes that the frontend does not judge one by one, since they are free, are judged here."""
    format_ = program.tensor(access.tensor).dtype
    reason = why_not_at_edges(program, access) if format_ in BLOCK_FORMATS else ""
    if reason:
        raise ScheduleError(f"{_place(program, access)}: {access.tensor} cannot be stored as {format_}: {reason}")


def _check_kind(program: TileProgram, access: Access) -> None:
    for problem in _problems(program, access):
        raise ScheduleError(f"{_place(program, access)}: {access.kind} {access.name} of {access.tensor} {problem}")


def _problems(program: TileProgram, access: Access) -> Iterator[str]:
    dtype = program.tensor(access.tensor).dtype
    if dtype not in FORMATS:
        yield f"has elements of type {dtype}, which circular buffers do not hold: {', '.join(FORMATS)} they do"
    if access.klass != "affine":
        yield "has an address that depends on data: no program can be made of it yet"
    if access.kind == "atomic" and not access.replaces:
        yield "compares and swaps, or is of a kind that is not known: cores have no such step"
    elif access.kind == "atomic" and sum(a.tensor == access.tensor and a.kind != "load" for a in program.accesses) > 1:
        yield f"is one of several writes of {access.tensor}: in which order they come is known of a single one alone"
    if access.lanes != "dense":
        yield "skips or reorders elements: only tiles of neighbouring elements can be moved"
    if access.kind != "load" and access.mask:
        yield "has a mask that is no box of indices: only whole pages can be written"


def _place(program: TileProgram, access: Access) -> str:
    return access.source or program.source or program.name
