"""Additive bounds: of a plan by one cost per option, from weights that balance (docs/encoding.md, section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import Column, Ints, Rows
from cpplan.device.device import Device
from cpplan.encode.relaxation import Frame, best_shares, undominated
from cpplan.encode.weights import SHARED, SLACK, Floats, Weights, balanced, iterations

LINKS = 2
"""Links per network that are figures of their own."""


@dataclass(frozen=True)
class Additive:
    """No plan of a column that fits SRAM is faster than ``base`` + the sum of ``costs[a][o]`` over its options."""

    base: float
    costs: tuple[Floats, ...]

    def take(self, keep: list[npt.NDArray[np.bool_]]) -> Additive:
        """The bound of the column with the options selected by ``keep``."""
        return Additive(self.base, tuple(c[k] for c, k in zip(self.costs, keep, strict=True)))

    def least(self, choice: Ints) -> Floats:
        """(plans,) lower bound in cycles of every row of ``choice`` (plans x accesses, row numbers)."""
        costs = [cost[picked] for cost, picked in zip(self.costs, choice.T, strict=True)]
        out: Floats = self.base + np.sum(costs, axis=0)
        return out

    def options(self) -> tuple[Ints, ...]:
        """Lower bound in cycles of every option of every access."""
        least = [float(cost.min()) for cost in self.costs]
        whole = self.base + sum(least)
        return tuple(
            np.ceil(np.maximum(whole + cost - own, 0)).astype(np.int64)
            for cost, own in zip(self.costs, least, strict=True)
        )


def additive_bound(device: Device, column: Column) -> Additive | None:
    """The bound that the linear relaxation of ``column`` proves; None when it has no solution."""
    links = _busiest_links(device, column)
    figures = [relaxed_figures(rows, len(device.nocs), links) for rows in column.rows]
    classes = [undominated(_classes(rows, *f)) for rows, f in zip(column.rows, figures, strict=True)]
    nest = column.nest
    frame = Frame(nest.trips, nest.parents, column.ops, device.sram.usable - column.fixed_sram)
    shares = best_shares(device.overlap, frame, [rows.kind for rows in column.rows], classes, SHARED + len(links))
    if shares is None:
        return None
    return _bound(device, column, figures, balanced(shares, np.array(nest.trips), nest.parents), links)


def relaxed_figures(rows: Rows, nocs: int, links: tuple[int, ...] = ()) -> tuple[Floats, Floats]:
    """(options, figures) of the steady and of the first transfer: ``SHARED`` ones, ``links``, and the longest."""

    def reduce(cycles: Ints) -> Floats:
        spread = cycles[:, :nocs].sum(axis=1) / nocs
        carried = [cycles[:, link] for link in links]
        return np.stack([cycles[:, nocs], spread, *carried, cycles.max(axis=1)], axis=1)

    return reduce(rows.busy), reduce(rows.fill)


def _busiest_links(device: Device, column: Column) -> tuple[int, ...]:
    """Links with the most to carry over all options in play; any choice is right, this one bounds well."""
    runs = np.array([column.nest.iterations(v) for v in range(len(column.nest.names))], dtype=np.float64)
    first = len(device.nocs) + 1
    loads = [(rows.busy[:, first:] * runs[rows.level][:, None]).mean(axis=0) for rows in column.rows]
    total = np.sum(loads, axis=0)
    picked = np.argsort(-total, kind="stable")[: LINKS * len(device.nocs)]
    return tuple(sorted((picked + first).tolist()))


def _classes(rows: Rows, steady: Floats, first: Floats) -> Floats:
    """The options of one access as :func:`best_shares` takes them."""
    return np.column_stack([rows.level, rows.depth, rows.sram, steady, first])


def _bound(
    device: Device, column: Column, figures: list[tuple[Floats, Floats]], weights: Weights, links: tuple[int, ...]
) -> Additive:
    """Every option's cost at ``weights``."""
    room = device.sram.usable - column.fixed_sram
    ops = float(weights.serial @ np.array(column.ops, dtype=np.float64))
    costs = []
    for number, (rows, (busy, fill)) in enumerate(zip(column.rows, figures, strict=True)):
        shared = SHARED + len(links)
        own = [*range(shared), shared + number]
        cost = weights.rent * rows.sram
        for depth in (1, 2):
            here = weights.groups[rows.kind, depth][:, own][rows.level]
            cost = cost + np.where(rows.depth == depth, (fill * here).sum(axis=1), 0.0)
        path = iterations(column.nest.trips, column.nest.parents)[rows.level] @ weights.inside[:, own]
        costs.append(cost + (busy * path).sum(axis=1))
    base = device.launch_cycles + ops - weights.rent * room
    lost = SLACK * (1 + device.launch_cycles + ops + weights.rent * room + sum(float(c.min()) for c in costs))
    return Additive(base - lost, tuple(costs))
