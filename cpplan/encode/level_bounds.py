"""Lower bounds of lanes under wave orders, from the figures of their accesses (docs/encoding.md, section 4)."""

from __future__ import annotations

import numpy as np

from cpplan.encode.blocks import INFINITE, Ints
from cpplan.encode.levels import (
    BANK,
    EXPOSED,
    EXPOSED_BANK,
    EXPOSED_CHAIN,
    NEVER,
    ONCE,
    PRICED,
    PRICES,
    STRETCHED,
    TOTALS,
    LevelTable,
)
from cpplan.tile.arith import ceil_div


def combined(table: LevelTable, lane: Ints, figures: Ints) -> Ints:
    """Lower bound in cycles of ``lane`` when access ``a`` has at least ``figures[a]`` (accesses, FIGURES, rows)."""
    device, total = table.device, np.minimum(figures, NEVER)
    stores = np.array([a.kind != "load" for a in table.facts.program.accesses])
    sides = [total[~stores], total[stores]]
    nothing = np.zeros(len(lane), dtype=np.int64)
    latency = sum((_together(side, len(device.nocs)) for side in sides if len(side)), nothing)
    resources = _busiest(table, lane, total[:, TOTALS]) + table.once[lane]
    longest, once = ([_most(side, figure) for side in sides] for figure in (STRETCHED, ONCE))
    stream = np.maximum(longest[0] + once[1], longest[1] + once[0])
    bound = np.maximum(np.maximum(table.compute[lane] + latency, resources), stream)
    out: Ints = np.where(table.fits[lane] & (bound < NEVER), device.launch_cycles + bound, INFINITE)
    return out


def one_iteration_in_full(table: LevelTable, lane: Ints, outside: Ints, upto: Ints, deeper: Ints) -> Ints:
    """Lower bound from one iteration of the level below ``outside`` whose ops run while the resources are idle.

    ``upto`` holds the totals of an access at that level or outside of it (accesses, totals, rows), ``deeper`` its
    figures further inside (accesses, FIGURES, rows): of them all iterations but one count, and what is exposed in that
    one.
    """
    runs = table.waves[outside, lane]
    exposed = deeper[:, EXPOSED_BANK : EXPOSED_BANK + 1] // runs
    shown = [exposed, deeper[:, EXPOSED_CHAIN : EXPOSED_CHAIN + 1] // runs, 0 * exposed]
    held_back = deeper[:, TOTALS] // runs * (runs - 1)
    held_back += np.concatenate([*shown, np.repeat(exposed, len(PRICES), axis=1)], axis=1)
    held_back = np.where(deeper[:, TOTALS] < NEVER, held_back, NEVER)
    bound = _busiest(table, lane, np.minimum(upto, held_back)) + table.compute[lane] // runs
    out: Ints = np.where(bound < NEVER, table.device.launch_cycles + bound, INFINITE)
    return out


def _busiest(table: LevelTable, lane: Ints, totals: Ints) -> Ints:
    """Cycles of the busiest resource over all accesses: the banks, the processors together or one alone, a link.

    At the banks also when SRAM has a price: what is hoisted pays rent, and all of SRAM is lent at most once.
    """
    bank, processor, link = totals[:, 0], totals[:, 1], totals[:, 2]
    serial = np.maximum(processor.max(axis=0), ceil_div(processor.sum(axis=0), len(table.device.nocs)))
    lent = np.ceil(table.prices[:, lane] * table.room[lane]).astype(np.int64) + 1
    priced = (totals[:, PRICED.start - BANK :].sum(axis=0) - lent).max(axis=0)
    out: Ints = np.maximum(np.maximum(np.maximum(bank.sum(axis=0), priced), serial), link.max(axis=0))
    return out


def _most(side: Ints, figure: int) -> Ints:
    return side[:, figure].max(axis=0) if len(side) else np.zeros(side.shape[2], dtype=np.int64)


def _together(side: Ints, nocs: int) -> Ints:
    """Exposed time of several streams: the longest one, their spread over the processors, or their sum at the banks."""
    spread = ceil_div(side[:, EXPOSED_CHAIN].sum(axis=0), nocs)
    out: Ints = np.maximum(side[:, EXPOSED].max(axis=0), np.maximum(spread, side[:, EXPOSED_BANK].sum(axis=0)))
    return out


def with_a_transfer_at(table: LevelTable, lane: Ints, figures: Ints, level: Ints) -> Ints:
    """Lower bound when some access sits at a level with figures ``level``, and the others have at least ``figures``."""
    best = np.full(len(lane), INFINITE)
    for number in range(len(figures)):
        possible = np.nonzero(level[number, ONCE] < NEVER)[0]
        if len(possible):
            moved = figures[:, :, possible].copy()
            moved[number] = level[number][:, possible]
            best[possible] = np.minimum(best[possible], combined(table, lane[possible], moved))
    return best
