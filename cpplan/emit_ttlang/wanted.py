"""When a block is moved at all: a group of nodes transfers what at least one of its nodes has work for.

That is what the cost model counts (:mod:`cpplan.cost.traffic`). All nodes of a group come to the same answer, each from
its own position, so that nobody waits in vain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cpplan.emit_ttlang.matrices import access_of
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.nodes import Which, digit_text, is_grouped
from cpplan.emit_ttlang.text import trips_text
from cpplan.plan.nest import Nest, build_nest, cores_per_dim
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Guard, Schedule, Stream
from cpplan.tile.program import Loop, Profile


@dataclass(frozen=True)
class Wanted:
    """Conditions in Python over the indices of the node."""

    schedule: Schedule
    names: Names

    @cached_property
    def nest(self) -> Nest:
        """Levels of the plan."""
        plan = self.schedule.plan
        return build_nest(self.schedule.program, plan.spatial, plan.order)

    def load(self, stream: Stream) -> list[str]:
        """Whether the group of this node moves a block of a load."""
        access, place = access_of(self.schedule, stream), self.schedule.plan.placement(stream.access)
        level = self.nest.names.index(place.level)
        around = {name for node in self.nest.path(level) for name, _ in self.nest.indices[node]}
        varying = [(loop, loop.profile) for loop in self._loops(access.loop) if loop.profile and loop.name in around]
        known = around | access.indices | {profile.dim for _, profile in varying}
        done = {loop.name for loop, _ in varying}
        extents = {name: n for name, n in self.extents.items() if name in known - done and self._is_uneven(name)}
        inside = [f"{self._end(stream, name, 'first')} < {extent}" for name, extent in extents.items()]
        return inside + [f"{self._end(stream, loop.name, 'first')} < {self._longest(stream, p)}" for loop, p in varying]

    def store(self, stream: Stream) -> list[str]:
        """Whether this node has a block to write; of nodes that share a loop only the first has."""
        access = access_of(self.schedule, stream)
        varying = [self._runs(loop) for loop in self._loops(access.loop) if loop.profile is not None]
        return [*self.inside(), *varying, *self.first()]

    def inside(self) -> list[str]:
        """Whether the block of this node is in the grid."""
        uneven = [dim for dim in self.schedule.program.dims if self._is_uneven(dim.name)]
        return [f"{self.names.index(dim.name)} < {dim.extent}" for dim in uneven]

    def first(self) -> list[str]:
        """Whether this node is the first of those that share a loop; no condition where none is shared."""
        shared = shared_loop(self.schedule.program, self.schedule.plan.spatial)
        return [] if shared is None else [f"{self.names.index(f'core_{shared[0]}')} == 0"]

    def guard(self, step: Guard) -> list[str]:
        """Whether this node computes."""
        out = [f"{self.names.index(dim)} < {extent}" for dim, extent in step.extents]
        return out + [self._runs(self.schedule.program.loop(name)) for name in step.trips]

    def indices(self, stream: Stream) -> list[str]:
        """Dims and loops that one move needs to know, those that run within it left out."""
        access = access_of(self.schedule, stream)
        texts = " ".join(self.load(stream) if stream.kind == "load" else self.store(stream)).split()
        inner = {name for name, _ in stream.inner}
        order = list(self.extents)
        used = {name for name in order if self.names.index(name) in {text.strip("(),") for text in texts}}
        return [name for name in order if name in (access.indices | used) - inner]

    @cached_property
    def extents(self) -> dict[str, int]:
        """Blocks of every dim and trips of every loop."""
        program = self.schedule.program
        return {d.name: d.extent for d in program.dims} | {loop.name: loop.trips for loop in program.loops}

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _loops(self, innermost: str | None) -> list[Loop]:
        program = self.schedule.program
        return [program.loop(name) for name in program.loop_path(innermost)]

    def _is_uneven(self, name: str) -> bool:
        return bool(self.extents[name] % cores_per_dim(self.schedule.plan.spatial).get(name, 1))

    def _runs(self, loop: Loop) -> str:
        if loop.profile is None:
            return f"{self.names.index(loop.name)} < {loop.trips}"
        return f"{self.names.index(loop.name)} < {trips_text(loop.profile, self.names.index(loop.profile.dim))}"

    def _end(self, stream: Stream, dim: str, which: Which) -> str:
        """Block of ``dim`` of the first or last node of the group, in the wave at hand."""
        own = self.names.index(dim)
        if not is_grouped(stream, self.schedule, dim):
            return own
        groups = self.schedule.plan.placement(stream.access).groups
        other = digit_text(self.schedule, dim, which, groups)
        moved = "" if other == "0" else f" + {other}" if " " not in other else f" + ({other})"
        return f"{own} - {self.names.index(f'core_{dim}')}{moved}"

    def _longest(self, stream: Stream, profile: Profile) -> str:
        """Trips of the node of the group that runs a loop most often; beyond the grid its last block counts."""
        dim = profile.dim
        block = self._end(stream, dim, "last" if profile.slope > 0 else "first")
        if self._is_uneven(dim) and is_grouped(stream, self.schedule, dim):
            block = f"min({block}, {self.extents[dim] - 1})"
        elif " " in block:
            block = f"({block})"
        return trips_text(profile, block)
