"""Trip counts that depend on the block, as functions of its index: recognised from the bounds of a loop.

A causal loop ends at its block of rows, a loop beside the diagonal starts at it, the last block of an axis may be cut
short: in all of them the distance that the loop covers is a line over the blocks of one dim, up to limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cpplan.frontend.affine import LoopRecord
from cpplan.frontend.numbering import Numbering
from cpplan.frontend.space import Array
from cpplan.tile.program import Loop, Profile


def profile_of(record: LoopRecord, numbering: Numbering) -> Profile | None:
    """The trips of a loop by block; None when they are always the same, or no line of one dim with limits."""
    trips = None if record.trips is None else numbering.blocks.spread(record.trips)
    if trips is None or record.distance is None or record.step is None or int(trips.min()) == int(trips.max()):
        return None
    distance = numbering.blocks.spread(record.distance)
    for dim, coordinate in zip(numbering.dims, numbering.box.columns, strict=True):
        _, first = np.unique(coordinate, return_index=True)
        by_block = trips[first]
        if bool((by_block[coordinate] == trips).all()):
            lines = [] if distance is None else [(distance[first], record.step)]
            found = (_line(dim.name, by_block, *line) for line in [*lines, (by_block, 1)])
            return next((profile for profile in found if profile is not None), None)
    return None


def _line(dim: str, trips: Array, distance: Array, step: int) -> Profile | None:
    """``ceil(distance / step)`` with the distance continued as a line, if those are the trips."""
    for slope, at in _slopes(distance):
        offset = int(distance[at]) - slope * at
        profile = Profile(dim, slope, offset, step, int(trips.min()), int(trips.max()))
        if bool((profile.at(np.arange(len(trips))) == trips).all()):
            return profile
    return None


def _slopes(distance: Array) -> Iterator[tuple[int, int]]:
    """Slopes that the line may have, and a block in which it is not cut off: the most common steps come first.

    Where only the last block is cut short, the others begin as far apart as each of them is long.
    """
    rises = np.diff(distance)
    if not rises[:-1].any():
        yield -int(distance[0]), len(distance) - 1
    for slope, _ in Counter(rises[rises != 0].tolist()).most_common():
        yield slope, int(np.argmax(rises == slope))


def outermost_profiles(loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """``loops`` without the profiles of those inside a loop that has one."""
    inside: set[str] = set()
    out = []
    for loop in loops:  # parents come before their children
        nested = loop.parent in inside
        inside |= {loop.name} if nested or loop.profile is not None else set()
        out.append(replace(loop, profile=None) if nested else loop)
    return tuple(out)
