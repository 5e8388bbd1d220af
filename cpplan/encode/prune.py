"""Exact per-option bounds inside one column, and the pruning they allow.

For an option ``o`` of an access, with every other access left free, no plan of the column is faster than ``bound[o]``
(docs/encoding.md, "Option bounds"). Options above the k-th best plan known cannot occur in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import KINDS, Column, Ints, Kind, Rows
from cpplan.device.device import Device
from cpplan.encode.additive import Additive, additive_bound
from cpplan.plan.nest import Nest

Bools = npt.NDArray[np.bool_]
LISTED = 6_000
"""Combinations up to which a column is listed rather than relaxed."""
PRICE_UNIT = 1 << 20
PRICES = (64, 32, 16, 8, 4, 2, 1)
"""SRAM prices tried: all of SRAM costs the banks' total divided by these."""


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


def _in_full(column: Column) -> list[tuple[int, int, Ints]]:
    """Per wave level: ops of the nest once, but all of one iteration of it; iterations; which levels it contains."""
    nest, ops = column.nest, column.ops
    out = []
    for level in nest.path(nest.home[""]):
        runs = nest.iterations(level)
        inside = np.array([v != level and level in nest.path(v) for v in range(len(ops))])
        whole = sum(o * (nest.iterations(v) // runs if inside[v] else 1) for v, o in enumerate(ops))
        out.append((whole, runs, inside))
    return out


def option_bounds(device: Device, column: Column) -> OptionBounds:
    """Bounds of all options; every access must have at least one."""
    nocs = len(device.nocs)
    compute = compute_cycles(column)
    trips = np.array(column.nest.trips, dtype=np.int64)
    busy, shown, stretched, once = [], [], [], []
    levels = _in_full(column)
    room = device.sram.usable - column.fixed_sram
    prices = _sram_prices(column, nocs, room)
    held_back: list[list[Ints]] = [[] for _ in levels]
    for rows in column.rows:
        every, exposed = _counts(column.nest, rows)
        longest = rows.fill.max(axis=1)
        stretched.append(every * longest + compute // trips[rows.level])
        once.append(int(longest.min()))
        busy.append(_priced(rows.busy * every[:, None], rows.sram, nocs, prices))
        for (_, runs, inside), figures in zip(levels, held_back, strict=True):
            within = inside[rows.level]
            counted = np.where(within, every - every // runs, every)
            once_shown = np.where(within, exposed // runs, 0)
            both = rows.busy * counted[:, None] + rows.fill * once_shown[:, None]
            figures.append(_priced(both, rows.sram, nocs, prices))
        shown.append(_priced(rows.fill * exposed[:, None], rows.sram, nocs, prices))
    spare = np.zeros_like(busy[0][0])
    spare[len(spare) - len(prices) :] = [-(-price * room // PRICE_UNIT) for price in prices]
    least_busy = [b.min(axis=0) for b in busy]
    least_shown = [s.min(axis=0) for s in shown]
    kinds = [rows.kind for rows in column.rows]
    options = []
    for number, rows in enumerate(column.rows):
        others = sum((b for i, b in enumerate(least_busy) if i != number), np.zeros_like(least_busy[0]))
        resource = (busy[number] + others - spare).max(axis=1) + sum(column.ops)
        for (whole, _, _), figures in zip(levels, held_back, strict=True):
            rest = sum((f.min(axis=0) for i, f in enumerate(figures) if i != number), np.zeros_like(least_busy[0]))
            resource = np.maximum(resource, (figures[number] + rest - spare).max(axis=1) + whole)
        same = [least_shown[i] for i, kind in enumerate(kinds) if i != number and kind == rows.kind]
        alike = (shown[number] + sum(same, np.zeros_like(least_shown[0])))[:, : -len(prices)].max(axis=1)
        against = sum(_exposed(kinds, least_shown, kind, len(prices)) for kind in KINDS if kind != rows.kind)
        first = max((o for o, kind in zip(once, kinds, strict=True) if kind != rows.kind), default=0)
        hidden = np.maximum(compute + alike + against, stretched[number] + first)
        options.append(device.launch_cycles + np.maximum(resource, hidden))
    return OptionBounds(max(int(o.min()) for o in options), tuple(options))


def _exposed(kinds: list[Kind], least_shown: list[Ints], kind: Kind, prices: int) -> int:
    """Least time that no pipelining hides of the streams of one kind together."""
    together = sum((s for s, k in zip(least_shown, kinds, strict=True) if k == kind), np.zeros_like(least_shown[0]))
    return int(together[:-prices].max())


def _sram_prices(column: Column, nocs: int, room: int) -> list[int]:
    """Prices of a byte of SRAM in bank cycles, in units of 1 / ``PRICE_UNIT``: any price gives a valid bound."""
    total = sum(int((rows.busy[:, nocs] * _counts(column.nest, rows)[0]).min()) for rows in column.rows)
    return [total * PRICE_UNIT // (max(1, room) * part) for part in PRICES]


def _priced(cycles: Ints, sram: Ints, nocs: int, prices: list[int]) -> Ints:
    """Resource totals, the processors' total spread evenly (any network may be picked), and banks with SRAM priced."""
    spread = cycles[:, :nocs].sum(axis=1, keepdims=True) // nocs  # rounded down: these add up over accesses
    rent = [cycles[:, nocs] + sram * price // PRICE_UNIT for price in prices]
    return np.concatenate([cycles, spread, np.stack(rent, axis=1)], axis=1)


@dataclass(frozen=True)
class Pruned:
    """What is left of a column, with its bounds; ``additive`` is given for columns too large to be listed."""

    column: Column
    bounds: OptionBounds
    additive: Additive | None = None


def prune_column(device: Device, column: Column, limit: int | None) -> Pruned | None:
    """``column`` without options whose bound exceeds ``limit`` or whose SRAM never fits; None when nothing is left."""
    while True:
        if any(not rows.places for rows in column.rows):
            return None
        bounds, additive = option_bounds(device, column), None
        keep = _within(device, column, bounds, limit)
        if limit is not None and all(k.all() for k in keep) and column.combinations > LISTED:
            additive = additive_bound(device, column)
            if additive is not None:
                bounds = _sharper(bounds, additive)
                keep = _within(device, column, bounds, limit)
        if all(k.all() for k in keep):
            whole = _canonical_bound(column, bounds)
            if whole is None or (limit is not None and whole > limit):
                return None
            return Pruned(column, replace(bounds, column=whole), additive)
        column = take_options(column, keep)


def prune_again(device: Device, pruned: Pruned, limit: int | None) -> Pruned | None:
    """``pruned`` at a lower limit; bounds are computed again only where that leaves out some option."""
    if limit is None or all((b <= limit).all() for b in pruned.bounds.options):
        return None if limit is not None and pruned.bounds.column > limit else pruned
    keep = _within(device, pruned.column, pruned.bounds, limit)
    return prune_column(device, take_options(pruned.column, keep), limit) if all(k.any() for k in keep) else None


def take_options(column: Column, keep: list[Bools]) -> Column:
    """``column`` with the options selected by ``keep``."""
    return replace(column, rows=tuple(r.take(k) for r, k in zip(column.rows, keep, strict=True)))


def _within(device: Device, column: Column, bounds: OptionBounds, limit: int | None) -> list[Bools]:
    """Options within the limit that fit beside the smallest of all other accesses."""
    room = device.sram.usable - column.fixed_sram
    least = [int(rows.sram.min()) for rows in column.rows]
    keep = []
    for rows, bound, own in zip(column.rows, bounds.options, least, strict=True):
        fits = rows.sram + (sum(least) - own) <= room
        keep.append(fits if limit is None else fits & (bound <= limit))
    return keep


def _sharper(bounds: OptionBounds, additive: Additive) -> OptionBounds:
    options = tuple(np.maximum(one, other) for one, other in zip(bounds.options, additive.options(), strict=True))
    return OptionBounds(max(int(o.min()) for o in options), options)


def _canonical_bound(column: Column, bounds: OptionBounds) -> int | None:
    """Bound of the column when every level and group end that must carry a transfer does; None when one cannot."""
    least = bounds.column
    asked = [[rows.level == node for rows in column.rows] for node in column.boundaries]
    asked += [
        [np.array([p.groups[dim] == size for p in rows.places], dtype=bool) for rows in column.accesses]
        for dim, size in column.ends
    ]
    for meets in asked:
        found = [int(o[m].min()) for o, m in zip(bounds.options, meets, strict=False) if m.any()]
        if not found:
            return None
        least = max(least, min(found))
    return least
