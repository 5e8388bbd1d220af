"""The combinations of one option per access that additive costs and SRAM leave, where they are not too many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cpplan.encode.blocks import Ints
from cpplan.encode.weights import Floats


def combinations_within(
    costs: Sequence[Floats], sizes: Sequence[Floats | Ints], limit: float, room: float, most: int
) -> Ints | None:
    """(n, accesses) combinations whose costs add up to at most ``limit`` and whose bytes to at most ``room``, in order;
    None when access by access there are ever more than ``most``."""
    cost_left, size_left = _least_of_later(costs), _least_of_later(sizes)
    picks, spent, held = np.zeros((1, 0), dtype=np.int64), np.zeros(1), np.zeros(1)
    for cost, size, more, rest in zip(costs, sizes, cost_left, size_left, strict=True):
        row, option = np.nonzero((spent[:, None] + cost + more <= limit) & (held[:, None] + size + rest <= room))
        if len(row) > most:
            return None
        picks = np.column_stack([picks[row], option])
        spent, held = spent[row] + cost[option], held[row] + size[option]
    return picks


def _least_of_later(figures: Sequence[Floats | Ints]) -> Floats:
    """Per access the least that all later ones add up to; infinite where one of them has no option."""
    least = [float(one.min()) if len(one) else math.inf for one in figures[:0:-1]]
    out: Floats = np.cumsum([0.0, *least])[::-1]
    return out
