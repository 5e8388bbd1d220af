"""Who hands partial states to whom when several cores share a loop."""

from __future__ import annotations

from cpplan.plan.plan import Plan
from cpplan.plan.routes import sharers
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Combining, Coordinate
from cpplan.tile.program import TileProgram


def combining_of(program: TileProgram, plan: Plan, semaphores: int) -> Combining | None:
    """How the cores that share a loop meet; ``semaphores`` are taken by others."""
    shared = shared_loop(program, plan.spatial)
    if shared is None or plan.combine is None:
        return None
    loop, cores = shared
    partners: dict[Coordinate, tuple[Coordinate | None, ...]] = {}
    for team in sharers(plan.spatial, loop):
        placed = [plan.core_at(core) for core in team]
        for part, core in enumerate(placed):
            if plan.combine.method == "ring":
                partners[core] = (placed[part - 1], placed[(part + 1) % cores], *placed)
            else:
                numbers = (partner(part, stride, cores) for stride in strides(cores))
                partners[core] = tuple(None if number is None else placed[number] for number in numbers)
    gathered = semaphores + 2 if plan.combine.method == "ring" else None
    return Combining(loop, plan.combine.noc, partners, semaphores, semaphores + 1, gathered)


def semaphores_of(combining: Combining | None) -> int:
    """How many semaphores a combine takes."""
    if combining is None:
        return 0
    return 2 if combining.gathered is None else 3


def strides(cores: int) -> list[int]:
    """Distance of partners in every round of a tree."""
    return [1 << number for number in range((cores - 1).bit_length())]


def partner(part: int, stride: int, cores: int) -> int | None:
    """The number with which core ``part`` of ``cores`` deals in the round of ``stride``: it sends to a lower one and
    receives from a higher one."""
    if part % (2 * stride) == stride:
        return part - stride
    return part + stride if part % (2 * stride) == 0 and part + stride < cores else None
