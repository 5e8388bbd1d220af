"""Descent inside one column: from one combination of rows to better ones, by changing one access or two at a time.

The makespan alone is a poor guide: on a busy link most changes of one access change nothing. Of equal makespans the
one whose resources are loaded most evenly goes first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cpplan.cost.table import Column, Ints, feasible, makespans, totals
from cpplan.device.device import Device
from cpplan.encode.additive import Additive
from cpplan.encode.weights import Floats

ROUNDS = 12
"""Passes over all accesses, one at a time."""
PAIRED = 16
"""Rows of each access, best first, that are tried together with those of another."""
EVENNESS = 4
"""Power in which the loads of resources are added up."""
KEPT = 64
"""Combinations remembered of those that were tried at once."""


@dataclass(frozen=True)
class _Ranked:
    """The best of some combinations (plans, accesses), first in order, and the rank of the first: its makespan, how
    unevenly it loads resources, DRAM bytes, SRAM bytes."""

    best: Ints
    rank: tuple[int, float, int, int]


def descend(device: Device, column: Column, choice: Ints, near: int, additive: Additive | None) -> Ints:
    """Good combinations met on the way down from the fastest of ``choice``, or from the smallest rows.

    Pairs of accesses are changed only where one alone leads down to ``near`` cycles, and only to what the ``additive``
    bound allows to be faster.
    """
    loads, met = _loads(column), list[_Ranked]()
    last: _Ranked | None = None
    here = np.array([int(np.argmin(rows.sram)) for rows in column.rows], dtype=np.int64)
    if len(choice):
        here = choice[np.argmin(makespans(device, column, choice))]
    for _ in range(ROUNDS):
        before, first = last, list[Ints]()
        for access in range(len(column.rows)):
            tried = _ranked(device, column, loads, _others(column, here, access))
            first.append(here[access : access + 1] if tried is None else tried.best[:PAIRED, access])
            if tried is not None:
                met.append(tried)
                if last is None or tried.rank < last.rank:
                    last, here = tried, tried.best[0]
        if last is not None and last is before:
            cycles = last.rank[0]
            if cycles > near:
                break
            pairs = np.concatenate([here[None], *_pairs(here, first)])
            faster = pairs if additive is None else pairs[additive.least(pairs) <= cycles]
            tried = _ranked(device, column, loads, faster)
            if tried is None or tried.rank >= last.rank:
                break
            met.append(tried)
            last, here = tried, tried.best[0]
    return np.concatenate([tried.best for tried in met]) if met else choice[:0]


def in_alike_order(column: Column, choice: Ints) -> Ints:
    """``choice`` with the rows of alike accesses sorted, where all of them have the rows that this takes."""
    out, rows = choice.copy(), column.rows
    for members in column.alike:
        numbers = np.sort(np.stack([rows[a].number[choice[:, a]] for a in members]), axis=0)
        found = np.stack([np.searchsorted(rows[a].number, n) for a, n in zip(members, numbers, strict=True)])
        found = np.minimum(found, np.array([[len(rows[a].number) - 1] for a in members]))
        there = [rows[a].number[f] == n for a, f, n in zip(members, found, numbers, strict=True)]
        out[:, members] = np.where(np.all(there, axis=0), found, choice[:, members].T).T
    return out


def _others(column: Column, here: Ints, access: int) -> Ints:
    """``here`` with any row of one access."""
    tried = np.repeat(here[None], len(column.rows[access].places), axis=0)
    tried[:, access] = np.arange(len(tried))
    return tried


def _pairs(here: Ints, first: list[Ints]) -> Iterator[Ints]:
    """``here`` with any of the ``first`` rows of two accesses."""
    for one, other in itertools.combinations(range(len(first)), 2):
        tried = np.repeat(here[None], len(first[one]) * len(first[other]), axis=0)
        tried[:, one] = np.repeat(first[one], len(first[other]))
        tried[:, other] = np.tile(first[other], len(first[one]))
        yield tried


def _loads(column: Column) -> list[Floats]:
    """(rows, resources) cycles of every row on every resource in the launch, per access."""
    runs = np.array(column.nest.runs, dtype=np.int64)
    return [(rows.busy * runs[rows.level][:, None]).astype(float) for rows in column.rows]


def _ranked(device: Device, column: Column, loads: list[Floats], tried: Ints) -> _Ranked | None:
    """``tried`` in the order of alike accesses, without what cannot be; None if nothing is left."""
    choice = in_alike_order(column, tried)
    choice = choice[feasible(device, column, choice)]
    if not len(choice):
        return None
    cycles = makespans(device, column, choice)
    total: Floats = np.sum([load[picked] for load, picked in zip(loads, choice.T, strict=True)], axis=0)
    uneven = (total**EVENNESS).sum(axis=1)
    dram, sram = totals(column, choice, "dram"), totals(column, choice, "sram")
    ranked = np.lexsort((sram, dram, uneven, cycles))[:KEPT]
    first = ranked[0]
    return _Ranked(choice[ranked], (int(cycles[first]), float(uneven[first]), int(dram[first]), int(sram[first])))
