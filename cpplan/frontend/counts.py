"""How often a loop runs, counted from the expressions of its bounds: exact for all block shapes at once.

Causal bounds, clipped last blocks and bands around a diagonal are all alike: they are evaluated at every point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpplan.frontend.affine import Analysis, LoopRecord
from cpplan.frontend.scalars import GRID, Scalar, ScalarReader, UnknownScalar, names_in, value_of
from cpplan.frontend.space import MAX_POINTS, Array


@dataclass(frozen=True)
class Range:
    """Bounds of a loop that counts from ``lower`` to ``upper`` (excluded) in steps of ``step``."""

    name: str
    lower: Scalar
    upper: Scalar
    step: Scalar


Nest = tuple[Range, ...]
"""A loop after all loops around it, outermost first."""


@dataclass(frozen=True)
class Counts:
    """Fewest and most trips of a loop over all of its runs, and the sum over all blocks; one entry per block shape."""

    fewest: Array
    most: Array
    total: Array

    @property
    def even(self) -> bool:
        """Whether all runs have equally many trips, at every block shape."""
        return bool((self.fewest == self.most).all())


def nest_of(record: LoopRecord, analysis: Analysis, names: Mapping[int, str]) -> Nest | None:
    """The loop and those around it, called by ``names``; None when a bound depends on anything but these and program
    ids."""
    reader, nest, at = ScalarReader(analysis, names), [], record
    try:
        while True:
            lower, upper, step = (reader.scalar(value) for value in at.op.operands[:3])
            nest.append(Range(names[at.index], lower, upper, step))
            if at.parent is None:
                return tuple(reversed(nest))
            at = analysis.loops[at.parent]
    except UnknownScalar:
        return None


def counts(nest: Nest, grid: Sequence[Array]) -> Counts:
    """Trips of the innermost loop of ``nest``, per block shape. ``grid`` has one array per axis: extents by shape."""
    used = {name for loop in nest for side in (loop.lower, loop.upper, loop.step) for name in names_in(side)}
    rows = len(grid[0])
    points = math.prod(int(extents.max()) for name, extents in zip(GRID, grid, strict=True) if name in used)
    step = max(1, MAX_POINTS // points)
    parts = [_count(nest, used, [g[at : at + step] for g in grid], slice(at, at + step)) for at in range(0, rows, step)]
    return Counts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _count(nest: Nest, used: set[str], grid: Sequence[Array], rows: slice) -> tuple[Array, Array, Array]:
    """Fewest, most and all trips."""
    points = _Points(rows, 1 + len(GRID) + len(nest))
    runs: Array = np.ones((1,) * points.rank, dtype=np.int64)  # how often the loop is entered at each point
    for name, extents in zip(GRID, grid, strict=True):
        column = points.column(extents)
        runs = runs * (points.axis(name, int(extents.max())) < column if name in used else column)
    for loop in nest[:-1]:
        around = points.trips(loop)
        runs = runs * (points.axis(loop.name, int(around.max())) < around if loop.name in used else around)
    trips, runs = np.broadcast_arrays(points.trips(nest[-1]), runs)
    axes = tuple(range(1, points.rank))
    most = np.where(runs > 0, trips, 0).max(axes)
    fewest = np.where(runs > 0, trips, most.max()).min(axes)
    return fewest, most, (trips * runs).sum(axes)


class _Points:
    """Values of expressions at all points: the first axis of every array is the block shape, the others are program ids
    and iterations, in the order in which they were asked for."""

    def __init__(self, rows: slice, rank: int) -> None:
        self.rows, self.rank = rows, rank
        self.indices: dict[str, Array] = {}

    def column(self, values: Array) -> Array:
        return values.reshape(-1, *([1] * (self.rank - 1)))

    def axis(self, name: str, extent: int) -> Array:
        position = 1 + len(self.indices)
        shape = [max(1, extent) if axis == position else 1 for axis in range(self.rank)]
        self.indices[name] = np.arange(max(1, extent), dtype=np.int64).reshape(shape)
        return self.indices[name]

    def trips(self, loop: Range) -> Array:
        lower, upper, step = (self.value(side) for side in (loop.lower, loop.upper, loop.step))
        trips: Array = np.maximum(0, -((lower - upper) // step))
        return trips

    def value(self, scalar: Scalar) -> Array:
        return value_of(scalar, self.number, self.indices)

    def number(self, given: Any) -> Array:
        value = np.asarray(given, dtype=np.int64)
        return self.column(value[self.rows] if value.ndim else value)
