"""The loop nest that one core runs under a plan: launch, wave loops, then the block's own loops.

Only loops with more than one trip are levels; a loop that runs at most once is part of its parent. Neighbouring wave
loops with no transfer between them are one fused loop: the pipeline runs on across them. Node 0 is the launch.

The *trips* of a loop whose trip count depends on the block are a mean over waves (:mod:`cpplan.plan.waves`). What a
buffer holds for it must suffice for every block: the largest trip count, its *span*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from cpplan.plan.plan import LAUNCH, Order, Split, wave
from cpplan.plan.waves import trips_in_waves
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Profile, TileProgram


@dataclass(frozen=True)
class Nest:
    """Levels of a plan, parents before children.

    ``indices[i]`` lists the (parallel dim or loop, span) pairs that level ``i`` iterates: one for a loop of the block,
    one or more for a wave loop, none for the launch. ``trips[i]`` is how often one run of level ``i`` iterates, the
    mean over waves where that varies; never more than the spans multiplied. ``home`` maps each position of the program
    (loop name, or "" for block level) to the innermost level that contains it.
    """

    names: tuple[str, ...]
    indices: tuple[tuple[tuple[str, int], ...], ...]
    trips: tuple[int, ...]
    parents: tuple[int, ...]
    home: Mapping[str, int]

    @cached_property
    def spans(self) -> tuple[int, ...]:
        """Largest number of iterations of one run of every level."""
        return tuple(math.prod(span for _, span in pairs) for pairs in self.indices)

    def distinct(self, level: int, names: frozenset[str]) -> int:
        """Iterations of the longest run of ``level`` that differ in an index of ``names``."""
        return math.prod(span for name, span in self.indices[level] if name in names)

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For every level the levels from the launch down to it, both included."""
        out: list[tuple[int, ...]] = [(0,)]
        for node, parent in enumerate(self.parents[1:], 1):
            out.append((*out[parent], node))
        return tuple(out)

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """How often one core runs the body of every level in the whole launch."""
        return tuple(math.prod(self.trips[level] for level in path) for path in self.paths)

    def path(self, node: int) -> tuple[int, ...]:
        """Levels from the launch down to ``node``, both included."""
        return self.paths[node]

    def children(self, node: int) -> tuple[int, ...]:
        """Levels directly inside ``node``."""
        return tuple(i for i, parent in enumerate(self.parents) if i and parent == node)

    def iterations(self, node: int) -> int:
        """How often one core runs the body of ``node`` in the whole launch."""
        return self.runs[node]


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


def loop_spans(program: TileProgram, spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Most trips of every loop that one core runs for a block: ceil(trips / cores) of one that several cores share."""
    cores = cores_per_dim(spatial)
    return {loop.name: ceil_div(loop.trips, cores.get(loop.name, 1)) for loop in program.loops}


def loop_trips(program: TileProgram, spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Trips of every loop that one core runs for a block, the mean over waves where that varies."""
    cores, trips = cores_per_dim(spatial), loop_spans(program, spatial)
    extents = {d.name: d.extent for d in program.dims}
    for loop in program.loops:
        if loop.profile is not None:
            dim = loop.profile.dim
            trips[loop.name] = _trips_in_waves(loop.profile, extents[dim], cores.get(dim, 1), cores.get(loop.name, 1))
    return trips


@lru_cache(maxsize=1 << 14)
def _trips_in_waves(profile: Profile, extent: int, cores: int, sharing: int) -> int:
    return int(trips_in_waves(profile, extent, cores, sharing))


def build_nest(program: TileProgram, spatial: tuple[tuple[Split, ...], ...], order: Order) -> Nest:
    """The nest of ``program`` on ``spatial`` with wave loops in ``order``."""
    waves, spans = wave_trips(program, spatial), loop_spans(program, spatial)
    mean = loop_trips(program, spatial)
    names, parents, trips = [LAUNCH], [0], [1]
    indices: list[tuple[tuple[str, int], ...]] = [()]
    for group in order:
        names.append(wave(*group))
        indices.append(tuple((dim, waves[dim]) for dim in group))
        trips.append(math.prod(waves[dim] for dim in group))
        parents.append(len(names) - 2)
    home = {"": len(names) - 1}
    for loop in program.loops:
        parent = home[loop.parent or ""]
        if spans[loop.name] > 1:
            names.append(loop.name)
            indices.append(((loop.name, spans[loop.name]),))
            trips.append(mean[loop.name])
            parents.append(parent)
            parent = len(names) - 1
        home[loop.name] = parent
    return Nest(tuple(names), tuple(indices), tuple(trips), tuple(parents), home)
