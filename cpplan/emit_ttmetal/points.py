"""One value made in a buffer: loops over its hardware tiles, and the phases of DST that compute and pack them."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from cpplan.emit_ttmetal.batches import computed
from cpplan.emit_ttmetal.dst import OutOfSlots, Phase
from cpplan.emit_ttmetal.nodes import Apply, Dot, Fold, Node, Number, Read, children
from cpplan.emit_ttmetal.ops import FLOAT
from cpplan.emit_ttmetal.places import Place, Role, View, lanes_of
from cpplan.emit_ttmetal.text import ZERO, Text, number, plus, symbol
from cpplan.emit_ttmetal.tree import Trees, as_stored
from cpplan.emit_ttmetal.unit import Unit
from cpplan.tile.program import Affine

Filling = Literal["whole", "handed", "chain", "part"]
"""How a point fills its buffer: a whole new block, which this kernel itself reads or another one; tile by tile in place
of the old block; pages of a block that is reserved and pushed elsewhere."""


_RANK = {"at": 0, "row": 1, "col": 2, "run": 2}
"""Pages are counted row-major over axes in this order."""


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

    def make(self, text: Text, value: str, place: Place, filling: Filling, later: str = "") -> None:
        """All tiles of ``value`` to ``place``. Of a chain, there is an old block only where the condition ``later``
        holds, if one is given; before that products are added to nothing."""
        names = [self.variable(lane, axis) for axis, lane in enumerate(place.home)]
        indices = [symbol(n) if count > 1 else ZERO for n, count in zip(names, place.counts, strict=True)]
        view = tuple(Role(lane, index) for lane, index in zip(place.home, indices, strict=True))
        node = self._tile(value, view, place)
        cb, pages = self.unit.names[place.buffer], place.pages
        if filling in ("whole", "handed"):
            text.line(f"cb_reserve_back({cb}, {pages});")
        if len(products_in(node)) == 1:
            self._product(text, value, place, filling, dict(enumerate(names)), later)
        else:
            self._tiles(text, value, place, filling, names)
        if filling in ("whole", "handed"):
            text.line(f"cb_push_back({cb}, {pages});")
        if filling in ("whole", "chain"):
            text.line(f"cb_wait_front({cb}, {pages});")

    # -- tiles ---------------------------------------------------------------------------------------------------------

    def _tile(self, value: str, view: View, place: Place) -> Node:
        node = as_stored(self.trees.node(value, view, lanes_of(view)), self.formats[place.buffer])
        axes = {axis: place.extents[axis] for axis in self.trees.zeroed.get(value, frozenset())}
        valid = self.trees.forms.inside(axes, view) if axes else None
        return node if valid is None else Apply(FLOAT["where"], (valid, node, Number(0.0)))

    def _tiles(self, text: Text, value: str, place: Place, filling: Filling, names: list[str]) -> None:
        """Tile by tile, several of them in a phase if DST has the slots."""
        order = sorted(range(len(names)), key=lambda axis: (_RANK[place.home[axis]], axis))
        inner = next((axis for axis in reversed(order) if place.counts[axis] > 1), None)
        count = place.counts[inner] if inner is not None else 1
        for batch in (n for n in range(min(count, self.capacity), 0, -1) if count % n == 0):
            trial, unit = Text(depth=text.depth), self.unit
            self.unit = copy.copy(unit)
            steps = {name: batch if axis == inner else 1 for axis, name in enumerate(names)}
            try:
                with self._over(trial, place, steps, names):
                    corner = {a: symbol(n) if place.counts[a] > steps[n] else ZERO for a, n in enumerate(names)}
                    tiles = []
                    for shift in range(batch):
                        here = dict(corner)
                        if inner is not None:
                            here[inner] = plus(here[inner], number(shift))
                        view = tuple(Role(lane, here[axis]) for axis, lane in enumerate(place.home))
                        tiles.append(self._tile(value, view, place))
                    self._phase(trial, tiles, place, filling, place.page(corner))
            except OutOfSlots:
                self.unit = unit
                continue
            unit.take(self.unit)
            self.unit = unit
            text.lines += trial.lines
            return
        raise OutOfSlots

    def one(self, text: Text, node: Node, place: Place, filling: Filling, page: Affine) -> None:
        """A phase of one tile."""
        self._phase(text, [node], place, filling, page)

    def _phase(self, text: Text, nodes: list[Node], place: Place, filling: Filling, page: Affine) -> None:
        """A phase of tiles whose pages follow each other from ``page`` on."""
        for shift, node in enumerate(nodes if filling == "chain" else ()):
            _check_in_place(node, place.buffer, plus(page, number(shift)))
        with self._front(place.buffer, page if filling == "chain" else ZERO):
            text.line("tile_regs_acquire();")
            slots = computed(text, self.unit, nodes, self.capacity)
            text.line("tile_regs_commit();")
        pages = [plus(page, number(shift)) if filling == "part" else None for shift in range(len(nodes))]
        self._pack(text, slots, place, filling, pages)

    def _pack(
        self, text: Text, slots: Sequence[int], place: Place, filling: Filling, pages: Sequence[Affine | None],
        later: str = "",
    ) -> None:  # fmt: skip
        """The end of a phase: slots to the next pages, or to those given."""
        cb = self.unit.names[place.buffer]
        if filling == "chain":
            text.line((f"if ({later}) " if later else "") + f"cb_pop_front({cb}, {len(slots)});")
        text.line("tile_regs_wait();")
        if filling == "chain":
            text.line(f"cb_reserve_back({cb}, {len(slots)});")
        for slot, page in zip(slots, pages, strict=True):
            self.unit.pack(text, slot, place.buffer, page)
        text.line("tile_regs_release();")
        if filling == "chain":
            text.line(f"cb_push_back({cb}, {len(slots)});")

    # -- products ------------------------------------------------------------------------------------------------------

    def _product(
        self, text: Text, value: str, place: Place, filling: Filling, names: dict[int, str], later: str
    ) -> None:
        """Tiles that hold one matrix product each, in blocks that fit DST: the larger, the less is unpacked."""
        for slots, share in itertools.product(range(self.capacity, 0, -1), (True, False)):
            trial, unit = Text(depth=text.depth), self.unit
            self.unit = copy.copy(unit)
            try:
                self._blocks(trial, value, place, filling, names, slots, share, later)
            except OutOfSlots:
                self.unit = unit
                continue
            unit.take(self.unit)
            self.unit = unit
            text.lines += trial.lines
            return
        raise OutOfSlots

    def _blocks(
        self, text: Text, value: str, place: Place, filling: Filling, names: dict[int, str], slots: int, share: bool,
        later: str,
    ) -> None:  # fmt: skip
        """``_product`` in blocks of at most ``slots`` tiles."""
        axes = {lane: axis for axis, lane in enumerate(place.home)}
        rows, columns = (place.counts[axes[lane]] if lane in axes else 1 for lane in ("row", "col"))
        first = self._tile(value, tuple(Role(lane, ZERO) for lane in place.home), place)
        height, width = block_shape(rows, columns, slots, filling == "chain", products_in(first)[0])
        steps = {names[axes[lane]]: n for lane, n in (("row", height), ("col", width)) if lane in axes}
        with self._over(text, place, {n: steps.get(n, 1) for n in names.values()}, list(names.values())):
            corner = {a: symbol(n) if place.counts[a] > steps.get(n, 1) else ZERO for a, n in names.items()}
            tiles = []
            for row, column in itertools.product(range(height), range(width)):
                here = dict(corner)
                for lane, shift in (("row", row), ("col", column)):
                    if lane in axes:
                        here[axes[lane]] = plus(here[axes[lane]], number(shift))
                tiles.append(
                    self._tile(value, tuple(Role(lane, here[axis]) for axis, lane in enumerate(place.home)), place)
                )
            self._block(text, tiles, height, width, place, filling, place.page(corner), share, later)

    def _block(
        self, text: Text, tiles: list[Node], height: int, width: int, place: Place, filling: Filling, page: Affine,
        share: bool, later: str,
    ) -> None:  # fmt: skip
        """A phase: what products are added to, the products, then what is made of each."""
        count = height * width
        dots = [products_in(tile)[0] for tile in tiles]
        for slot, tile in enumerate(tiles if filling == "chain" else ()):
            _check_in_place(tile, place.buffer, plus(page, number(slot)))
        with self._front(place.buffer, page if filling == "chain" else ZERO):
            text.line("tile_regs_acquire();")
            phase = Phase(text, self.unit, self.capacity, share)
            with self._where(text, later):
                for slot, dot in zip(phase.pin(count), dots, strict=True):
                    if dot.initial is not None:
                        phase.compute(dot.initial, slot)
            self.unit.multiply(text, dots[0], 0, height, width)
            for slot, (tile, dot) in enumerate(zip(tiles, dots, strict=True)):
                if tile is not dot:
                    phase.compute(tile, slot, {dot: slot})
            text.line("tile_regs_commit();")
        columns = next((n for lane, n in zip(place.home, place.counts, strict=True) if lane == "col"), 1)
        in_order = filling == "chain" or (filling != "part" and (height == 1 or width == columns))
        places = [plus(page, number(slot // width * columns + slot % width)) for slot in range(count)]
        self._pack(text, range(count), place, filling, [None] * count if in_order else places, later)

    # -- loops ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _over(self, text: Text, place: Place, steps: Mapping[str, int], names: list[str]) -> Iterator[None]:
        """Loops over tiles in the order of pages."""
        order = sorted(range(len(names)), key=lambda axis: (_RANK[place.home[axis]], axis))
        looped = False
        with ExitStack() as stack:
            for axis in order:
                if place.counts[axis] > steps[names[axis]]:
                    stack.enter_context(text.block(loop_head(names[axis], place.counts[axis], steps[names[axis]])))
                    looped = True
            if looped:
                self.unit.forget()
            yield
        if looped:
            self.unit.forget()

    @contextmanager
    def _where(self, text: Text, condition: str) -> Iterator[None]:
        """What follows is done where ``condition`` holds."""
        if not condition:
            yield
            return
        with text.block(f"if ({condition})"):
            yield
        self.unit.forget()

    @contextmanager
    def _front(self, buffer: str, page: Affine) -> Iterator[None]:
        """Pages of ``buffer`` before ``page`` are popped already."""
        self.unit.gone = {buffer: page} if page != ZERO else {}
        yield
        self.unit.gone = {}

    def variable(self, lane: str, axis: int) -> str:
        """The variable of a loop over the tiles along an axis."""
        name = {"row": "row", "col": "column", "run": "page"}.get(lane, f"axis{axis}")
        while name in self.taken:
            name += "_"
        return name


def products_in(node: Node) -> list[Dot]:
    """The matrix products that a tile is computed from, other than in loops of its own."""
    found: dict[Dot, None] = {}
    pending, seen = [node], set[Node]()
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            found |= {one: None} if isinstance(one, Dot) else {}
            pending += children(one)
    return list(found)


def loop_head(name: str, count: int, step: int = 1) -> str:
    """A loop over ``count`` tiles."""
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
