"""The loop nest that one core runs under a plan: launch, wave loops, then the block's own loops.

Only loops with more than one trip are levels; a loop that runs once is part of its parent. Neighbouring wave loops
with no transfer between them are one fused loop: the pipeline runs on across them. Node 0 is the launch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cpplan.plan.plan import LAUNCH, Order, Split, wave
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import TileProgram


@dataclass(frozen=True)
class Nest:
    """Levels of a plan, parents before children.

    ``indices[i]`` lists the (parallel dim or loop, trips) pairs that level ``i`` iterates: one for a loop of the block,
    one or more for a wave loop, none for the launch. ``home`` maps each position of the program (loop name, or "" for
    block level) to the innermost level that contains it.
    """

    names: tuple[str, ...]
    indices: tuple[tuple[tuple[str, int], ...], ...]
    parents: tuple[int, ...]
    home: Mapping[str, int]

    @cached_property
    def trips(self) -> tuple[int, ...]:
        """Trips of every level."""
        return tuple(math.prod(trips for _, trips in pairs) for pairs in self.indices)

    def distinct(self, level: int, names: frozenset[str]) -> int:
        """Iterations of one run of ``level`` that differ in an index of ``names``."""
        return math.prod(trips for name, trips in self.indices[level] if name in names)

    def path(self, node: int) -> tuple[int, ...]:
        """Levels from the launch down to ``node``, both included."""
        out = [node]
        while out[-1] != 0:
            out.append(self.parents[out[-1]])
        return tuple(reversed(out))

    def children(self, node: int) -> tuple[int, ...]:
        """Levels directly inside ``node``."""
        return tuple(i for i, parent in enumerate(self.parents) if i and parent == node)

    def iterations(self, node: int) -> int:
        """How often one core runs the body of ``node`` in the whole launch."""
        total = 1
        for level in self.path(node):
            total *= self.trips[level]
        return total


def cores_per_dim(spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Cores that each parallel dim, or loop, is spread over (absent: one)."""
    cores: dict[str, int] = {}
    for splits in spatial:
        for split in splits:
            cores[split.dim] = cores.get(split.dim, 1) * split.factor
    return cores


def wave_trips(program: TileProgram, spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Waves of every parallel dim: ceil(extent / cores)."""
    cores = cores_per_dim(spatial)
    return {d.name: ceil_div(d.extent, cores.get(d.name, 1)) for d in program.dims}


def loop_trips(program: TileProgram, spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Trips of every loop that one core runs: ceil(trips / cores) of one that several cores share."""
    cores = cores_per_dim(spatial)
    return {loop.name: ceil_div(loop.trips, cores.get(loop.name, 1)) for loop in program.loops}


def build_nest(program: TileProgram, spatial: tuple[tuple[Split, ...], ...], order: Order) -> Nest:
    """The nest of ``program`` on ``spatial`` with wave loops in ``order``."""
    waves, trips = wave_trips(program, spatial), loop_trips(program, spatial)
    names, parents = [LAUNCH], [0]
    indices: list[tuple[tuple[str, int], ...]] = [()]
    for group in order:
        names.append(wave(*group))
        indices.append(tuple((dim, waves[dim]) for dim in group))
        parents.append(len(names) - 2)
    home = {"": len(names) - 1}
    for loop in program.loops:
        parent = home[loop.parent or ""]
        if trips[loop.name] > 1:
            names.append(loop.name)
            indices.append(((loop.name, trips[loop.name]),))
            parents.append(parent)
            parent = len(names) - 1
        home[loop.name] = parent
    return Nest(tuple(names), tuple(indices), tuple(parents), home)
