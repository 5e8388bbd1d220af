"""Trips of a loop whose trip count depends on the block, wave by wave.

All cores of a wave run in step, so such a loop takes as long as in the block of the wave that runs it most often. The
nest has one trip count for all waves: the mean of those, rounded up. Every function takes ints or int64 arrays, also in
the fields of a profile.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cpplan.tile.arith import Int, ceil_div
from cpplan.tile.profile import total_trips
from cpplan.tile.program import Profile


def trips_in_waves(profile: Profile, extent: Int, cores: Int, sharing: Int) -> Int:
    """``ceil(sum over waves of (max over blocks i of the wave of ceil(trips(i) / sharing)) / waves)``.

    ``extent`` blocks of the dim are dealt to ``cores`` cores, so wave ``w`` holds the blocks from ``w * cores`` on;
    ``sharing`` cores divide the trips of one block. The slowest block of a wave is its last one when trip counts grow,
    else its first one.
    """
    shared, grows = shared_profile(profile, sharing), np.asarray(profile.slope) > 0
    waves = ceil_div(extent, cores)
    whole = np.where(grows, waves - 1, waves)  # the last wave may be cut short
    total = total_trips(shared, np.where(grows, cores - 1, 0), cores, whole)
    return ceil_div(total + np.where(grows, shared.at(extent - 1), 0), waves)


def least_trips_in_waves(profile: Profile, extent: Int, cores: int, sharing: Int) -> Int:
    """A lower bound of :func:`trips_in_waves` for any number of cores up to ``cores``.

    When trip counts grow, the mean over blocks: a wave that is cut short is the last one, whose maximum is largest.
    Otherwise each maximum is at least the mean of its wave, if the last block fills up the last wave; means of a
    falling sequence are least over its whole length, at most ``extent + cores - 1``.
    """
    shared = shared_profile(profile, sharing)
    spare = np.where(np.asarray(profile.slope) > 0, 0, np.minimum(cores, extent) - 1)
    total = total_trips(shared, 0, 1, extent) + spare * shared.at(extent - 1)
    return ceil_div(total, extent + spare)


def shared_profile(profile: Profile, sharing: Int) -> Profile:
    """``ceil(trips / sharing)`` of ``profile``."""
    low, high = (ceil_div(limit, sharing) for limit in (profile.low, profile.high))
    return replace(profile, divisor=profile.divisor * sharing, low=low, high=high)
