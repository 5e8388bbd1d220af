"""Parallel dims: program ids re-based to a box on which every access start is affine.

The visiting order of a grid (grouping, swizzles, flattened batch and head) does not change what is computed, so the
functions of the program id that occur in addresses are taken as coordinates, if together they number the programs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cpplan.frontend.linear import Atom, Linear
from cpplan.frontend.space import Array, Space

MAX_SETS = 64
"""Column sets that are tried as a box."""

SAMPLE = 1000
"""Blocks on which a linear combination is looked for; it is then checked on all. They are drawn at random, since equal
steps would show some coordinates at one value only."""

Column = Array
"""One value per block (flattened grid)."""


@dataclass(frozen=True)
class Coordinates:
    """The box: ``columns[d]`` is coordinate ``d`` of every block, running 0, 1, ... ``extents[d] - 1``."""

    extents: tuple[int, ...]
    columns: tuple[Column, ...]

    def affine(self, values: Column) -> tuple[int, tuple[int, ...]] | None:
        """(const, coefficient per dim) when ``values`` is affine in the coordinates, else None."""
        at_origin = self._at(values, None)
        slopes = tuple(self._at(values, d) - at_origin if extent > 1 else 0 for d, extent in enumerate(self.extents))
        fitted = np.full(values.shape, at_origin, dtype=np.int64)
        for slope, column in zip(slopes, self.columns, strict=True):
            fitted += slope * column
        return (at_origin, slopes) if bool((fitted == values).all()) else None

    def _at(self, values: Column, dim: int | None) -> int:
        """Value at the origin, or one step along ``dim``."""
        hit = np.ones(values.shape, dtype=bool)
        for d, column in enumerate(self.columns):
            hit &= column == int(d == dim)
        return int(values[int(np.argmax(hit))])


@dataclass(frozen=True)
class Blocks:
    """The points that become parallel blocks: the grid, or grid x iterations of a persistent loop (axis ``loop``)."""

    space: Space
    loop: int | None = None
    pick: Array | None = None

    @property
    def axes(self) -> tuple[int, ...]:
        """Space axes that the points run over."""
        return (0, 1, 2) if self.loop is None else (0, 1, 2, 3 + self.loop)

    def depends(self, atom: Atom) -> bool:
        """Whether an atom is a function of these axes alone."""
        if atom.kind == "axis":
            return atom.number in self.axes
        if atom.kind != "table":
            return False
        shape = self.space.tables[atom.number].shape
        return all(extent == 1 or axis in self.axes for axis, extent in enumerate(shape))

    def column(self, form: Linear) -> Column | None:
        """Value of a form of these axes at every point."""
        values = self.space.array(form)
        return None if values is None else self.spread(values)

    def spread(self, values: Array) -> Column | None:
        """Values on the box of all axes, at every point; None when they depend on other axes."""
        shape = [1] * self.space.rank
        for axis in self.axes:
            shape[axis] = self.space.extents[axis] or 1
        if any(n > m for n, m in zip(values.shape, shape, strict=True)):
            return None
        flat: Column = np.broadcast_to(values, shape).ravel()
        return flat if self.pick is None else flat[self.pick]

    @property
    def count(self) -> int:
        """Number of blocks."""
        if self.pick is not None:
            return int(self.pick.size)
        return math.prod(self.space.extents[axis] or 1 for axis in self.axes)

    @property
    def programs(self) -> Array:
        """Number of the program (flattened grid, x slowest) that every block belongs to."""
        inner = 1 if self.loop is None else self.space.extents[3 + self.loop] or 1
        points: Array = np.arange(self.count) if self.pick is None else self.pick
        return points // inner


def normalised(column: Column) -> Column | None:
    """Smallest value moved to 0 and the common factor divided out; None when constant."""
    shifted = column - column.min()
    factor = int(np.gcd.reduce(shifted))
    return shifted // factor if factor else None


def find_box(columns: list[Column], blocks: Blocks) -> Coordinates | None:
    """Coordinates made of the given functions such that each block has its own point, or None.

    Of several boxes the first one is taken in which all functions are affine, or else as many as possible. Blocks that
    agree in all functions get one more coordinate (their rank among equals) when there are equally many of them at
    every point. The raw grid axes are the last resort.
    """
    distinct, uses = {c.tobytes(): c for c in columns}, Counter(c.tobytes() for c in columns)
    best, fewest = None, len(columns) + 1
    for box in _boxes(list(distinct.values()), blocks):
        missed = sum(uses[key] for key, column in distinct.items() if box.affine(column) is None)
        if missed < fewest:
            best, fewest = box, missed
        if not missed:
            break
    return best


def _boxes(columns: list[Column], blocks: Blocks) -> Iterator[Coordinates]:
    """Boxes of the columns and of smaller sets that number the same blocks, then the box of the grid axes."""
    pending = [columns]
    seen: set[frozenset[bytes]] = set()
    while pending and len(seen) < MAX_SETS:
        current = pending.pop()
        key = frozenset(column.tobytes() for column in current)
        if key in seen:
            continue
        seen.add(key)
        found = _as_box(current, blocks.count)
        if found is not None:
            yield found
        elif len(current) > 1:
            pending.extend(reversed(_reductions(current)))
    raw = [
        blocks.column(Linear.atom(Atom("axis", axis))) for axis in blocks.axes if (blocks.space.extents[axis] or 1) > 1
    ]
    axes = _as_box([c for c in raw if c is not None], blocks.count) if raw else None
    if axes is not None:
        yield axes


def _reductions(columns: list[Column]) -> list[list[Column]]:
    """Column sets with one redundancy removed: a linear combination of others, ``u`` split by ``v = f(u)``, or any
    function of the others, which is then not affine."""
    without = [columns[:j] + columns[j + 1 :] for j in range(len(columns))]
    options = [others for column, others in zip(columns, without, strict=True) if _is_combination(column, others)]
    for i, fine in enumerate(columns):
        for j, coarse in enumerate(columns):
            rank = _rank_inside(fine, coarse) if i != j else None
            if rank is not None:
                options.append([*columns[:i], rank, *columns[i + 1 :]])
    points = int(_key(columns).max())
    return options + [others for others in without if int(_key(others).max()) == points]


def _ranks(column: Column) -> tuple[int, Column]:
    """How many values a column has, and the rank of each entry among them. Small numbers are counted, not sorted."""
    if int(column.min()) < 0 or int(column.max()) > 4 * len(column):
        values, position = np.unique(column, return_inverse=True)
        return len(values), position.astype(np.int64)
    ranks = np.cumsum(np.bincount(column) > 0) - 1
    return int(ranks[-1]) + 1, ranks[column]


def _key(columns: list[Column]) -> Column:
    """One number per block, equal for blocks that agree in all columns."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        count, position = _ranks(column)
        key = _ranks(key * count + position)[1]
    return key


def _is_combination(column: Column, others: list[Column]) -> bool:
    matrix = np.stack([*others, np.ones_like(column)], axis=1).astype(float)
    count = len(column)
    sample = np.arange(count) if count <= SAMPLE else np.random.default_rng(0).integers(0, count, SAMPLE)
    solution = np.linalg.lstsq(matrix[sample], column[sample].astype(float), rcond=None)[0]
    return bool(np.abs(matrix @ solution - column).max() < 1e-6)


def _rank_inside(fine: Column, coarse: Column) -> Column | None:
    """With ``coarse = f(fine)``: the position of ``fine`` among the values that share one ``coarse``."""
    count, position = _ranks(fine)
    groups = np.zeros(count, dtype=np.int64)
    groups[position] = coarse
    if not bool((groups[position] == coarse).all()) or len(np.unique(groups)) in (1, count):
        return None
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], groups[order])
    rank = np.zeros(count, dtype=np.int64)
    rank[order] = np.arange(count) - starts
    result: Column = rank[position]
    return None if np.array_equal(result, fine) else result


def _as_box(columns: list[Column], count: int) -> Coordinates | None:
    """Coordinates if the columns number ``count`` blocks without a gap, adding a rank for blocks that agree in all."""
    compact, extents = [], []
    key = np.zeros(count, dtype=np.int64)
    for column in columns:
        distinct, position = _ranks(column)
        compact.append(position)
        extents.append(distinct)
        key = key * distinct + position
    points, ranks = _ranks(key)
    sizes = np.bincount(ranks)
    if points != math.prod(extents) or sizes.min() != sizes.max():
        return None
    if sizes[0] > 1:
        order = np.argsort(key, kind="stable")
        rank = np.zeros(count, dtype=np.int64)
        rank[order] = np.arange(count) % int(sizes[0])
        compact.append(rank)
        extents.append(int(sizes[0]))
    return Coordinates(tuple(extents), tuple(compact))
