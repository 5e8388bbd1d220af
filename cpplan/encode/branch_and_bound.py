"""Cohorts decided by branch and bound over the options of their accesses, the least bound of all cohorts first.

A node ends where the relaxation divides no access, or where its combinations are few enough to price them all
(:mod:`cpplan.encode.listing`). The options it ends at name columns and placements worth scoring exactly.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.branching import WHOLE, BranchedProgram, Relaxed
from cpplan.encode.cohorts import Cohort
from cpplan.encode.levels import Bools
from cpplan.encode.listing import Combination, fastest
from cpplan.encode.weights import Floats

NODES = 200
"""Relaxations per cohort, after which it is left open."""
DIVE = 60
"""Relaxations on the way down to an end."""
DIVES = 4
"""Cohorts followed down to an end in vain before the least bound alone says what comes next."""


@dataclass(frozen=True)
class Choice:
    """One option per access, by level and depth, that columns of a cohort have; ``bound`` holds for their plans."""

    bound: float
    columns: Ints
    levels: tuple[int, ...]
    depths: tuple[int, ...]


@dataclass
class _Branch:
    """A cohort on its way: how often it was relaxed, what is ``left`` open of it, and the cohorts into which it was
    parted, which take over all of it."""

    cohort: Cohort
    tables: list[Floats] = field(default_factory=list)
    program: BranchedProgram | None = None
    relaxed: int = 0
    left: list[float] = field(default_factory=list)
    parts: list[_Branch] = field(default_factory=list)
    tried: set[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=set)

    def ends(self) -> Iterator[_Branch]:
        """The cohorts that were not parted."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.ends()


@dataclass(order=True)
class _Node:
    """A part of a cohort's combinations, those of the options that are ``open`` (None: all)."""

    bound: float
    number: int
    branch: _Branch = field(compare=False)
    open: Bools | None = field(compare=False, default=None)
    ended: Combination | None = field(compare=False, default=None)  # its best options, but others came first


def decide(
    device: Device,
    found: Sequence[tuple[float, Cohort]],
    limit: Callable[[], int],
    stop: Callable[[], bool],
    attempt: Callable[[Choice], None],
) -> Iterator[tuple[Ints, float]]:
    """What is left of ``found`` (bounds and cohorts) within the limit: columns with bounds that hold for all of them.

    ``attempt`` is told every choice that a node ends at, least bound first, and may lower the ``limit``.
    """
    branches = [_Branch(cohort) for _, cohort in found]
    heap = [_Node(bound, n, b) for n, ((bound, _), b) in enumerate(zip(found, branches, strict=True))]
    heapq.heapify(heap)
    count, dives = itertools.count(len(heap)), DIVES
    while heap and heap[0].bound <= limit() and not stop():
        node, before = heapq.heappop(heap), limit()
        dive = dives > 0 and node.open is None and node.ended is None
        left = [node]
        for _ in range(DIVE if dive else 1):
            node = left.pop()
            if not node.branch.parts:
                least = heap[0].bound if heap else math.inf
                following = _followed(device, node, limit(), least, attempt, dive)
                nodes = [_Node(bound, next(count), branch, part, end) for bound, branch, part, end in following]
                left += nodes[::-1]
            if not left or left[-1].ended is not None:
                break
        for node in left:
            heapq.heappush(heap, node)
        if dive:
            dives = DIVES if limit() < before else dives - 1
    for node in heap:
        node.branch.left.append(node.bound)
    for branch in branches:
        for end in branch.ends():
            if end.left and min(end.left) <= limit():
                yield end.cohort.columns, min(end.left)


def _followed(
    device: Device, node: _Node, limit: int, least: float, attempt: Callable[[Choice], None], dive: bool
) -> Iterator[tuple[float, _Branch, Bools | None, Combination | None]]:
    """The nodes that follow from ``node``, with their bounds; ``least`` is that of all others."""
    branch = node.branch
    if node.ended is not None:
        yield from ((node.bound, part, None, None) for part in _ended(branch, node.ended, limit, attempt))
        return
    if branch.relaxed >= NODES:
        branch.left.append(node.bound)
        return
    if branch.program is None:
        branch.tables = branch.cohort.tables()
        if not all(map(len, branch.tables)):
            return
        branch.program = BranchedProgram(device, branch.cohort.program(device, branch.tables), limit)
    branch.relaxed += 1
    program = branch.program
    wanted = np.ones(len(program.where), dtype=bool) if node.open is None else node.open
    if not _fits(branch, program, wanted):
        return
    solved = program.solve(wanted)
    if solved is None:
        branch.left.append(node.bound)
        return
    bound, opened = max(node.bound, solved.bound), wanted & (solved.options <= limit)
    if bound > limit:
        return
    end = _end(device, branch, solved, opened, limit)
    if end is None:
        yield from ((bound, branch, part, None) for part in _branched(branch, program, solved, opened))
    elif end.cycles > limit:
        return
    elif max(bound, end.cycles) > least or dive:
        if dive:
            _attempted(branch, end, limit, attempt)
        yield max(bound, end.cycles), branch, None, end
    else:
        yield from ((bound, part, None, None) for part in _ended(branch, end, limit, attempt))


def _end(device: Device, branch: _Branch, solved: Relaxed, opened: Bools, limit: int) -> Combination | None:
    """The best options of a node that is at its end: of its few combinations, or those that the relaxation takes."""
    assert branch.program is not None
    accesses = branch.program.accesses
    tables = [table[opened[own]] for table, own in zip(branch.tables, accesses, strict=True)]
    costs = [solved.options[own][opened[own]] - solved.bound for own in accesses]
    few = fastest(device, branch.cohort, tables, costs, limit - solved.bound)
    if few is not None or any(solved.parts[own].max() < WHOLE for own in accesses):
        return few
    taken = [table[int(np.argmax(solved.parts[own]))] for own, table in zip(accesses, branch.tables, strict=True)]
    return Combination(np.array(taken), solved.bound)


def _fits(branch: _Branch, program: BranchedProgram, wanted: Bools) -> bool:
    """Whether the smallest buffers of the options that are ``wanted`` fit together; nothing else has no solution."""
    least = 0.0
    for own, table in zip(program.accesses, branch.tables, strict=True):
        least += float(table[wanted[own], 2].min(initial=math.inf))
    return least <= float(branch.cohort.stack.room[0])


def _branched(branch: _Branch, program: BranchedProgram, solved: Relaxed, opened: Bools) -> Iterator[Bools]:
    """The options of two nodes. Of the divided accesses the one with most SRAM in play takes buffers up to its average
    size in the relaxation, or larger ones; else the level and depth of its largest part, or others; else that option,
    or others."""
    parts = [solved.parts[own] for own in program.accesses]
    divided = [a for a, part in enumerate(parts) if part.max() < WHOLE]
    access = max(divided, key=lambda a: (_deviation(parts[a], branch.tables[a]), -float(parts[a].max())))
    own, table, part = program.accesses[access], branch.tables[access], parts[access]
    largest = int(np.argmax(part))
    splits = (
        table[:, 2] <= float(part @ table[:, 2]),
        (table[:, :2] == table[largest, :2]).all(axis=1),
        np.arange(len(table)) == largest,
    )
    whole = np.ones(len(table), dtype=bool)
    lower = next((s for s in splits if (opened[own] & s).any() and (opened[own] & ~s).any()), whole)
    for kept in (lower, ~lower) if part[lower].sum() >= part[~lower].sum() else (~lower, lower):
        child = opened.copy()
        child[own] &= kept
        yield child


def _deviation(part: Floats, table: Floats) -> float:
    """Bytes by which the buffers of an access differ from their average."""
    return float(part @ np.abs(table[:, 2] - part @ table[:, 2]))


def _attempted(branch: _Branch, end: Combination, limit: int, attempt: Callable[[Choice], None]) -> Bools:
    """(accesses, columns) which columns have the option taken of each access; those that have all are attempted."""
    owning = end.owned(branch.cohort)
    able = np.nonzero(owning.all(axis=0))[0]
    if len(able) and end.cycles <= limit - 1 and end.place not in branch.tried:
        branch.tried.add(end.place)
        attempt(Choice(end.cycles, branch.cohort.columns[able], *end.place))
    return owning


def _ended(branch: _Branch, end: Combination, limit: int, attempt: Callable[[Choice], None]) -> list[_Branch]:
    """A node at its end, before all others. Columns that have all the options taken are attempted and stay; the others
    go on without them. If there are none, the cohort is parted by one of the options. Returns what goes on."""
    owning = _attempted(branch, end, limit, attempt)
    able: Bools = np.asarray(owning.all(axis=0))
    if able.all() or branch.left:
        branch.left.append(end.cycles)
        return []
    parting = able if able.any() else np.asarray(owning[int(np.argmin(np.abs(owning.mean(axis=1) - 0.5)))])
    branch.parts = [_Branch(branch.cohort.take(parting)), _Branch(branch.cohort.take(~parting))]
    if able.any():
        branch.parts[0].left.append(end.cycles)
        return branch.parts[1:]
    return branch.parts
