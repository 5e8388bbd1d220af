"""Weights of the rows of the exact model of a column: any that balance prove a bound (docs/encoding.md, section 4).

Weights are kept as shares, which balance for every column with the same levels, whatever its trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import Ints, Kind

Floats = npt.NDArray[np.float64]
Group = tuple[Kind, int]
"""Transfers of one kind and depth at a level; they run side by side."""
SIDES = ("load", "serial", "store", "combine")
"""Parts of a period by the overlap rule; a combine is never double-buffered, and belongs to none of them."""
SHARED = 2
"""Figures of all streams together besides those of links: the banks, and the processors on average."""
SLACK = 1e-9
"""Relative error of sums of a few thousand floats, with room to spare."""


@dataclass(frozen=True)
class Shares:
    """Shares of what rows may weigh, for columns with the same levels and accesses.

    Of the periods of level ``v``, ``sides[s][v]`` go to a side of the overlap rule and ``inside[v]`` to the figures of
    one iteration: of all accesses together first, then the longest of each access alone. Of what a group counts at
    ``v``, ``groups[g][v]`` go to its figures. ``rent`` is the price of a byte of SRAM.
    """

    sides: Mapping[str, Floats]
    inside: Floats
    groups: Mapping[Group, Floats]
    rent: float


@dataclass(frozen=True)
class Weights:
    """Balanced weights: how often the bound counts each row of the model.

    ``serial[v]`` counts the serial part of level ``v``; ``groups[g][v]`` the figures of a group there, ``inside[v]``
    those of one iteration of ``v``. The last axis, if there is one more, is that of columns side by side.
    """

    serial: Floats
    groups: Mapping[Group, Floats]
    inside: Floats
    rent: float


def balanced(shares: Shares, trips: Ints, parents: tuple[int, ...]) -> Weights:
    """Weights for columns whose levels have ``trips`` (levels,), or (levels, n) for n columns side by side."""
    ones = np.ones(trips.shape[1:])
    runs: list[Floats] = [ones] * len(parents)
    serial, inside = list[Floats](), list[Floats]()
    groups: dict[Group, list[Floats]] = {group: [] for group in shares.groups}
    for level, parent in enumerate(parents):
        runs[level] = serial[parent] if level else ones
        charged = runs[level] * (trips[level] - 1)
        inside.append(np.multiply.outer(shares.inside[level], charged))
        serial.append(runs[level] + shares.sides["serial"][level] * charged)
        for (kind, depth), share in shares.groups.items():
            most = serial[level] if depth == 1 else runs[level] + shares.sides[kind][level] * charged
            groups[kind, depth].append(np.multiply.outer(share[level], most))
    return Weights(np.stack(serial), {g: np.stack(w) for g, w in groups.items()}, np.stack(inside), shares.rent)


@lru_cache(maxsize=256)
def iterations(trips: tuple[int, ...], parents: tuple[int, ...]) -> Floats:
    """(levels, levels) iterations of a level in one iteration of a level around it (0: not around it)."""
    out = np.zeros((len(trips), len(trips)))
    for level in range(len(trips)):
        here, runs = level, 1
        while True:
            out[level, here] = runs
            if here == 0:
                break
            runs *= trips[here]
            here = parents[here]
    return out
