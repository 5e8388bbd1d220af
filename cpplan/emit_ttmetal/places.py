"""Where the elements of a value lie: which axis runs along the rows of hardware tiles, which along their columns.

Only the *long* axes of a value count, those of more than one element; a reshape that adds or drops others changes
nothing. Reading a value for one hardware tile of a result needs a :class:`Role` per long axis: the axis runs along the
tile's rows ("row") or columns ("col"), along its 1,024 elements ("run"), or stands at one element ("at").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from cpplan.emit_ttmetal.text import ZERO, plus, scaled
from cpplan.tile.arith import ceil_div
from cpplan.tile.layout import RUN
from cpplan.tile.program import HARDWARE_TILE, Affine

Lane = Literal["row", "col", "run", "at"]
Mode = Literal["copy", "transpose", "ROW", "COL", "SCALAR"]
"""How a page becomes a tile: as it is, transposed, or its row 0, column 0 or element (0, 0) spread over the tile."""

Home = tuple[Lane, ...]
"""What each long axis of a value does in its buffer."""

_OUTER: Lane = "at"
_RUN: Lane = "run"
_SWAPPED: dict[Lane, Lane] = {"row": "col", "col": "row", "run": "run", "at": "at"}
LANE_SIZE: dict[Lane, int] = {"row": HARDWARE_TILE, "col": HARDWARE_TILE, "run": RUN, "at": 1}
"""Elements of a page along an axis."""


@dataclass(frozen=True)
class Role:
    """One axis seen from a tile of a result: ``index`` counts hardware tiles along a lane, elements for "at"."""

    lane: Lane
    index: Affine


View = tuple[Role, ...]


@dataclass(frozen=True)
class Place:
    """A value in a circular buffer: ``home`` and ``extents`` (elements) per long axis, pages row-major over axes at one
    element, then rows, then columns, the first one ``offset`` pages after the front."""

    buffer: str
    home: Home
    extents: tuple[int, ...]
    offset: Affine = ZERO

    @property
    def counts(self) -> tuple[int, ...]:
        """Pages along every long axis."""
        return tuple(ceil_div(e, LANE_SIZE[lane]) for e, lane in zip(self.extents, self.home, strict=True))

    @property
    def pages(self) -> int:
        """Pages of the value."""
        total = 1
        for count in self.counts:
            total *= count
        return total

    def page(self, indices: dict[int, Affine]) -> Affine:
        """The page at an index per long axis."""
        form, stride = self.offset, 1
        order = sorted(range(len(self.home)), key=lambda axis: (_RANK[self.home[axis]], axis), reverse=True)
        for axis in order:
            form = plus(form, scaled(indices[axis], stride))
            stride *= self.counts[axis]
        return form


_RANK = {"at": 0, "row": 1, "col": 2, "run": 2}


def long_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Axes of more than one element."""
    return tuple(axis for axis, extent in enumerate(shape) if extent > 1)


def long_extents(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Their extents."""
    return tuple(extent for extent in shape if extent > 1)


def natural_home(rank: int, in_runs: bool, is_column: bool = False) -> Home:
    """The last two long axes are rows and columns; a single one is columns unless ``is_column``."""
    if in_runs:
        return tuple(_RUN for _ in range(rank))
    if rank == 1:
        return ("row",) if is_column else ("col",)
    inside: Home = ("row", "col") if rank else ()
    return (*(_OUTER for _ in range(rank - 2)), *inside)


def swapped(home: Home) -> Home:
    """Rows and columns exchanged."""
    return tuple(_SWAPPED[lane] for lane in home)


def lanes_of(view: View) -> frozenset[Lane]:
    """Lanes along which a value varies."""
    return frozenset(role.lane for role in view if role.lane != "at")


def swapped_view(view: View) -> View:
    """The view of the transposed tile."""
    return tuple(replace(role, lane=_SWAPPED[role.lane]) for role in view)


def reading(home: Home, view: View, lanes: frozenset[Lane]) -> Mode | None:
    """How a tile of ``view`` that matters along ``lanes`` comes out of a page of ``home``; None when it cannot."""
    pairs = [(lane, role.lane) for lane, role in zip(home, view, strict=True)]
    if any((own == "at") != (seen == "at") for own, seen in pairs):
        return None
    inside = [(own, seen) for own, seen in pairs if own != "at"]
    straight = all(own == seen for own, seen in inside)
    if not straight and not all(own == _SWAPPED[seen] for own, seen in inside):
        return None
    missing = lanes - {seen for _, seen in inside}
    if not missing:
        return "copy" if straight else "transpose"
    if not straight:
        return None
    if not inside:  # one number
        return "SCALAR"
    return "COL" if "col" in missing else "ROW"
