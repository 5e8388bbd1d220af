"""The linear relaxation of one column, which proposes weights of its rows.

In the exact model of a column (docs/encoding.md, section 2) let every access take fractions of its options: a linear
program. Its dual values weigh the rows so that everything but the options cancels out. The program is solved in floats
and only *proposes* shares of what each row may weigh (:mod:`cpplan.encode.weights`).

Resources are reduced to a few figures: the banks, the processors on average over the networks, possibly some links, and
whichever resource a stream occupies longest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ortools.linear_solver.linear_solver_pb2 import (  # type: ignore[import-untyped]
    MPSOLVER_OPTIMAL,
    MPModelProto,
    MPModelRequest,
    MPSolutionResponse,
)
from ortools.linear_solver.python import model_builder_helper

from cpplan.cost.table import KINDS, Kind
from cpplan.device.device import Overlap
from cpplan.encode.weights import SIDES, SLACK, Floats, Group, Shares, iterations

Bools = npt.NDArray[np.bool_]
FAR = math.inf
PARAMETERS = "use_dual_simplex: true use_preprocessing: false max_number_of_iterations: 2000"
"""Times of 0 are dual feasible, and the programs are small. Closing options leaves the last solution dual feasible; its
basis is of use as long as nothing is rewritten."""
COMPARED = 300
"""Options that are compared pair by pair before equal ones are dropped."""


@dataclass(frozen=True)
class Frame:
    """What the relaxation needs of a column besides its options: trips, parent and own ops of every level, and the
    bytes of SRAM that its buffers may take."""

    trips: tuple[int, ...]
    parents: tuple[int, ...]
    ops: tuple[int, ...]
    room: int


def best_shares(
    overlap: Overlap, frame: Frame, kinds: Sequence[Kind], classes: list[Floats], shared: int
) -> Shares | None:
    """The shares that bound one column best; None when its relaxation has no solution.

    ``classes`` has a table per access: level, depth, SRAM, then of the steady and of the first transfer ``shared``
    figures and the longest resource, in cycles.
    """
    return LinearProgram(overlap, frame, kinds, classes, shared).shares()


def undominated(options: Floats) -> Floats:
    """The options that differ and are not worse than another at the same level and depth."""
    table = options if len(options) <= COMPARED else np.unique(options, axis=0)
    below: Bools = np.equal.outer(table[:, 0], table[:, 0]) & np.equal.outer(table[:, 1], table[:, 1])
    for figure in table.T[2:]:
        below &= np.less_equal.outer(figure, figure)
    equal = below & below.T
    worse = (below & ~equal) | np.triu(equal, 1)
    out: Floats = table[~worse.any(axis=0)]
    return out


class LinearProgram:
    """The linear program: rows of the exact model with fractions of options. Variables and rows are numbers."""

    def __init__(
        self, overlap: Overlap, frame: Frame, kinds: Sequence[Kind], classes: list[Floats], shared: int
    ) -> None:
        self.overlap, self.frame, self.shared = overlap, frame, shared
        self.model = MPModelProto()
        sizes = [len(table) for table in classes]
        ends = list(itertools.accumulate(sizes))
        self.parts = [range(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        self.options: Floats = np.concatenate(classes)
        self.kind_of = np.repeat([KINDS.index(kind) for kind in kinds], sizes)
        for _ in range(len(self.options)):
            self._variable(1.0)
        levels = range(len(frame.trips))
        self.total, self.serial, self.period = ([self._variable() for _ in levels] for _ in range(3))
        self.group_rows: dict[tuple[Group, int], list[int | None]] = {}
        self.inside_rows: list[list[int | None]] = [[] for _ in levels]
        self.overlap_rows: list[list[tuple[str, int]]] = [[] for _ in levels]
        for part in self.parts:
            self._row(part, [1.0] * len(part), 1.0, 1.0)
        self.sram_row = self._row(range(len(self.options)), self.options[:, 2].tolist(), -FAR, frame.room)
        for level in levels:
            self._level(level)
        self.model.variable[self.total[0]].objective_coefficient = 1.0

    def _variable(self, most: float = FAR) -> int:
        self.model.variable.add(lower_bound=0.0, upper_bound=most)
        return len(self.model.variable) - 1

    def _row(self, variables: Sequence[int], factors: Sequence[float], least: float = 0.0, most: float = FAR) -> int:
        self.model.constraint.add(var_index=variables, coefficient=factors, lower_bound=least, upper_bound=most)
        return len(self.model.constraint) - 1

    def _at_least(self, time: int, others: Sequence[int], least: float = 0.0) -> int:
        """``time`` is at least the sum of other times and ``least``."""
        return self._row([time, *others], [1.0] + [-1.0] * len(others), least)

    def _level(self, level: int) -> None:
        """The rows of one level, as :mod:`cpplan.encode.model` has them."""
        trips, groups = self.frame.trips[level], self._groups(level)
        period, serial = self.period[level], self.serial[level]
        inner = [self.total[child] for child in self._children(level)]
        alone = [groups[kind, 1] for kind in KINDS if (kind, 1) in groups]
        self._at_least(serial, [*inner, *alone], self.frame.ops[level])
        sides = {
            "load": [groups["load", 2]] if ("load", 2) in groups else [],
            "serial": [serial],
            "store": [groups["store", 2]] if ("store", 2) in groups else [],
        }
        if trips > 1:
            for names in _sides(self.overlap):
                times = [time for name in names for time in sides[name]]
                self.overlap_rows[level].append(("+".join(names), self._at_least(period, times)))
            runs = iterations(self.frame.trips, self.frame.parents)[:, level]
            self.inside_rows[level] = self._figure_rows(period, 3, runs[self.options[:, 0].astype(int)])
        once = [time for times in sides.values() for time in times]
        self._row([self.total[level], period, *once], [1.0, 1.0 - trips] + [-1.0] * len(once))

    def _children(self, level: int) -> list[int]:
        return [child for child, parent in enumerate(self.frame.parents) if child and parent == level]

    def _groups(self, level: int) -> dict[Group, int]:
        """The time of every group that may have members at ``level``."""
        out: dict[Group, int] = {}
        for depth in (1, 2):
            here = (self.options[:, 0] == level) & (self.options[:, 1] == depth)
            for kind in KINDS:
                members = here & (self.kind_of == KINDS.index(kind))
                if members.any():
                    time = out[kind, depth] = self._variable()
                    self.group_rows[(kind, depth), level] = self._figure_rows(
                        time, 4 + self.shared, members.astype(float)
                    )
        return out

    def _figure_rows(self, time: int, first: int, times: Floats) -> list[int | None]:
        """``time`` is at least each figure of all options together, and the longest of every access alone; the figures
        begin at column ``first`` of a table and count so many ``times`` per option."""
        used = np.nonzero(times)[0]
        figures = (self.options[used, first : first + self.shared + 1] * -times[used, None]).T.tolist()
        variables = [time, *used.tolist()]
        rows: list[int | None] = [self._row(variables, [1.0, *figures[number]]) for number in range(self.shared)]
        for part in self.parts:
            begin, end = np.searchsorted(used, (part.start, part.stop)).tolist()
            longest = figures[self.shared][begin:end]
            rows.append(self._row([time, *variables[1 + begin : 1 + end]], [1.0, *longest]) if longest else None)
        return rows

    def shares(self) -> Shares | None:
        """The shares near the dual values."""
        duals = _solved(self.model)
        if duals is None:
            return None

        def dual(row: int | None) -> float:
            return 0.0 if row is None else max(0.0, duals[row])

        levels, width = len(self.frame.trips), self.shared + len(self.parts)
        runs, serial = np.ones(levels), np.ones(levels)
        sides = {side: np.zeros(levels) for side in SIDES}
        groups: dict[Group, Floats] = {(k, d): np.zeros((levels, width)) for k in KINDS for d in (1, 2)}
        inside = np.zeros((levels, width))
        for level, parent in enumerate(self.frame.parents):
            runs[level] = serial[parent] if level else 1.0
            charged = max(runs[level] * (self.frame.trips[level] - 1), SLACK)
            overlap = [(names, dual(row) / charged) for names, row in self.overlap_rows[level]]
            figures = np.array([dual(row) / charged for row in self.inside_rows[level]] or [0.0] * width)
            scale = _shrink(sum(value for _, value in overlap) + float(figures.sum()))
            inside[level] = figures * scale
            for side in SIDES:
                sides[side][level] = sum(value for names, value in overlap if side in names) * scale
            serial[level] = runs[level] + sides["serial"][level] * charged
            for (kind, depth), table in groups.items():
                most = (
                    serial[level]
                    if depth == 1
                    else runs[level] + charged * (sides[kind][level] if kind in sides else 0)
                )
                found = np.array([dual(row) / most for row in self.group_rows.get(((kind, depth), level), [])] or [0.0])
                table[level, : len(found)] = found * _shrink(float(found.sum()))
        return Shares(sides, inside, groups, max(0.0, -duals[self.sram_row]))


def _solved(model: MPModelProto) -> list[float] | None:
    """Dual values of the rows of ``model``; None without an optimal solution."""
    kind = MPModelRequest.GLOP_LINEAR_PROGRAMMING
    request = MPModelRequest(model=model, solver_type=kind, solver_specific_parameters=PARAMETERS)
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


def _shrink(shares: float) -> float:
    """Factor that brings the sum of some shares down to at most all, rounding included."""
    return min(1.0, (1 - SLACK) / max(shares, SLACK))
