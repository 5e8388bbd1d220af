"""The linear relaxation of one column with some of its options closed: what branch and bound asks again and again.

The program is solved in floats, from the last solution on. What is said of plans follows from its dual values alone:
any of them prove a bound once times have upper bounds, and within a limit no time is longer than the limit.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
from ortools.linear_solver.linear_solver_pb2 import MPSolutionResponse  # type: ignore[import-untyped]

from cpplan.device.device import Device
from cpplan.encode.relaxation import PARAMETERS, Bools, LinearProgram
from cpplan.encode.weights import Floats

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its types warn when they are made; as an error, that crashes the interpreter
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined]

LOST = 1e-12
"""Relative error of a sum of a few hundred products of floats, with room to spare."""
WHOLE = 1 - 1e-6
"""Part of an option from which on it counts as taken."""


@dataclass(frozen=True)
class Relaxed:
    """What the relaxation says of plans within its limit: they take at least ``bound`` cycles, and with option ``o``
    (numbered over all accesses) at least ``options[o]``. ``parts`` are the fractions that it takes."""

    bound: float
    options: Floats
    parts: Floats


class BranchedProgram:
    """A linear program over plans of at most ``limit`` cycles, in which options can be closed.

    ``accesses`` has the options of every access, as numbers over all of them.
    """

    def __init__(self, device: Device, program: LinearProgram, limit: int) -> None:
        self.launch = device.launch_cycles
        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        self.solver.LoadModelFromProto(program.model)
        self.solver.SetSolverSpecificParametersAsString(PARAMETERS)
        self.variables = self.solver.variables()
        self.sizes = [len(part) for part in program.parts]
        ends = list(itertools.accumulate(self.sizes))
        self.accesses = [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]
        self.where = np.array([number for part in program.parts for number in part])
        self.matrix, self.low, self.high, self.cost = _arrays(program)
        self.magnitude = np.abs(self.matrix)
        self.times = np.setdiff1d(np.arange(len(self.cost)), self.where)
        self.limit = float(limit)
        self.open: Bools = np.ones(len(self.where), dtype=bool)

    def solve(self, wanted: Bools) -> Relaxed | None:
        """The relaxation with the options that are ``wanted``; None if it has no solution."""
        for number in np.nonzero(wanted != self.open)[0].tolist():
            self.variables[int(self.where[number])].SetUb(1.0 if wanted[number] else 0.0)
        self.open = wanted
        if self.solver.Solve() != pywraplp.Solver.OPTIMAL:
            return None
        answer = MPSolutionResponse()
        self.solver.FillSolutionResponseProto(answer)
        bound, options = self._proved(np.array(answer.dual_value))
        return Relaxed(bound, options, np.array(answer.variable_value)[self.where])

    def _proved(self, duals: Floats) -> tuple[float, Floats]:
        """What ``duals`` prove: the rows' own sides, times where they cost less than nothing, and the cheapest open
        option of every access, less what floats may lose."""
        side = np.where(duals > 0, self.low, self.high)
        duals = np.where(np.isfinite(side), duals, 0.0)
        taken = duals * np.where(np.isfinite(side), side, 0.0)
        left = self.cost - duals @ self.matrix
        lost = LOST * (np.abs(self.cost) + np.abs(duals) @ self.magnitude)
        times = np.minimum(left - lost, 0.0)[self.times].sum() * self.limit
        options = np.where(self.open, (left - lost)[self.where], np.inf)
        least = np.array([options[own].min() for own in self.accesses])
        base = self.launch + taken.sum() - LOST * np.abs(taken).sum() + times
        rest = base + least.sum() - np.repeat(least, self.sizes)
        return float(base + least.sum()), rest + options


def _arrays(program: LinearProgram) -> tuple[Floats, Floats, Floats, Floats]:
    """The program as arrays: matrix (rows, variables), both sides of the rows, cost of the variables."""
    model = program.model
    matrix = np.zeros((len(model.constraint), len(model.variable)))
    for number, row in enumerate(model.constraint):
        np.add.at(matrix[number], list(row.var_index), list(row.coefficient))
    low, high = (np.array([getattr(r, f"{side}_bound") for r in model.constraint]) for side in ("lower", "upper"))
    cost = np.array([variable.objective_coefficient for variable in model.variable])
    return matrix, low, high, cost
