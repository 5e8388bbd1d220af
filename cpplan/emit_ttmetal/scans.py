"""Running sums, down the rows of hardware tiles."""

from __future__ import annotations

from contextlib import ExitStack

from cpplan.emit_ttmetal.nodes import Read
from cpplan.emit_ttmetal.ops import CUMSUM
from cpplan.emit_ttmetal.places import Place
from cpplan.emit_ttmetal.points import Maker, loop_head
from cpplan.emit_ttmetal.text import ZERO, Text, symbol, written


def make_scan(maker: Maker, text: Text, source: Place, place: Place) -> None:
    """Running sums of ``source``: the totals of a column of tiles stay in the vector unit, so that it does nothing else
    until the column is done. ``place`` may be that of ``source`` if :func:`is_in_page_order`."""
    unit = maker.unit
    names = [maker.variable(lane, axis) for axis, lane in enumerate(place.home)]
    order = sorted(range(len(names)), key=lambda axis: place.home[axis] == "row")
    indices = {axis: symbol(names[axis]) if place.counts[axis] > 1 else ZERO for axis in order}
    row = next(axis for axis in order if place.home[axis] == "row")
    first = f"{written(indices[row])} == 0" if place.counts[row] > 1 else ""
    cb, in_place = unit.names[place.buffer], place == source
    if not in_place:
        text.line(f"cb_reserve_back({cb}, {place.pages});")
    with ExitStack() as stack:
        for axis in order:
            if place.counts[axis] > 1:
                stack.enter_context(text.block(loop_head(names[axis], place.counts[axis])))
        unit.forget()
        text.line("tile_regs_acquire();")
        unit.read(text, Read(source.buffer, ZERO if in_place else source.page(indices), "copy"), 0)
        unit.scan(text, CUMSUM, first or "true", first)
        text.line("tile_regs_commit();")
        if in_place:
            text.line(f"cb_pop_front({cb}, 1);")
        text.line("tile_regs_wait();")
        if in_place:
            text.line(f"cb_reserve_back({cb}, 1);")
        unit.pack(text, 0, place.buffer, None if in_place else place.page(indices))
        text.line("tile_regs_release();")
        if in_place:
            text.line(f"cb_push_back({cb}, 1);")
    unit.forget()
    if not in_place:
        text.line(f"cb_push_back({cb}, {place.pages});")
    text.line(f"cb_wait_front({cb}, {place.pages});")


def is_in_page_order(place: Place) -> bool:
    """Whether a running sum takes the pages of ``place`` one after the other."""
    counts = dict(zip(place.home, place.counts, strict=True))
    return counts.get("row", 1) == 1 or counts.get("col", 1) == 1
