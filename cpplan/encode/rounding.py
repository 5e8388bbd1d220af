"""Whole choices for many columns at once: one option per access by prices of SRAM, then the best change of one access.

Nothing is proved here. Makespans are those of figures (:mod:`cpplan.encode.pipeline`), so a plan with the same levels
and depths may take longer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.levels import Bools
from cpplan.encode.pipeline import relaxed_makespans
from cpplan.encode.stacked import Stack, Stream, weighed
from cpplan.encode.weights import Floats, Shares

PRICES = 8
"""Prices of SRAM tried per column."""
CHEAPEST = 1e-3
"""First price where SRAM is free, in parts of the makespan for all of it."""
SWEEPS = 4
"""Passes over all accesses in one descent."""


@dataclass(frozen=True)
class Options:
    """The O options of every access (A) of n columns, as many for each access; the last ones may be missing."""

    level: Ints  # (A, O)
    depth: Ints  # (A, O)
    cycles: Floats  # (A, figures, O, n) as in a :class:`Stream`
    bytes: Ints  # (A, O, n)
    open: Bools  # (A, O, n)

    def take(self, keep: Ints) -> Options:
        """The columns selected by ``keep``."""
        return Options(self.level, self.depth, self.cycles[..., keep], self.bytes[..., keep], self.open[..., keep])


@dataclass(frozen=True)
class Rounded:
    """One option per access of n columns, by number, with the makespan of each; ``inf`` where they do not fit."""

    picks: Ints  # (A, n)
    cycles: Floats  # (n,)

    def take(self, keep: Ints) -> Rounded:
        """The columns selected by ``keep``."""
        return Rounded(self.picks[:, keep], self.cycles[keep])


def better(one: Rounded | None, other: Rounded) -> Rounded:
    """The faster choice of every column."""
    if one is None:
        return other
    first = one.cycles <= other.cycles
    return Rounded(np.where(first, one.picks, other.picks), np.minimum(one.cycles, other.cycles))


def options_of(stack: Stack) -> Options:
    """The open options of ``stack``."""
    most = max(stream.open[..., 0].size for stream in stack.streams)
    return Options(*(np.stack(part) for part in zip(*(_listed(s, most) for s in stack.streams), strict=True)))


def _listed(stream: Stream, most: int) -> tuple[Ints, Ints, Floats, Ints, Bools]:
    depths, ways, places, n = stream.open.shape
    count, figures = depths * ways * places, len(stream.cycles)
    level = np.resize(np.array(stream.levels), most)
    depth = np.resize(np.repeat(np.arange(1, depths + 1), ways * places), most)
    cycles, size = np.zeros((figures, most, n)), np.zeros((most, n), dtype=np.int64)
    there = np.zeros((most, n), dtype=bool)
    cycles[:, :count] = np.broadcast_to(stream.cycles[:, None], (figures, *stream.open.shape)).reshape(-1, count, n)
    size[:count] = np.broadcast_to(stream.bytes, stream.open.shape).reshape(count, n)
    there[:count] = stream.open.reshape(count, n)
    return level, depth, cycles, size, there


def rounded(device: Device, stack: Stack, options: Options, shares: Shares) -> Rounded:
    """The options that cost least by ``shares``, at the least price of SRAM tried at which they fit."""
    bound, found = weighed(device, stack, shares)
    n = len(stack.room)
    costs = np.full(options.bytes.shape, np.inf)
    for own, cost in zip(costs, found, strict=True):
        own[: cost[..., 0].size] = cost.reshape(-1, n)
    first = np.maximum(shares.rent, CHEAPEST * bound / stack.room)
    low, high, picks = np.zeros(n), np.full(n, np.inf), np.zeros((len(costs), n), dtype=np.int64)
    price = np.zeros(n)
    for _ in range(PRICES):
        tried = np.argmin(costs + price * options.bytes, axis=1)
        fits = _of(options.bytes, tried).sum(axis=0) <= stack.room
        picks[:, fits] = tried[:, fits]
        high, low = np.where(fits, price, high), np.where(fits, low, price)
        if not high.any():
            break
        price = np.where(np.isinf(high), np.maximum(2 * low, first), (low + high) / 2)
    cycles = choice_makespans(device, stack, options, picks, np.arange(n))
    return Rounded(picks, np.where(np.isinf(high), np.inf, cycles))


def descended(device: Device, stack: Stack, options: Options, start: Rounded) -> Rounded:
    """``start`` after the best changes of one access at a time, until nothing gets better."""
    picks, cycles = start.picks.copy(), start.cycles.copy()
    accesses, count = options.level.shape
    columns = np.repeat(np.arange(len(stack.room)), count)
    for _ in range(SWEEPS):
        before = cycles.copy()
        for access in range(accesses):
            tried = picks[:, columns]
            tried[access] = np.tile(np.arange(count), len(stack.room))
            own = _of(options.bytes, picks)
            held = own.sum(axis=0) - own[access]
            fits = options.open[access] & (held + options.bytes[access] <= stack.room)
            within = np.nonzero(fits.T.ravel())[0]
            found = np.full(len(columns), np.inf)
            found[within] = choice_makespans(device, stack, options, tried[:, within], columns[within])
            best = found.reshape(-1, count).argmin(axis=1)
            least = found.reshape(-1, count).min(axis=1)
            better = least < cycles
            picks[access, better] = best[better]
            cycles = np.minimum(least, cycles)
        if not (cycles < before).any():
            break
    return Rounded(picks, cycles)


def _of(table: Ints, picks: Ints) -> Ints:
    """(A, n) the entries of ``table`` (A, O, n) that are picked."""
    return np.take_along_axis(table, picks[:, None], axis=1)[:, 0]


def choice_makespans(device: Device, stack: Stack, options: Options, picks: Ints, columns: Ints) -> Floats:
    """Makespans in figures of ``picks`` (A, lanes) in ``columns`` (lanes,)."""
    access = np.arange(len(picks))[:, None]
    cycles = options.cycles[access, :, picks, columns].transpose(2, 0, 1)
    frame = (
        device,
        stack.shape,
        [stream.kind for stream in stack.streams],
        stack.trips[:, columns],
        stack.ops[:, columns],
    )
    return relaxed_makespans(*frame, options.level[access, picks], options.depth[access, picks], cycles)
