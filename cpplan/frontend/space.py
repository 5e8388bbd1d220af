"""Exact integer functions on the box (grid axes x loop iterations), held as numpy arrays and fitted.

No symbolic rules for division, remainder or minimum are needed: a scalar is evaluated on every point, then recognised
as a constant, a linear form of the axes, a multiple of a known function, or it becomes a new known function.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from cpplan.frontend.linear import Atom, Linear

Array = NDArray[np.int64]

MAX_POINTS = 8_000_000
"""Arrays stay below this many entries; larger questions are answered 'unknown'."""


class Space:
    """The axes of one launch. Axis 0-2 are the grid, axis ``3 + l`` is loop ``l``; ``extents`` of loops come and go."""

    def __init__(self, grid: tuple[int, int, int], loops: int) -> None:
        self.rank = 3 + loops
        self.extents: list[int | None] = [*grid, *([None] * loops)]
        self.tables: list[Array] = []
        self.origins: dict[int, tuple[str, Linear, Linear]] = {}  # table -> the operation on two forms that made it
        self.valid: NDArray[np.bool_] | None = None  # points that really run, when trip counts differ between blocks

    def ramp(self, axis: int) -> Array | None:
        """0, 1, 2, ... along ``axis``; None while the axis has no known extent."""
        extent = self.extents[axis]
        if extent is None:
            return None
        shape = [1] * self.rank
        shape[axis] = extent
        return np.arange(extent, dtype=np.int64).reshape(shape)

    def array(self, form: Linear) -> Array | None:
        """Values of a lane-free form on all points (broadcastable), or None when it is not known."""
        total: Array = np.full((1,) * self.rank, form.const, dtype=np.int64)
        for atom, coefficient in form.terms:
            part = self._part(atom)
            if part is None or np.broadcast(total, part).size > MAX_POINTS:
                return None
            total = total + coefficient * part
        return total

    def _part(self, atom: Atom) -> Array | None:
        if atom.kind == "axis":
            return self.ramp(atom.number)
        return self.tables[atom.number] if atom.kind == "table" else None

    def form(self, values: Array) -> Linear:
        """The linear form that equals ``values`` on every point; a new table atom when it is none of the known."""
        values = self._squeezed(np.asarray(values, dtype=np.int64))
        if values.size == 1:
            return Linear(int(values.flat[0]))
        return self._as_axes(values) or self._as_known(values) or self._as_sum(values) or self._as_new(values)

    def _squeezed(self, values: Array) -> Array:
        """Axes on which the values do not depend reduced to extent 1."""
        for axis in range(self.rank):
            first = values.take([0], axis)
            if values.shape[axis] > 1 and bool((values == first).all()):
                values = first
        return values

    def _as_axes(self, values: Array) -> Linear | None:
        origin = int(values[(0,) * self.rank])
        fitted: Array = np.full((1,) * self.rank, origin, dtype=np.int64)
        terms = []
        for axis in range(self.rank):
            if values.shape[axis] == 1:
                continue
            unit = tuple(int(axis == other) for other in range(self.rank))
            slope = int(values[unit]) - origin
            ramp = self.ramp(axis)
            if ramp is None:
                return None
            terms.append((Atom("axis", axis), slope))
            fitted = fitted + slope * ramp[tuple(slice(0, n) for n in _limits(values.shape, axis))]
        return Linear.of(terms, origin) if bool((fitted == values).all()) else None

    def _as_known(self, values: Array) -> Linear | None:
        """``p * known + q`` for a function seen before."""
        for index, known in enumerate(self.tables):
            if known.shape != values.shape:
                continue
            other = int(np.argmax(known.ravel() != known.flat[0]))
            rise, run = int(values.flat[other] - values.flat[0]), int(known.flat[other] - known.flat[0])
            if rise == 0 or run == 0 or rise % run:
                continue
            factor = rise // run
            shift = int(values.flat[0]) - factor * int(known.flat[0])
            if bool((known * factor + shift == values).all()):
                return Linear(shift, ((Atom("table", index), factor),))
        return None

    def _as_sum(self, values: Array) -> Linear | None:
        """A function of one loop plus a function of the other axes, each fitted by itself."""
        for axis in range(3, self.rank):
            rest = values.take([0], axis)
            if values.shape[axis] == 1 or rest.size == 1:
                continue
            part = self._squeezed(values - rest)
            if part.size == part.shape[axis]:
                return self.form(rest) + self.form(part)
        return None

    def _as_new(self, values: Array) -> Linear:
        self.tables.append(values)
        return Linear.atom(Atom("table", len(self.tables) - 1))

    def bounds(self, form: Linear, shape: tuple[int, ...]) -> tuple[int, int] | None:
        """Smallest and largest value of ``form`` over all points that run and all lanes of ``shape``."""
        low = high = 0
        for atom, coefficient in form.terms:
            if atom.kind == "lane":
                reach = coefficient * (shape[atom.number] - 1)
                low, high = low + min(0, reach), high + max(0, reach)
        scalar = self.array(form.keeping(lambda a: a.kind != "lane", const=True))
        if scalar is None:
            return None
        scalar = self._running(scalar)
        return (low + int(scalar.min()), high + int(scalar.max())) if scalar.size else (0, 0)

    def _running(self, values: Array) -> Array:
        if self.valid is None or np.broadcast(values, self.valid).size > MAX_POINTS:
            return values
        shape = np.broadcast_shapes(values.shape, self.valid.shape)
        return np.broadcast_to(values, shape)[np.broadcast_to(self.valid, shape)]

    @contextmanager
    def running(self, valid: NDArray[np.bool_] | None) -> Iterator[None]:
        """Look only at the points of ``valid`` (all when None)."""
        outer, self.valid = self.valid, valid
        try:
            yield
        finally:
            self.valid = outer

    @contextmanager
    def loop(self, index: int, trips: Array | None) -> Iterator[None]:
        """Open loop ``index``: its axis has as many points as the largest trip count (None: unknown)."""
        axis, outer = 3 + index, self.valid
        self.extents[axis] = None if trips is None else int(trips.max())
        if trips is not None and int(trips.min()) != int(trips.max()):
            ramp = self.ramp(axis)
            assert ramp is not None
            runs = ramp < trips
            self.valid = runs if outer is None else outer & runs
        try:
            yield
        finally:
            self.valid = outer  # the extent stays: accesses recorded inside are evaluated after the walk


def _limits(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(shape[axis] if other == axis else 1 for other in range(len(shape)))
