"""One value made in a buffer: loops over its hardware tiles, and the phases of DST that compute and pack them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from cpplan.emit_ttmetal.dst import OutOfSlots, Phase
from cpplan.emit_ttmetal.nodes import Apply, Dot, Fold, Node, Number, Read, children, slots_needed
from cpplan.emit_ttmetal.ops import CUMSUM, FLOAT
from cpplan.emit_ttmetal.places import Place, Role, View, lanes_of
from cpplan.emit_ttmetal.text import ZERO, Text, number, plus, symbol, written
from cpplan.emit_ttmetal.tree import Trees, as_stored
from cpplan.emit_ttmetal.unit import Unit
from cpplan.tile.program import Affine

Filling = Literal["whole", "handed", "chain", "part"]
"""How a point fills its buffer: a whole new block, which this kernel itself reads or another one; tile by tile in place
of the old block; pages of a block that is reserved and pushed elsewhere."""


class NotInPlace(Exception):
    """The next value of what a loop carries reads other tiles of the old one than that which it replaces."""


@dataclass
class Maker:
    """Writes points. ``capacity`` is the number of DST slots, ``formats`` gives that of every buffer."""

    trees: Trees
    unit: Unit
    capacity: int
    formats: Mapping[str, str]
    taken: frozenset[str] = frozenset()

    def make(self, text: Text, value: str, place: Place, filling: Filling) -> None:
        """All tiles of ``value`` to ``place``."""
        names = [self._name(lane, axis) for axis, lane in enumerate(place.home)]
        indices = [symbol(n) if count > 1 else ZERO for n, count in zip(names, place.counts, strict=True)]
        view = tuple(Role(lane, index) for lane, index in zip(place.home, indices, strict=True))
        node = self._tile(value, view, place)
        cb, pages = self.unit.names[place.buffer], place.pages
        if filling in ("whole", "handed"):
            text.line(f"cb_reserve_back({cb}, {pages});")
        if isinstance(node, Dot):
            self._product(text, value, place, filling, node, dict(enumerate(names)))
        else:
            with self._over(text, place, {n: 1 for n in names}, names):
                self.one(text, node, place, filling, place.page(dict(enumerate(indices))))
        if filling in ("whole", "handed"):
            text.line(f"cb_push_back({cb}, {pages});")
        if filling in ("whole", "chain"):
            text.line(f"cb_wait_front({cb}, {pages});")

    def scan(self, text: Text, source: Place, place: Place) -> None:
        """Running sums of ``source`` down the rows: the totals of a column of tiles stay in the vector unit, so that it
        does nothing else until the column is done."""
        names = [self._name(lane, axis) for axis, lane in enumerate(place.home)]
        order = sorted(range(len(names)), key=lambda axis: place.home[axis] == "row")
        indices = {axis: symbol(names[axis]) if place.counts[axis] > 1 else ZERO for axis in order}
        cb, pages = self.unit.names[place.buffer], place.pages
        text.line(f"cb_reserve_back({cb}, {pages});")
        self.unit.forget()
        with ExitStack() as stack:
            for axis in order:
                if place.counts[axis] > 1:
                    stack.enter_context(text.block(_for(names[axis], place.counts[axis])))
            self.unit.forget()
            text.line("tile_regs_acquire();")
            self.unit.read(text, Read(source.buffer, source.page(indices), "copy"), 0)
            row = next(axis for axis in order if place.home[axis] == "row")
            first = f"{written(indices[row])} == 0" if place.counts[row] > 1 else "true"
            self.unit.scan(text, CUMSUM, first, first if place.counts[row] > 1 else "")
            text.line("tile_regs_commit();")
            text.line("tile_regs_wait();")
            self.unit.pack(text, 0, place.buffer, place.page(indices))
            text.line("tile_regs_release();")
        self.unit.forget()
        text.line(f"cb_push_back({cb}, {pages});")
        text.line(f"cb_wait_front({cb}, {pages});")

    # -- tiles ---------------------------------------------------------------------------------------------------------

    def _tile(self, value: str, view: View, place: Place) -> Node:
        node = as_stored(self.trees.node(value, view, lanes_of(view)), self.formats[place.buffer])
        axes = {axis: place.extents[axis] for axis in self.trees.zeroed.get(value, frozenset())}
        valid = self.trees.forms.inside(axes, view) if axes else None
        return node if valid is None else Apply(FLOAT["where"], (valid, node, Number(0.0)))

    def one(self, text: Text, node: Node, place: Place, filling: Filling, page: Affine) -> None:
        """A phase of one tile."""
        cb = self.unit.names[place.buffer]
        if filling == "chain":
            _check_in_place(node, place.buffer, page)
        with self._front(place.buffer, page if filling == "chain" else ZERO):
            text.line("tile_regs_acquire();")
            slot = self._computed(text, node)
            text.line("tile_regs_commit();")
        if filling == "chain":
            text.line(f"cb_pop_front({cb}, 1);")
        text.line("tile_regs_wait();")
        if filling == "chain":
            text.line(f"cb_reserve_back({cb}, 1);")
        self.unit.pack(text, slot, place.buffer, page if filling == "part" else None)
        text.line("tile_regs_release();")
        if filling == "chain":
            text.line(f"cb_push_back({cb}, 1);")

    def _computed(self, text: Text, node: Node) -> int:
        """Emit ``node``; pages that are used twice are read twice if there are not slots enough to keep them."""
        for share in (True, False):
            trial, unit = Text(depth=text.depth), copy.copy(self.unit)
            try:
                slot = Phase(trial, unit, self.capacity, share).compute(node)
            except OutOfSlots:
                continue
            self.unit.take(unit)
            text.lines += trial.lines
            return slot
        raise OutOfSlots

    # -- products ------------------------------------------------------------------------------------------------------

    def _product(
        self, text: Text, value: str, place: Place, filling: Filling, whole: Dot, names: dict[int, str]
    ) -> None:
        """A matrix product in blocks of tiles that fit DST."""
        axes = {lane: axis for axis, lane in enumerate(place.home)}
        rows, columns = (place.counts[axes[lane]] if lane in axes else 1 for lane in ("row", "col"))
        extra = 0 if whole.initial is None else slots_needed(whole.initial) - 1
        height, width = block_shape(rows, columns, self.capacity - extra, filling == "chain", whole)
        steps = {names[axes[lane]]: n for lane, n in (("row", height), ("col", width)) if lane in axes}
        with self._over(text, place, {n: steps.get(n, 1) for n in names.values()}, list(names.values())):
            corner = {a: symbol(n) if place.counts[a] > steps.get(n, 1) else ZERO for a, n in names.items()}
            dots: list[Dot] = []
            for row in range(height):
                for column in range(width):
                    here = dict(corner)
                    for lane, shift in (("row", row), ("col", column)):
                        if lane in axes:
                            here[axes[lane]] = plus(here[axes[lane]], number(shift))
                    view = tuple(Role(lane, here[axis]) for axis, lane in enumerate(place.home))
                    dot = self.trees.node(value, view, lanes_of(view))
                    assert isinstance(dot, Dot)
                    dots.append(dot)
            self._block(text, dots, height, width, place, filling, place.page(corner))

    def _block(
        self, text: Text, dots: list[Dot], height: int, width: int, place: Place, filling: Filling, page: Affine
    ) -> None:
        cb, count = self.unit.names[place.buffer], height * width
        with self._front(place.buffer, page if filling == "chain" else ZERO):
            text.line("tile_regs_acquire();")
            phase = Phase(text, self.unit, self.capacity)
            for slot, dot in zip(phase.pin(count), dots, strict=True):
                if dot.initial is not None:
                    shift = plus(page, number(slot)) if filling == "chain" else page
                    if filling == "chain":
                        _check_in_place(dot.initial, place.buffer, shift)
                    phase.compute(dot.initial, slot)
            self.unit.multiply(text, dots[0], 0, height, width)
            text.line("tile_regs_commit();")
        if filling == "chain":
            text.line(f"cb_pop_front({cb}, {count});")
        text.line("tile_regs_wait();")
        if filling == "chain":
            text.line(f"cb_reserve_back({cb}, {count});")
        columns = next((n for lane, n in zip(place.home, place.counts, strict=True) if lane == "col"), 1)
        for slot in range(count):
            at = plus(page, number(slot // width * columns + slot % width))
            in_order = filling == "chain" or (filling != "part" and (height == 1 or width == columns))
            self.unit.pack(text, slot, place.buffer, None if in_order else at)
        text.line("tile_regs_release();")
        if filling == "chain":
            text.line(f"cb_push_back({cb}, {count});")

    # -- loops ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _over(self, text: Text, place: Place, steps: Mapping[str, int], names: list[str]) -> Iterator[None]:
        """Loops over tiles in the order of pages."""
        rank = {"at": 0, "row": 1, "col": 2, "run": 2}
        order = sorted(range(len(names)), key=lambda axis: (rank[place.home[axis]], axis))
        looped = False
        with ExitStack() as stack:
            for axis in order:
                if place.counts[axis] > steps[names[axis]]:
                    stack.enter_context(text.block(_for(names[axis], place.counts[axis], steps[names[axis]])))
                    looped = True
            if looped:
                self.unit.forget()
            yield
        if looped:
            self.unit.forget()

    @contextmanager
    def _front(self, buffer: str, page: Affine) -> Iterator[None]:
        """Pages of ``buffer`` before ``page`` are popped already."""
        self.unit.gone = {buffer: page} if page != ZERO else {}
        yield
        self.unit.gone = {}

    def _name(self, lane: str, axis: int) -> str:
        name = {"row": "row", "col": "column", "run": "page"}.get(lane, f"axis{axis}")
        while name in self.taken:
            name += "_"
        return name


def _for(name: str, count: int, step: int = 1) -> str:
    advance = f"++{name}" if step == 1 else f"{name} += {step}"
    return f"for (uint32_t {name} = 0; {name} < {count}; {advance})"


def _check_in_place(node: Node, buffer: str, page: Affine) -> None:
    """Raises :class:`NotInPlace` unless ``node`` reads no page of ``buffer`` but ``page``."""
    if isinstance(node, Read) and node.buffer == buffer and node.page != page:
        raise NotInPlace(buffer)
    if isinstance(node, Dot) and buffer in (node.left.buffer, node.right.buffer):
        raise NotInPlace(buffer)
    for child in (*children(node), *((node.body,) if isinstance(node, Fold) else ())):
        _check_in_place(child, buffer, page)


def block_shape(rows: int, columns: int, capacity: int, in_place: bool, dot: Dot) -> tuple[int, int]:
    """(height, width) of the blocks of a product that unpack least; both divide the tile counts.

    A block that replaces old tiles must be a run of pages: a part of one row, or whole rows. A right operand whose
    columns do not follow each other is taken one column at a time.
    """
    if capacity < 1:
        raise OutOfSlots
    best, score = (1, 1), 2.0
    for height in range(1, capacity + 1):
        for width in range(1, capacity // height + 1):
            fits = rows % height == 0 and columns % width == 0
            runs = not in_place or height == 1 or width == columns
            apart = width > 1 and dot.right_stride != 1
            unpacked = 1 / height + 1 / width
            if fits and runs and not apart and (unpacked, -width) < (score, -best[1]):
                best, score = (height, width), unpacked
    return best
