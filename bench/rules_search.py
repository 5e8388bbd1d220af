"""The best plan of one column in which every access has one level: a floor, and branch and bound.

Both rest on the cost model being monotone: no figure of a row can shrink and the makespan grow. An access that is not
decided yet counts with a *least row*, the smallest figure of each kind over the rows it may still take. A key that is
no smaller than the best one in this way has nothing better below it, so nothing is lost and nothing is cut.

Least rows forget that a stream is on one network, not half on either. So resources are added to the rows that no plan
is longer for, but least rows are: the mean over networks, and the busiest resource of each access alone. They never
exceed the busiest resource of a plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.cost.streams import resources
from cpplan.cost.table import Column, Rows, feasible, makespans, totals, undominated_columns
from cpplan.device.device import Device

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Key = tuple[int, int, int, int]

CHUNK = 512
"""Partial plans bounded and extended at once."""
UNDECIDED = 0
"""Depth of a least row of which not even the depth is known: it occupies resources, and no pipeline waits for it."""


def widened(device: Device, column: Column) -> Column:
    """``column`` with the resources that make least rows longer and plans not."""
    rows = []
    for number, old in enumerate(column.rows):
        busy = _widened(device, old.busy, number, len(column.rows))
        fill = busy if old.fill is old.busy else _widened(device, old.fill, number, len(column.rows))
        rows.append(replace(old, busy=busy, fill=fill))
    return replace(column, rows=tuple(rows))


def _widened(device: Device, cycles: Ints, number: int, count: int) -> Ints:
    layout, networks = resources(device), len(device.nocs)
    firsts = (0, layout.read_port, layout.write_port)  # one processor and two ports per network come before all links
    means = [cycles[:, first : first + networks].sum(axis=1) // networks for first in firsts]
    alone = np.zeros((len(cycles), count), dtype=np.int64)
    alone[:, number] = cycles.max(axis=1)
    return np.concatenate([cycles, np.stack(means, axis=1), alone], axis=1)


def floor(device: Device, column: Column) -> Key:
    """A key that no plan of ``column`` is below.

    Whatever the depths, a level takes its loads once before anything can start, its stores once after everything, and
    between them no period is shorter than the ops and inner levels, or than the busiest resource.
    """
    least = [rows.busy.min(axis=0) for rows in column.rows]
    nest, nothing = column.nest, np.zeros_like(least[0])
    time: dict[int, int] = {}
    inside: dict[int, Ints] = {}
    for node in reversed(range(len(nest.names))):
        here = [(rows.kind, figures) for rows, figures in zip(column.rows, least, strict=True) if rows.level[0] == node]
        loads = sum((figures for kind, figures in here if kind == "load"), nothing)
        stores = sum((figures for kind, figures in here if kind == "store"), nothing)
        inside[node] = loads + stores
        serial = column.ops[node]
        for child in nest.children(node):
            inside[node] = inside[node] + nest.trips[child] * inside[child]
            serial += time[child]
        period = max(serial, int(inside[node].max()))
        time[node] = int(loads.max()) + (nest.trips[node] - 1) * period + serial + int(stores.max())
    dram, noc, sram = (sum(int(getattr(r, f).min()) for r in column.rows) for f in ("dram", "noc", "sram"))
    return device.launch_cycles + time[0], dram, noc, column.fixed_sram + sram


def best_choice(device: Device, column: Column, best: Key | None) -> tuple[Key, Ints] | None:
    """Row numbers of the plan of the :func:`widened` ``column`` that ranks first, with its key; None if none ranks
    before ``best``.

    A dropped row must not be one that the canonical form asks for: with one digit per spatial dim and one level per
    access it asks for none.
    """
    assert not column.ends and not column.readings
    column = _with_undominated_resources(column)
    kept = [_undominated(rows) for rows in column.rows]
    taken = tuple(_with_least(rows.take(numbers)) for rows, numbers in zip(column.rows, kept, strict=True))
    found = _Search(device, replace(column, rows=taken)).run(best)
    if found is None:
        return None
    return found[0], np.array([numbers[c] for numbers, c in zip(kept, found[1], strict=True)], dtype=np.int64)


def _with_undominated_resources(column: Column) -> Column:
    """``column`` without resources that another one is at least as long as in every row."""
    keep = undominated_columns(np.concatenate([figures for r in column.rows for figures in (r.busy, r.fill)]))
    return replace(column, rows=tuple(replace(r, busy=r.busy[:, keep], fill=r.fill[:, keep]) for r in column.rows))


def _undominated(rows: Rows) -> Ints:
    """Numbers of the rows that no other one of the same depth equals or beats in every figure.

    Alike accesses keep equal rows, so whoever trades places with another finds the same ones there.
    """
    figures = np.concatenate([rows.busy, rows.fill, rows.sram[:, None], rows.dram[:, None], rows.noc[:, None]], axis=1)
    out: list[int] = []
    for depth in (1, 2):
        left = np.flatnonzero(rows.depth == depth)
        left = left[np.argsort(figures[left].sum(axis=1), kind="stable")]
        while len(left):
            out.append(int(left[0]))
            left = left[(figures[left] < figures[left[0]]).any(axis=1)]
    return np.array(sorted(out), dtype=np.int64)


def _with_least(rows: Rows) -> Rows:
    """``rows`` and behind them the least row of any depth, of depth 1 and of depth 2 (of any, where there is none)."""
    members = [np.flatnonzero(rows.depth == depth) for depth in (1, 2)]
    groups = [np.arange(len(rows.depth))] + [m if len(m) else np.arange(len(rows.depth)) for m in members]

    def least(figures: Ints) -> Ints:
        return np.concatenate([figures, np.stack([figures[group].min(axis=0) for group in groups])])

    return replace(
        rows, number=least(rows.number), level=least(rows.level), depth=np.append(rows.depth, (UNDECIDED, 1, 2)),
        sram=least(rows.sram), dram=least(rows.dram), noc=least(rows.noc), busy=least(rows.busy), fill=least(rows.fill),
    )  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """Partial plans of which the first ``steps`` decisions are taken, with bounds on their keys."""

    choice: Ints  # (plans, accesses) row numbers
    keys: Ints  # (4, plans)
    steps: int

    def take(self, keep: Ints | Bools | slice) -> _Part:
        return _Part(self.choice[keep], self.keys[:, keep], self.steps)


class _Search:
    """Depth first, the most promising partial plans first: all depths are decided, then all deliveries."""

    def __init__(self, device: Device, column: Column) -> None:
        self.device, self.column = device, column
        self.undecided = np.array([len(rows.depth) - 3 for rows in column.rows], dtype=np.int64)
        longest = [int(r.busy.max()) * column.nest.iterations(int(r.level[0])) for r in column.rows]
        sequence = sorted(range(len(longest)), key=lambda access: -longest[access])  # what decides most comes first
        self.decisions = [(access, False) for access in sequence] + [(access, True) for access in sequence]
        self.best: Key | None = None

    def run(self, best: Key | None) -> tuple[Key, Ints] | None:
        """The plan that ranks first and before ``best``."""
        self.best, found = best, None
        stack = self._bounded(self.undecided[None], 0)
        while stack:
            part = stack.pop()
            part = part.take(self._better(part.keys))
            if part.steps < len(self.decisions):
                stack += self._bounded(self._extended(part), part.steps + 1)
                continue
            part = part.take(feasible(self.device, self.column, part.choice))
            if len(part.choice):  # in the order of their keys
                found = part.choice[0]
                self.best = _key(part.keys[:, 0])
        return None if found is None or self.best is None else (self.best, found)

    def _extended(self, part: _Part) -> Ints:
        """Every plan of ``part`` with every way to take the next decision."""
        access, of_rows = self.decisions[part.steps]
        depth, least = self.column.rows[access].depth, self.undecided[access]
        offered = [np.flatnonzero(depth[:least] == d) for d in (1, 2)]
        if not of_rows:
            return _product(part.choice, access, np.array([least + d for d in (1, 2) if len(offered[d - 1])]))
        chosen = part.choice[:, access] - least
        return np.concatenate([_product(part.choice[chosen == d], access, offered[d - 1]) for d in (1, 2)])

    def _bounded(self, choice: Ints, steps: int) -> list[_Part]:
        """Those of ``choice`` that may rank before the best, in parts, the most promising last."""
        sram = self.column.fixed_sram + totals(self.column, choice, "sram")
        choice, sram = choice[sram <= self.device.sram.usable], sram[sram <= self.device.sram.usable]
        if not len(choice):
            return []
        dram, noc = (totals(self.column, choice, figure) for figure in ("dram", "noc"))
        part = _Part(choice, np.stack([makespans(self.device, self.column, choice), dram, noc, sram]), steps)
        part = part.take(self._better(part.keys))
        part = part.take(np.lexsort(part.keys[::-1]))
        return [part.take(slice(at, at + CHUNK)) for at in reversed(range(0, len(part.choice), CHUNK))]

    def _better(self, keys: Ints) -> Bools:
        """Which of ``keys`` (4, plans) rank before the best."""
        if self.best is None:
            return np.ones(keys.shape[1], dtype=bool)
        out = np.zeros(keys.shape[1], dtype=bool)
        for figures, most in zip(keys[::-1], self.best[::-1], strict=True):
            out = (figures < most) | ((figures == most) & out)
        return out


def _product(choice: Ints, access: int, options: Ints) -> Ints:
    """Every row of ``choice`` with each of ``options`` for ``access``."""
    out = np.repeat(choice, len(options), axis=0)
    out[:, access] = np.tile(options, len(choice))
    return out


def _key(figures: Ints) -> Key:
    cycles, dram, noc, sram = figures.tolist()
    return cycles, dram, noc, sram
