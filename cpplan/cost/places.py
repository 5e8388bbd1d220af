"""The placements behind the rows of one access: made one by one when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from cpplan.plan.plan import Delivery, Placement

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Places(Sequence[Placement]):
    """Placements of ``access``: of option ``i`` at level ``levels[level[i]]`` by ``ways[way[i]]``."""

    access: str
    levels: tuple[str, ...]
    ways: tuple[Delivery, ...]
    level: Ints
    depth: Ints
    way: Ints

    def __len__(self) -> int:
        return len(self.level)

    @overload
    def __getitem__(self, item: int) -> Placement: ...
    @overload
    def __getitem__(self, item: slice) -> Places: ...
    def __getitem__(self, item: int | slice) -> Placement | Places:
        if isinstance(item, slice):
            return self.take(np.arange(len(self))[item])
        way = self.ways[self.way[item]]
        level, depth = self.levels[self.level[item]], int(self.depth[item])
        return Placement(self.access, level, depth, way.groups, way.pattern, way.noc, way.reader)

    def take(self, keep: Ints | Bools) -> Places:
        """The placements selected by ``keep``."""
        return Places(self.access, self.levels, self.ways, self.level[keep], self.depth[keep], self.way[keep])

    def end_at(self, dim: int, size: int) -> Bools:
        """Which placements share with groups of ``size`` cores along spatial dim ``dim``."""
        return np.array([way.groups[dim] == size for way in self.ways], dtype=bool)[self.way]
