"""Who hands partial states to whom when several cores share a loop."""

from __future__ import annotations

from cpplan.errors import ScheduleError
from cpplan.plan.plan import Plan
from cpplan.plan.routes import sharers
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Combining, Coordinate
from cpplan.tile.program import TileProgram


def combining_of(program: TileProgram, plan: Plan, semaphores: int) -> Combining | None:
    """The rounds of a tree over the cores that share a loop; ``semaphores`` are taken by others.

    Raises :class:`~cpplan.errors.ScheduleError` for a ring, which needs parts of hardware tiles' states.
    """
    shared = shared_loop(program, plan.spatial)
    if shared is None or plan.combine is None:
        return None
    loop, cores = shared
    if plan.combine.method != "tree":
        raise ScheduleError(
            f"{program.source or program.name}: the partial states of loop {loop} go around a ring, for which no "
            "program can be made yet: forbid it with --forbid combine=ring"
        )
    partners: dict[Coordinate, list[Coordinate | None]] = {}
    strides = [1 << number for number in range((cores - 1).bit_length())]
    for team in sharers(plan.spatial, loop):
        for part, core in enumerate(team):
            partners[plan.core_at(core)] = [
                None if (other := partner(part, stride, cores)) is None else plan.core_at(team[other])
                for stride in strides
            ]
    found = {core: tuple(rounds) for core, rounds in partners.items()}
    return Combining(loop, plan.combine.noc, found, semaphores, semaphores + 1)


def partner(part: int, stride: int, cores: int) -> int | None:
    """The number with which core ``part`` of ``cores`` deals in the round of ``stride``: it sends to a lower one and
    receives from a higher one."""
    if part % (2 * stride) == stride:
        return part - stride
    return part + stride if part % (2 * stride) == 0 and part + stride < cores else None
