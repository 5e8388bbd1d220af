"""Exact per-option bounds inside one column, and the pruning they allow.

For an option ``o`` of an access, with every other access left free, no plan of the column is faster than ``bound[o]``
(docs/encoding.md, "Option bounds"). Options above the k-th best plan known cannot occur in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import Column, Ints, Rows
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

    def take(self, keep: list[Bools]) -> OptionBounds:
        """The bounds of the options selected by ``keep``."""
        return OptionBounds(self.column, tuple(o[k] for o, k in zip(self.options, keep, strict=True)))


def compute_cycles(column: Column) -> int:
    """Cycles of all tile ops that one core runs in the launch."""
    return sum(ops * column.nest.iterations(level) for level, ops in enumerate(column.ops))


def _counts(nest: Nest, rows: Rows) -> tuple[Ints, Ints]:
    """(transfers in the launch, transfers that no pipelining hides) of every option."""
    every, trips = np.array(nest.runs, dtype=np.int64)[rows.level], np.array(nest.trips, dtype=np.int64)
    return every, np.where(rows.depth == 2, every // trips[rows.level], every)


def _in_full(column: Column) -> tuple[Ints, Ints, Bools]:
    """Per wave level: ops of the nest once, but all of one iteration of it; iterations; which levels it contains."""
    nest, ops = column.nest, np.array(column.ops, dtype=np.int64)
    waves = nest.path(nest.home[""])
    each = np.array(nest.runs, dtype=np.int64)
    runs = each[list(waves)]
    inside = np.array([[v != level and level in nest.path(v) for v in range(len(ops))] for level in waves])
    whole: Ints = (ops * np.where(inside, each // runs[:, None], 1)).sum(axis=1)
    return whole, runs, inside


def option_bounds(device: Device, column: Column) -> OptionBounds:
    """Bounds of all options; every access must have at least one."""
    nocs = len(device.nocs)
    compute = compute_cycles(column)
    trips = np.array(column.nest.trips, dtype=np.int64)
    whole, runs, inside = _in_full(column)
    room = device.sram.usable - column.fixed_sram
    counts = [_counts(column.nest, rows) for rows in column.rows]
    prices = _sram_prices(column, counts, nocs, room)
    once, stretched = list[int](), list[Ints]()
    busy, shown = list[Ints](), list[Ints]()  # per access: (1 + wave levels, options, resources), (options, resources)
    for rows, (every, exposed) in zip(column.rows, counts, strict=True):
        longest = rows.fill.max(axis=1)
        stretched.append(every * longest + compute // trips[rows.level])
        once.append(int(longest.min()))
        within = inside[:, rows.level]
        counted = np.where(within, every - every // runs[:, None], every)
        once_shown = np.where(within, exposed // runs[:, None], 0)
        held_back = rows.busy * counted[:, :, None] + rows.fill * once_shown[:, :, None]
        totals = np.concatenate([(rows.busy * every[:, None])[None], held_back])
        busy.append(_priced(totals, rows.sram, nocs, prices))
        shown.append(_with_spread(rows.fill * exposed[:, None], nocs))
    spare = np.zeros(busy[0].shape[2], dtype=np.int64)
    spare[len(spare) - len(prices) :] = -(-prices * room // PRICE_UNIT)
    least_busy, least_shown = [b.min(axis=1) for b in busy], [s.min(axis=0) for s in shown]
    all_busy = np.sum(least_busy, axis=0) - spare
    ops = np.concatenate([[sum(column.ops)], whole])
    kinds = [rows.kind for rows in column.rows]
    together = {k: np.sum([s for s, kind in zip(least_shown, kinds, strict=True) if kind == k], axis=0) for k in kinds}
    options = []
    for number, rows in enumerate(column.rows):
        rest = all_busy - least_busy[number]
        resource = ((busy[number] + rest[:, None]).max(axis=2) + ops[:, None]).max(axis=0)
        same = together[rows.kind] - least_shown[number]
        against = sum(int(shown_ones.max()) for kind, shown_ones in together.items() if kind != rows.kind)
        first = max((o for o, kind in zip(once, kinds, strict=True) if kind != rows.kind), default=0)
        hidden = np.maximum(compute + (shown[number] + same).max(axis=1) + against, stretched[number] + first)
        options.append(device.launch_cycles + np.maximum(resource, hidden))
    return OptionBounds(max(int(o.min()) for o in options), tuple(options))


def _sram_prices(column: Column, counts: list[tuple[Ints, Ints]], nocs: int, room: int) -> Ints:
    """Prices of a byte of SRAM in bank cycles, in units of 1 / ``PRICE_UNIT``: any price gives a valid bound."""
    total = sum(int((r.busy[:, nocs] * every).min()) for r, (every, _) in zip(column.rows, counts, strict=True))
    return np.array([total * PRICE_UNIT // (max(1, room) * part) for part in PRICES], dtype=np.int64)


def _with_spread(cycles: Ints, nocs: int) -> Ints:
    """``cycles`` (..., resources) and the processors' total spread evenly, as any network may be picked."""
    spread = cycles[..., :nocs].sum(axis=-1, keepdims=True) // nocs  # rounded down: these add up over accesses
    return np.concatenate([cycles, spread], axis=-1)


def _priced(cycles: Ints, sram: Ints, nocs: int, prices: Ints) -> Ints:
    """``cycles`` (levels, options, resources) as in :func:`_with_spread`, and banks with SRAM priced."""
    rent = cycles[..., nocs, None] + sram[:, None] * prices // PRICE_UNIT
    return np.concatenate([_with_spread(cycles, nocs), rent], axis=-1)


@dataclass(frozen=True)
class Pruned:
    """What is left of a column, with its bounds; ``additive`` is given for columns too large to be listed."""

    column: Column
    bounds: OptionBounds
    additive: Additive | None = None


def prune_column(device: Device, column: Column, limit: int | None) -> Pruned | None:
    """``column`` without options whose bound exceeds ``limit`` or whose SRAM never fits; None when nothing is left."""
    relaxed: tuple[Column, Additive | None] | None = None
    while True:
        before = column
        if any(not rows.places for rows in column.rows):
            return None
        bounds = option_bounds(device, column)
        if limit is not None and bounds.column > limit:
            return None
        column, bounds = _kept(device, column, bounds, limit)
        if any(not rows.places for rows in column.rows):
            return None
        if limit is not None and column.combinations > LISTED:
            if relaxed is None or relaxed[0] is not column:
                relaxed = column, additive_bound(device, column)
            if relaxed[1] is not None:
                column, bounds = _kept(device, column, _sharper(bounds, relaxed[1]), limit)
        if column is before:
            whole = _canonical_bound(column, bounds)
            if whole is None or (limit is not None and whole > limit):
                return None
            additive = relaxed[1] if relaxed is not None and relaxed[0] is column else None
            return Pruned(column, replace(bounds, column=whole), additive)


def prune_again(device: Device, pruned: Pruned, limit: int | None) -> Pruned | None:
    """``pruned`` at a lower limit; bounds are computed again only where that leaves out some option."""
    if limit is None or all((b <= limit).all() for b in pruned.bounds.options):
        return None if limit is not None and pruned.bounds.column > limit else pruned
    keep = _within(device, pruned.column, pruned.bounds, limit)
    return prune_column(device, take_options(pruned.column, keep), limit) if all(k.any() for k in keep) else None


def take_options(column: Column, keep: list[Bools]) -> Column:
    """``column`` with the options selected by ``keep``."""
    return replace(column, rows=tuple(r.take(k) for r, k in zip(column.rows, keep, strict=True)))


def _kept(device: Device, column: Column, bounds: OptionBounds, limit: int | None) -> tuple[Column, OptionBounds]:
    """``column`` and its bounds without options above the limit; the column itself when there are none."""
    keep = _within(device, column, bounds, limit)
    return (column, bounds) if all(k.all() for k in keep) else (take_options(column, keep), bounds.take(keep))


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
    return OptionBounds(max(bounds.column, *(int(o.min()) for o in options)), options)


def _canonical_bound(column: Column, bounds: OptionBounds) -> int | None:
    """Bound of the column when every level and group end that must carry a transfer does; None when one cannot."""
    least = bounds.column
    asked = [[rows.level == node for rows in column.rows] for node in column.boundaries]
    asked += [[rows.end_at(dim, size) for rows in column.accesses] for dim, size in column.ends]
    for meets in asked:
        found = [int(o[m].min()) for o, m in zip(bounds.options, meets, strict=False) if m.any()]
        if not found:
            return None
        least = max(least, min(found))
    return least
