"""Columns that differ in deliveries only: they have the same levels, trips, ops and buffer sizes.

The relaxation of a cohort offers every access the options of all its columns: what it rules out none of them has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.levels import Bools
from cpplan.encode.relaxation import LinearProgram, undominated
from cpplan.encode.stacked import Stack, Stream
from cpplan.encode.weights import SHARED, Floats


@dataclass(frozen=True)
class Cohort:
    """Columns of one stack; ``columns`` says which ones of all these are."""

    stack: Stack
    columns: Ints

    def tables(self) -> list[Floats]:
        """Per access the options of all columns that are not worse than another."""
        return [undominated(np.unique(stream.options(), axis=0)) for stream in self.stack.streams]

    def program(self, device: Device, tables: list[Floats]) -> LinearProgram:
        """The linear relaxation of a column with the options of all."""
        kinds = [stream.kind for stream in self.stack.streams]
        return LinearProgram(device.overlap, self.stack.frame(0), kinds, tables, SHARED)

    def take(self, keep: Bools) -> Cohort:
        """The columns selected by ``keep``."""
        return Cohort(self.stack.take(keep), self.columns[keep])


def cohorts(stack: Stack, columns: Ints) -> Iterator[Cohort]:
    """The columns of ``stack`` by what they have in common."""
    sizes = [stream.size for stream in stack.streams]
    facts = np.concatenate([stack.trips, stack.ops, stack.room[None], *sizes])
    _, which = np.unique(facts, axis=1, return_inverse=True)
    which = which.ravel()
    for number in range(int(which.max(initial=-1)) + 1):
        here = np.nonzero(which == number)[0]
        yield Cohort(stack.take(here), columns[here])


def combinations(stack: Stack) -> Floats:
    """(n,) combinations of the open options of every column."""
    out: Floats = np.prod([stream.open.sum(axis=(0, 1, 2)).astype(float) for stream in stack.streams], axis=0)
    return out


def owners(stream: Stream, row: Floats) -> Bools:
    """Which columns have an option at the level and depth of ``row`` that is not worse."""
    place, depth = stream.levels.index(int(row[0])), int(row[1]) - 1
    figures = row[3 : 4 + SHARED, None, None]
    able: Bools = stream.open[depth, :, place] & np.all(stream.cycles[:, :, place] <= figures, axis=0)
    return np.asarray(able.any(axis=0))
