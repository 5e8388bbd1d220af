"""The linear relaxation of one column, and the additive bound that its prices prove.

In the exact model of a column (docs/encoding.md, section 2) let every access take fractions of its options: a linear
program. Its dual values weigh the rows so that everything but the options cancels out, and what is left is a sum of one
cost per option. The program is solved in floats and only *proposes* the weights; :func:`_consistent` makes them balance
exactly, and any balanced weights prove a bound.

Resources are reduced to a few figures: the banks, the processors on average over the networks, the links that have most
to carry, and whichever resource a stream occupies longest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from ortools.linear_solver.linear_solver_pb2 import (  # type: ignore[import-untyped]
    MPSOLVER_OPTIMAL,
    MPModelProto,
    MPModelRequest,
    MPSolutionResponse,
)
from ortools.linear_solver.python import model_builder_helper

from cpplan.cost.table import KINDS, Column, Ints, Kind, Rows
from cpplan.device.device import Device, Overlap
from cpplan.plan.nest import Nest

Floats = npt.NDArray[np.float64]
Group = tuple[Kind, int]
"""Transfers of one kind and depth at a level; they run side by side."""
Term = tuple[int, float]
"""A variable of the linear program and its factor."""
SIDES = ("load", "serial", "store")
FAR = math.inf

SHARED = 2
"""Figures of all streams together besides those of links: the banks, and the processors on average."""
LINKS = 2
"""Links per network that are figures of their own."""
SLACK = 1e-9
"""Relative error of sums of a few thousand floats, with room to spare."""


@dataclass(frozen=True)
class Additive:
    """No plan of a column that fits SRAM is faster than ``base`` + the sum of ``costs[a][o]`` over its options."""

    base: float
    costs: tuple[Floats, ...]

    def take(self, keep: list[npt.NDArray[np.bool_]]) -> Additive:
        """The bound of the column with the options selected by ``keep``."""
        return Additive(self.base, tuple(c[k] for c, k in zip(self.costs, keep, strict=True)))

    def options(self) -> tuple[Ints, ...]:
        """Lower bound in cycles of every option of every access."""
        least = [float(cost.min()) for cost in self.costs]
        whole = self.base + sum(least)
        return tuple(
            np.ceil(np.maximum(whole + cost - own, 0)).astype(np.int64)
            for cost, own in zip(self.costs, least, strict=True)
        )


@dataclass(frozen=True)
class Weights:
    """Balanced weights: how often the bound counts each row of the model.

    ``serial[v]`` counts the serial part of level ``v``; ``groups[g][v]`` the figures of a group there, ``inside[v]``
    those of one iteration of ``v``: the first two for all accesses together, then the longest of each access alone.
    ``rent`` is the price of a byte of SRAM.
    """

    serial: Floats
    groups: Mapping[Group, Floats]
    inside: Floats
    rent: float


def additive_bound(device: Device, column: Column) -> Additive | None:
    """The bound that the linear relaxation of ``column`` proves; None when it has no solution."""
    links = _busiest_links(device, column)
    figures = [relaxed_figures(rows, len(device.nocs), links) for rows in column.rows]
    classes = [_classes(rows, f) for rows, f in zip(column.rows, figures, strict=True)]
    program = _Program(device, column, classes, SHARED + len(links))
    found = program.weights()
    return None if found is None else _bound(device, column, figures, found, links)


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


def _classes(rows: Rows, figures: tuple[Floats, Floats]) -> Floats:
    """Options that differ in figures and are not worse than another: level, depth, SRAM, steady and first figures."""
    table = np.unique(np.column_stack([rows.level, rows.depth, rows.sram, *figures]), axis=0)
    same = (table[:, None, :2] == table[None, :, :2]).all(axis=2)
    below = (table[:, None, 2:] <= table[None, :, 2:]).all(axis=2) & same
    np.fill_diagonal(below, False)
    out: Floats = table[~below.any(axis=0)]
    return out


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
        path = _per_iteration(column.nest)[rows.level] @ weights.inside[:, own]
        costs.append(cost + (busy * path).sum(axis=1))
    base = device.launch_cycles + ops - weights.rent * room
    lost = 1 + SLACK * (device.launch_cycles + ops + weights.rent * room + sum(float(c.min()) for c in costs))
    return Additive(base - lost, tuple(costs))


def _per_iteration(nest: Nest) -> Floats:
    """(levels, levels) iterations of a level in one iteration of a level around it (0: not around it)."""
    return _iterations(nest.trips, nest.parents)


@lru_cache(maxsize=256)
def _iterations(trips: tuple[int, ...], parents: tuple[int, ...]) -> Floats:
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


class _Program:
    """The linear program: rows of the exact model with fractions of options. Variables and rows are numbers."""

    def __init__(self, device: Device, column: Column, classes: list[Floats], shared: int) -> None:
        self.device, self.column, self.nest, self.classes = device, column, column.nest, classes
        self.shared = shared
        self.model = MPModelProto()
        self.shares = [[self._variable(1.0) for _ in table] for table in classes]
        levels = range(len(self.nest.names))
        self.total, self.serial, self.period = ([self._variable() for _ in levels] for _ in range(3))
        self.group_rows: dict[tuple[Group, int], list[int | None]] = {}
        self.inside_rows: list[list[int | None]] = [[] for _ in levels]
        self.overlap_rows: list[list[tuple[str, int]]] = [[] for _ in levels]
        for shares in self.shares:
            self._row([(share, 1.0) for share in shares], 1.0, 1.0)
        sizes = zip(self.shares, classes, strict=True)
        taken = [(share, size) for shares, table in sizes for share, size in zip(shares, table[:, 2], strict=True)]
        self.sram_row = self._row(taken, -FAR, device.sram.usable - column.fixed_sram)
        for level in levels:
            self._level(level)
        self.model.variable[self.total[0]].objective_coefficient = 1.0

    def _variable(self, most: float = FAR) -> int:
        self.model.variable.add(lower_bound=0.0, upper_bound=most)
        return len(self.model.variable) - 1

    def _row(self, terms: list[Term], least: float = 0.0, most: float = FAR) -> int:
        row = self.model.constraint.add(lower_bound=least, upper_bound=most)
        row.var_index.extend([variable for variable, _ in terms])
        row.coefficient.extend([factor for _, factor in terms])
        return len(self.model.constraint) - 1

    def _level(self, level: int) -> None:
        """The rows of one level, as :mod:`cpplan.encode.model` has them."""
        trips, groups = self.nest.trips[level], self._groups(level)
        period, serial = self.period[level], self.serial[level]
        inner = [(self.total[child], -1.0) for child in self.nest.children(level)]
        alone = [(groups[kind, 1], -1.0) for kind in KINDS if (kind, 1) in groups]
        self._row([(serial, 1.0), *inner, *alone], self.column.ops[level])
        sides = {
            "load": [(groups["load", 2], -1.0)] if ("load", 2) in groups else [],
            "serial": [(serial, -1.0)],
            "store": [(groups["store", 2], -1.0)] if ("store", 2) in groups else [],
        }
        if trips > 1:
            for names in _sides(self.device.overlap):
                terms = [term for name in names for term in sides[name]]
                self.overlap_rows[level].append(("+".join(names), self._row([(period, 1.0), *terms])))
            runs = _per_iteration(self.nest)[:, level]
            times = [runs[table[:, 0].astype(int)] for table in self.classes]
            self.inside_rows[level] = self._figure_rows(period, 3, times)
        self._row([(self.total[level], 1.0), (period, 1.0 - trips), *(t for terms in sides.values() for t in terms)])

    def _groups(self, level: int) -> dict[Group, int]:
        """The time of every group that may have members at ``level``."""
        out: dict[Group, int] = {}
        for kind in KINDS:
            for depth in (1, 2):
                members = [
                    ((table[:, 0] == level) & (table[:, 1] == depth)) * float(rows.kind == kind)
                    for rows, table in zip(self.column.rows, self.classes, strict=True)
                ]
                if any(m.any() for m in members):
                    time = out[kind, depth] = self._variable()
                    self.group_rows[(kind, depth), level] = self._figure_rows(time, 4 + self.shared, members)
        return out

    def _figure_rows(self, time: int, first: int, times: list[Floats]) -> list[int | None]:
        """``time`` is at least each figure of all options together, and the longest of every access alone; the figures
        begin at column ``first`` of a table and count so many ``times`` per option."""
        each: list[list[tuple[int, list[float]]]] = []
        for shares, table, factor in zip(self.shares, self.classes, times, strict=True):
            used = np.nonzero(factor)[0].tolist()
            figures = (table[:, first : first + self.shared + 1] * -factor[:, None]).tolist()
            each.append([(shares[i], figures[i]) for i in used])
        rows: list[int | None] = [
            self._row([(time, 1.0), *((share, f[figure]) for terms in each for share, f in terms)])
            for figure in range(self.shared)
        ]
        for terms in each:
            rows.append(self._row([(time, 1.0), *((share, f[self.shared]) for share, f in terms)]) if terms else None)
        return rows

    def weights(self) -> Weights | None:
        """Balanced weights near the dual values."""
        duals = _solved(self.model)
        if duals is None:
            return None

        def dual(row: int | None) -> float:
            return 0.0 if row is None else max(0.0, duals[row])

        levels, width = len(self.nest.names), self.shared + len(self.classes)
        runs, serial = np.zeros(levels), np.zeros(levels)
        groups: dict[Group, Floats] = {(k, d): np.zeros((levels, width)) for k in KINDS for d in (1, 2)}
        inside = np.zeros((levels, width))
        runs[0] = 1.0
        for level in range(levels):
            charged = runs[level] * (self.nest.trips[level] - 1)
            overlap = [(names, dual(row)) for names, row in self.overlap_rows[level]]
            figures = np.array([dual(row) for row in self.inside_rows[level]] or [0.0] * width)
            scale = _shrink(sum(value for _, value in overlap) + float(figures.sum()), charged)
            inside[level] = figures * scale
            share = {side: sum(value for names, value in overlap if side in names) * scale for side in SIDES}
            serial[level] = runs[level] + share["serial"]
            for (kind, depth), table in groups.items():
                found = np.array([dual(row) for row in self.group_rows.get(((kind, depth), level), [])] or [0.0])
                most = serial[level] if depth == 1 else runs[level] + share.get(kind, 0.0)
                table[level, : len(found)] = found * _shrink(float(found.sum()), most)
            for child in self.nest.children(level):
                runs[child] = serial[level]
        return Weights(serial, groups, inside, max(0.0, -duals[self.sram_row]))


def _solved(model: MPModelProto) -> list[float] | None:
    """Dual values of the rows of ``model``; None without an optimal solution."""
    kind = MPModelRequest.GLOP_LINEAR_PROGRAMMING
    request = MPModelRequest(model=model, solver_type=kind)
    answer = MPSolutionResponse()
    reply = model_builder_helper.ModelSolverHelper("glop").solve_serialized_request(request.SerializeToString())
    answer.ParseFromString(reply)
    return list(answer.dual_value) if answer.status == MPSOLVER_OPTIMAL else None


def _sides(overlap: Overlap) -> tuple[tuple[str, ...], ...]:
    """What a period must hold in turn; the parts run side by side."""
    if overlap == "load|compute|store":
        return (("load",), ("serial",), ("store",))
    if overlap == "load|compute+store":
        return (("load",), ("serial", "store"))
    return (("load", "store"), ("serial",))


def _shrink(weight: float, most: float) -> float:
    """Factor that brings ``weight`` down to at most ``most``, rounding included."""
    return 1.0 if weight <= most * (1 - SLACK) else max(0.0, most * (1 - SLACK)) / weight
