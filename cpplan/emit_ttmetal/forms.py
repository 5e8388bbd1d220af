"""Integer forms and masks in slots: what an ``index`` or ``mask`` op is for one hardware tile.

A form is the sum of a part that is equal in the whole tile, which the processor computes on its way, and of multiples
of the number of the row or column, which pages made at the start of the kernel hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cpplan.emit_ttmetal.elementwise import refuse
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.nodes import Apply, Node, Number, Read
from cpplan.emit_ttmetal.ops import FLOAT, IMMEDIATE
from cpplan.emit_ttmetal.places import LANE_SIZE, Lane, Role, View, long_axes
from cpplan.emit_ttmetal.text import ZERO, number, plus, scaled, symbol
from cpplan.tile.program import Access, Affine, Op, TileProgram

ROWS, COLUMNS, LANES = "index.rows", "index.columns", "index.lanes"
"""Buffers of one page each: the row, the column, or the place in a run of every element of a hardware tile."""

INDEX_PAGES: Mapping[Lane, str] = {"row": ROWS, "col": COLUMNS, "run": LANES}


@dataclass
class Forms:
    """Builder of forms; ``index_pages`` collects the pages that they read."""

    program: TileProgram
    index_pages: set[str] = field(default_factory=set)

    def index(self, op: Op, view: View) -> Node:
        """An integer form as data."""
        return self._form(op, view, "")

    def mask(self, op: Op, view: View) -> Node:
        """1 where all forms of a mask are at least 0; forms that are so everywhere are left out."""
        prefixes = sorted({name.partition(".")[0] for name, _ in op.attributes})
        return all_of(self._form(op, view, f"{p}.") for p in prefixes if self._lowest(op, f"{p}.") < 0)

    def inside(self, extents: Mapping[int, int], view: View) -> Node | None:
        """1 where the element number along each of some long axes is below an extent; None where that is everywhere."""
        tests = []
        for axis, extent in extents.items():
            role = view[axis]
            if extent % LANE_SIZE[role.lane]:
                base = plus(number(extent - 1), scaled(role.index, -LANE_SIZE[role.lane]))
                tests.append(self._sum(base, [(role.lane, -1)]))
        return all_of(tests) if tests else None

    def valid(self, access: Access, view: View) -> Node:
        """1 where elements of a load take part."""
        axes = [axis for axis, extent in enumerate(access.tile) if extent > 1]
        tests: list[Node] = []
        for axis, bounds in enumerate(access.bounds):
            role = view[axes.index(axis)] if axis in axes else Role("at", ZERO)
            own = plus(_indices(access.starts[axis]), scaled(role.index, LANE_SIZE[role.lane]))
            factors = (1, -1) if role.lane != "at" else (0, 0)
            size = self.program.tensor(access.tensor).shape[axis]
            for begin in dict.fromkeys(bounds.begins):
                if self._least(plus(access.starts[axis], scaled(begin, -1))) < 0:
                    tests.append(self._sum(plus(own, scaled(_indices(begin), -1)), [(role.lane, factors[0])]))
            for end in dict.fromkeys((*bounds.ends, Affine(size))):
                if self._least(plus(end, scaled(access.starts[axis], -1), number(-access.tile[axis]))) < 0:
                    rest = plus(_indices(end), number(-1), scaled(own, -1))
                    tests.append(self._sum(rest, [(role.lane, factors[1])]))
        return all_of(tests)

    def _form(self, op: Op, view: View, prefix: str) -> Node:
        roles = dict(zip(long_axes(op.shape), view, strict=True))
        base, varying = ZERO, list[tuple[Lane, int]]()
        for name, factor in _terms(op, prefix):
            if name == "opaque":
                raise refuse(op, "it depends on data in a way that is not known")
            if name == "const":
                base = plus(base, number(factor))
            elif name.startswith("lane"):
                role = roles.get(int(name.removeprefix("lane")))
                if role is not None:
                    base = plus(base, scaled(role.index, factor * LANE_SIZE[role.lane]))
                    varying.append((role.lane, factor))
            else:
                base = plus(base, scaled(symbol(identifier(name)), factor))
        return self._sum(base, varying)

    def _sum(self, base: Affine, varying: Sequence[tuple[Lane, int]]) -> Node:
        total: Node | None = None
        for lane, factor in varying:
            if lane == "at" or not factor:
                continue
            self.index_pages.add(INDEX_PAGES[lane])
            part: Node = Read(INDEX_PAGES[lane], ZERO, "copy")
            if factor != 1 and (total is None or factor != -1):
                part = Apply(IMMEDIATE["mul"], (part,), float(factor))
            total = part if total is None else Apply(FLOAT["sub" if factor == -1 else "add"], (total, part))
        if total is None:
            return Number(base)
        if base == ZERO:
            return total
        return Apply(IMMEDIATE["add"], (total,), base if base.terms else float(base.const))

    def _least(self, form: Affine) -> int:
        """The smallest value of a form of the kernel's indices in the whole launch."""
        most = {dim.name: dim.extent - 1 for dim in self.program.dims}
        most |= {loop.name: loop.trips - 1 for loop in self.program.loops}
        return form.const + sum(min(0, factor * most[name]) for name, factor in form.terms)

    def _lowest(self, op: Op, prefix: str) -> int:
        """The smallest value of a form in the whole launch."""
        most = {dim.name: dim.extent - 1 for dim in self.program.dims}
        most |= {loop.name: loop.trips - 1 for loop in self.program.loops}
        most |= {f"lane{axis}": extent - 1 for axis, extent in enumerate(op.shape)}
        return sum(
            factor if name == "const" else min(0, factor * most.get(name, 0)) for name, factor in _terms(op, prefix)
        )


def all_of(tests: Iterable[Node]) -> Node:
    """1 where every form is at least 0."""
    found: Node | None = None
    for test in tests:
        part = Apply(FLOAT["is_nonnegative"], (test,))
        found = part if found is None else Apply(FLOAT["min"], (found, part))
    return Number(1.0) if found is None else found


def _terms(op: Op, prefix: str) -> Iterator[tuple[str, int]]:
    for name, factor in op.attributes:
        if name.startswith(prefix):
            yield name.removeprefix(prefix), int(factor)


def _indices(form: Affine) -> Affine:
    return plus(number(form.const), *(scaled(symbol(identifier(n)), f) for n, f in form.terms))
