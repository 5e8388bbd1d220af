"""Sums of trip counts that depend on the block."""

from __future__ import annotations

import numpy as np

from cpplan.tile.arith import Int, floor_sum
from cpplan.tile.program import Profile


def total_trips(profile: Profile, first: Int, step: Int, count: Int) -> Int:
    """Trips of ``count`` blocks together, ``step`` apart from block ``first`` on; ints or int64 arrays, also in
    the fields of ``profile``."""
    rise, start = np.asarray(profile.slope * step), profile.slope * first + profile.offset
    start = np.where(rise < 0, start + rise * (count - 1), start)  # counted from the end where trip counts fall
    rise = np.abs(rise)

    def not_above(trips: Int) -> Int:
        """Blocks, all at the beginning, whose trips before limits are at most ``trips``."""
        room = trips * profile.divisor - start
        return np.clip(np.where(rise > 0, room // np.maximum(rise, 1) + 1, np.where(room < 0, 0, count)), 0, count)

    idle = not_above(profile.low)
    below = np.maximum(idle, not_above(profile.high - 1))
    between = floor_sum(below - idle, profile.divisor, rise, start + rise * idle + profile.divisor - 1)
    return profile.low * idle + between + profile.high * (count - below)
