"""The loop nest that one core runs under a plan: launch, wave loops, then the block's own loops.

Only loops with more than one trip are levels; a loop that runs once is part of its parent. Node 0 is the launch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cpplan.tile.arith import ceil_div
from cpplan.plan.plan import LAUNCH, Split, wave
from cpplan.tile.program import TileProgram


@dataclass(frozen=True)
class Nest:
    """Levels of a plan, parents before children.

    ``index[i]`` is the parallel dim or loop that level ``i`` iterates ("" for the launch). ``home`` maps each position
    of the program (loop name, or "" for block level) to the innermost level that contains it.
    """

    names: tuple[str, ...]
    index: tuple[str, ...]
    parents: tuple[int, ...]
    trips: tuple[int, ...]
    home: Mapping[str, int]

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
    """Cores that each parallel dim is spread over (1 when absent)."""
    cores: dict[str, int] = {}
    for splits in spatial:
        for split in splits:
            cores[split.dim] = cores.get(split.dim, 1) * split.factor
    return cores


def wave_trips(program: TileProgram, spatial: tuple[tuple[Split, ...], ...]) -> dict[str, int]:
    """Waves of every parallel dim: ceil(extent / cores)."""
    cores = cores_per_dim(spatial)
    return {d.name: ceil_div(d.extent, cores.get(d.name, 1)) for d in program.dims}


def build_nest(program: TileProgram, spatial: tuple[tuple[Split, ...], ...], order: tuple[str, ...]) -> Nest:
    """The nest of ``program`` on ``spatial`` with wave loops in ``order``."""
    waves = wave_trips(program, spatial)
    names, index, parents, trips = [LAUNCH], [LAUNCH], [0], [1]
    for dim in order:
        names.append(wave(dim))
        index.append(dim)
        parents.append(len(names) - 2)
        trips.append(waves[dim])
    home = {"": len(names) - 1}
    for loop in program.loops:
        parent = home[loop.parent or ""]
        if loop.trips > 1:
            names.append(loop.name)
            index.append(loop.name)
            parents.append(parent)
            trips.append(loop.trips)
            parent = len(names) - 1
        home[loop.name] = parent
    return Nest(tuple(names), tuple(index), tuple(parents), tuple(trips), home)
