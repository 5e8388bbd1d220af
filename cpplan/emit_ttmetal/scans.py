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
    until the column is done."""
    unit = maker.unit
    names = [maker.variable(lane, axis) for axis, lane in enumerate(place.home)]
    order = sorted(range(len(names)), key=lambda axis: place.home[axis] == "row")
    indices = {axis: symbol(names[axis]) if place.counts[axis] > 1 else ZERO for axis in order}
    row = next(axis for axis in order if place.home[axis] == "row")
    first = f"{written(indices[row])} == 0" if place.counts[row] > 1 else ""
    cb = unit.names[place.buffer]
    text.line(f"cb_reserve_back({cb}, {place.pages});")
    with ExitStack() as stack:
        for axis in order:
            if place.counts[axis] > 1:
                stack.enter_context(text.block(loop_head(names[axis], place.counts[axis])))
        unit.forget()
        text.line("tile_regs_acquire();")
        unit.read(text, Read(source.buffer, source.page(indices), "copy"), 0)
        unit.scan(text, CUMSUM, first or "true", first)
        text.line("tile_regs_commit();")
        text.line("tile_regs_wait();")
        unit.pack(text, 0, place.buffer, place.page(indices))
        text.line("tile_regs_release();")
    unit.forget()
    text.line(f"cb_push_back({cb}, {place.pages});")
    text.line(f"cb_wait_front({cb}, {place.pages});")
