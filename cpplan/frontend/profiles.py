"""Trip counts that depend on the block, as functions of its index: recognised from the bounds of a loop.

A causal loop ends at its block of rows, a loop beside the diagonal starts at it, the last block of an axis may be cut
short: in all of them the distance that the loop covers is a line over the blocks of one dim, up to limits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cpplan.frontend.affine import LoopRecord
from cpplan.frontend.counts import Counts
from cpplan.frontend.forms import Integers, Sizes, matching_forms
from cpplan.frontend.numbering import Numbering
from cpplan.frontend.scalars import Number, Scalar
from cpplan.frontend.space import Array
from cpplan.tile.profile import total_trips
from cpplan.tile.program import Loop, Profile, TileProgram


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


def fitted_profile(
    seen: Sequence[tuple[tuple[int, ...], Profile | None]], step: Scalar, found: Counts,
    around: tuple[TileProgram, Sequence[str]], table: Integers, sizes: Sizes,
) -> Profile | None:  # fmt: skip
    """The profile of a loop at the block shapes of ``table``, from those ``seen`` at some block shapes.

    It stays where it gives the trips that were counted; elsewhere all blocks are taken to run the most trips. ``step``
    is that of the loop, ``around`` the stacked program and which of its loops are around this one.
    """
    lines = [(values, profile) for values, profile in seen if profile is not None]
    program, path = around
    outer = [program.loop(name) for name in path]
    if found.even or len({profile.dim for _, profile in lines}) != 1 or any(o.total_trips is not None for o in outer):
        return None
    points, dim = np.array([values for values, _ in lines], dtype=np.int64), lines[0][1].dim
    slope, offset, divisor = (
        _fitted([getattr(profile, field) for _, profile in lines], points, table, sizes)
        for field in ("slope", "offset", "divisor")
    )
    if slope is None or offset is None or divisor is None:
        return None
    fewest: Any = found.fewest
    most: Any = found.most
    known: Any = np.maximum(step.value if isinstance(step, Number) else divisor, 1)
    profile = Profile(dim, slope, offset, known, fewest, most)
    extents = {d.name: d.extent for d in program.dims}
    runs = math.prod(extents.values()) // extents[dim] * math.prod(loop.trips for loop in outer)
    right = total_trips(profile, 0, 1, extents[dim]) * runs == found.total
    kept: Any = np.where(right, slope, 0)
    low: Any = np.where(right, fewest, most)
    return replace(profile, slope=kept, low=low) if right.any() else None


def _fitted(values: list[int], points: Integers, table: Integers, sizes: Sizes) -> Any:
    forms = matching_forms(np.array(values, dtype=np.int64), points, sizes)
    return forms[0].at(table) if forms else None
