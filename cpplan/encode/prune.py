"""Exact per-option bounds inside one column, and the pruning they allow.

For an option ``o`` of an access, with every other access left free, no plan of the column is faster than ``bound[o]``
(docs/encoding.md, "Option bounds"). Options above the k-th best plan known cannot occur in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cpplan.cost.table import Column, Ints, Rows
from cpplan.device.device import Device
from cpplan.plan.nest import Nest


@dataclass(frozen=True)
class OptionBounds:
    """Lower bounds in cycles: of the column, and of every option of every access."""

    column: int
    options: tuple[Ints, ...]


def compute_cycles(column: Column) -> int:
    """Cycles of all tile ops that one core runs in the launch."""
    return sum(ops * column.nest.iterations(level) for level, ops in enumerate(column.ops))


def _counts(nest: Nest, rows: Rows) -> tuple[Ints, Ints]:
    """(transfers in the launch, transfers that no pipelining hides) of every option."""
    runs = np.array([nest.iterations(i) for i in range(len(nest.names))], dtype=np.int64)
    trips = np.array(nest.trips, dtype=np.int64)
    every = runs[rows.level]
    return every, np.where(rows.depth == 2, every // trips[rows.level], every)


def option_bounds(device: Device, column: Column) -> OptionBounds:
    """Bounds of all options; every access must have at least one."""
    nocs = len(device.nocs)
    compute = compute_cycles(column)
    trips = np.array(column.nest.trips, dtype=np.int64)
    busy, shown, stretched, once = [], [], [], []
    for rows in column.rows:
        every, exposed = _counts(column.nest, rows)
        longest = rows.fill.max(axis=1)
        stretched.append(every * longest + compute // trips[rows.level])
        once.append(int(longest.min()))
        busy.append(_with_spread(rows.busy * every[:, None], nocs))
        shown.append(_with_spread(rows.fill * exposed[:, None], nocs))
    least_busy = [b.min(axis=0) for b in busy]
    least_shown = [s.min(axis=0) for s in shown]
    stores = np.array([rows.store for rows in column.rows])
    options = []
    for number, rows in enumerate(column.rows):
        others = sum((b for i, b in enumerate(least_busy) if i != number), np.zeros_like(least_busy[0]))
        resource = (busy[number] + others).max(axis=1) + sum(column.ops)
        same = [least_shown[i] for i in range(len(stores)) if i != number and stores[i] == rows.store]
        opposite = [least_shown[i] for i in range(len(stores)) if stores[i] != rows.store]
        alike = (shown[number] + sum(same, np.zeros_like(least_shown[0]))).max(axis=1)
        against = int(sum(opposite, np.zeros_like(least_shown[0])).max())
        first = max((o for o, s in zip(once, stores, strict=True) if s != rows.store), default=0)
        hidden = np.maximum(compute + alike + against, stretched[number] + first)
        options.append(device.launch_cycles + np.maximum(resource, hidden))
    return OptionBounds(max(int(o.min()) for o in options), tuple(options))


def _with_spread(cycles: Ints, nocs: int) -> Ints:
    """Resource totals plus one more: the processors' total, spread evenly (an option may pick any network)."""
    spread = cycles[:, :nocs].sum(axis=1, keepdims=True) // nocs  # rounded down: these add up over accesses
    return np.concatenate([cycles, spread], axis=1)


def prune_column(device: Device, column: Column, limit: int | None) -> tuple[Column, OptionBounds] | None:
    """``column`` without options whose bound exceeds ``limit`` or whose SRAM never fits; None when nothing is left."""
    while True:
        if any(not rows.places for rows in column.rows):
            return None
        bounds = option_bounds(device, column)
        room = device.sram.usable - column.fixed_sram
        least = [int(rows.sram.min()) for rows in column.rows]
        keep = []
        for rows, bound, own in zip(column.rows, bounds.options, least, strict=True):
            fits = rows.sram + (sum(least) - own) <= room
            keep.append(fits if limit is None else fits & (bound <= limit))
        if all(k.all() for k in keep):
            return column, bounds
        column = replace(column, rows=tuple(r.take(k) for r, k in zip(column.rows, keep, strict=True)))
