"""The combinations of options that a column's additive bound leaves, first by class, then one by one.

Options of one access with equal level, depth, SRAM and relaxed figures (:mod:`cpplan.encode.additive`) are a *class*:
they differ in networks, readers and links only. A combination of classes is priced by the exact model on the relaxed
figures, which is a lower bound for each of its members.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import Column, Ints, Rows, makespans
from cpplan.device.device import Device
from cpplan.encode.additive import Additive, relaxed_figures
from cpplan.encode.combinations import combinations_within
from cpplan.encode.prune import OptionBounds, Pruned, take_options
from cpplan.encode.weights import SHARED

CLASSES = 20_000
"""Combinations of classes listed per column."""
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Alternatives:
    """What may be left of a column within a limit: combinations of classes (one row each, class per access).

    ``members[a][c]`` lists the options of class ``c`` of access ``a``; ``bound`` is a lower bound of every combination.
    """

    classes: Ints
    members: tuple[tuple[Ints, ...], ...]
    bound: Ints

    @property
    def combinations(self) -> float:
        """Number of combinations of options."""
        total = np.ones(len(self.classes))
        for classes, number in zip(self.members, self.classes.T, strict=True):
            total *= np.array([float(len(m)) for m in classes])[number]
        return float(total.sum())

    def options(self) -> Ints:
        """All combinations of options, sorted."""
        row, picked = np.arange(len(self.classes)), np.zeros((len(self.classes), 0), dtype=np.int64)
        for classes, number in zip(self.members, self.classes.T, strict=True):
            flat, size = np.concatenate(classes), np.array([len(m) for m in classes])
            first = np.cumsum(size) - size
            mine = number[row]
            again = np.repeat(np.arange(len(row)), size[mine])
            turn = np.arange(len(again)) - np.repeat(np.cumsum(size[mine]) - size[mine], size[mine])
            row, mine = row[again], mine[again]
            picked = np.column_stack([picked[again], flat[first[mine] + turn]])
        out: Ints = picked[np.lexsort(picked.T[::-1])]
        return out

    def kept(self, rows: tuple[Rows, ...]) -> list[Bools]:
        """Per access, which options take part in some combination."""
        out = []
        for access, (own, classes) in enumerate(zip(rows, self.members, strict=True)):
            keep = np.zeros(len(own.places), dtype=bool)
            for number in np.unique(self.classes[:, access]).tolist():
                keep[classes[number]] = True
            out.append(keep)
        return out


def alternatives(device: Device, column: Column, additive: Additive, limit: int) -> Alternatives | None:
    """The combinations within ``limit`` cycles, by class; None when there are too many to list."""
    nocs, count = len(device.nocs), len(column.rows)
    members, tables, costs = [], [], []
    for number, (rows, cost) in enumerate(zip(column.rows, additive.costs, strict=True)):
        listed, table = _classes(rows, number, count, nocs)
        members.append(listed)
        tables.append(table)
        costs.append(np.array([float(cost[m].min()) for m in listed]))
    room = device.sram.usable - column.fixed_sram
    choice = combinations_within(costs, [t.sram for t in tables], limit - additive.base, room, CLASSES)
    if choice is None:
        return None
    for node in column.boundaries:
        choice = choice[np.any([t.level[c] == node for t, c in zip(tables, choice.T, strict=True)], axis=0)]
    bound = makespans(device, replace(column, rows=tuple(tables)), choice)
    kept = bound <= limit
    return Alternatives(choice[kept], tuple(members), bound[kept])


def narrow(pruned: Pruned, left: Alternatives) -> Pruned:
    """``pruned`` with the options that take part in some combination of ``left``."""
    keep = left.kept(pruned.column.rows)
    options = tuple(b[k] for b, k in zip(pruned.bounds.options, keep, strict=True))
    least = max(pruned.bounds.column, int(left.bound.min()))
    additive = pruned.additive.take(keep) if pruned.additive is not None else None
    return Pruned(take_options(pruned.column, keep), OptionBounds(least, options), additive)


def _classes(rows: Rows, access: int, count: int, nocs: int) -> tuple[tuple[Ints, ...], Rows]:
    """Members of every class, and the classes as rows over relaxed resources: banks, processors, longest per access."""
    steady, first = (np.floor(f).astype(np.int64) for f in relaxed_figures(rows, nocs))
    key = np.column_stack([rows.level, rows.depth, rows.sram, steady, first])
    _, lead, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
    members = tuple(np.nonzero(which.ravel() == number)[0] for number in range(len(lead)))

    def wide(figures: Ints) -> Ints:
        out = np.zeros((len(lead), SHARED + count), dtype=np.int64)
        out[:, :SHARED] = figures[lead, :SHARED]
        out[:, SHARED + access] = figures[lead, SHARED]
        return out

    return members, replace(rows.take(lead), busy=wide(steady), fill=wide(first))
