"""The combinations of options that a relaxation leaves within the limit, where they are few: priced one by one.

Whole options are priced by the nested pipeline on their figures, which no plan undercuts. A few hundred such prices
cost less than a few relaxations, and leave nothing to divide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.cohorts import Cohort, owners
from cpplan.encode.combinations import combinations_within
from cpplan.encode.levels import Bools
from cpplan.encode.pipeline import relaxed_makespans
from cpplan.encode.weights import SHARED, SLACK, Floats

LISTED = 1_000
"""Combinations up to which they are listed."""
LOOKED_AT = 10_000
"""Combinations, whatever they cost, up to which it is worth a try."""


@dataclass(frozen=True)
class Combination:
    """One option per access, as rows (accesses, figures) of a cohort's tables; none where ``cycles`` are infinite.

    Nothing whose options cost as much in every figure is faster than ``cycles``.
    """

    rows: Floats
    cycles: float

    @property
    def place(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Level and buffer depth of every access."""
        levels, depths = self.rows[:, :2].T.astype(int).tolist()
        return tuple(levels), tuple(depths)

    def owned(self, cohort: Cohort) -> Bools:
        """(accesses, columns) which columns of ``cohort`` have an option that is not worse than that of an access."""
        return np.array([owners(s, row) for s, row in zip(cohort.stack.streams, self.rows, strict=True)])


def fastest(
    device: Device, cohort: Cohort, tables: Sequence[Floats], costs: Sequence[Floats], limit: float
) -> Combination | None:
    """The fastest combination that fits SRAM, if it is within the limit; None if there are too many to tell.

    ``tables`` are the options of every access, ``costs`` what each adds at least to a makespan; a combination whose
    costs add up to more than ``limit`` is not within it.
    """
    if math.prod(len(table) for table in tables) > LOOKED_AT:
        return None
    sizes, room = [table[:, 2] for table in tables], float(cohort.stack.room[0])
    picks = combinations_within(costs, sizes, limit, room, LISTED)
    if picks is None:
        return None
    rows: Floats = np.stack([table[picked] for table, picked in zip(tables, picks.T, strict=True)])
    if not len(picks):
        return Combination(rows[:, :0], math.inf)
    stack = cohort.stack
    kinds, figures = [stream.kind for stream in stack.streams], rows[:, :, 3 : 4 + SHARED].transpose(2, 0, 1)
    frame = device, stack.shape, kinds, stack.trips[:, :1], stack.ops[:, :1]
    cycles = relaxed_makespans(*frame, rows[:, :, 0], rows[:, :, 1], figures)
    first = int(np.argmin(cycles))
    return Combination(rows[:, first], float(cycles[first]) * (1 - SLACK))
