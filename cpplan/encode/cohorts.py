"""Columns that differ in deliveries only, decided together by branch and bound over the options of their accesses.

A *cohort* has the same levels, trips, ops and buffer sizes throughout. Its relaxation offers every access the options
of all its columns, so what the relaxation rules out none of them has. The least bound is looked at first, over all
cohorts: where no access is divided any more, the options name columns and placements worth scoring exactly.
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
from cpplan.encode.levels import Bools
from cpplan.encode.relaxation import Frame, LinearProgram, undominated
from cpplan.encode.stacked import Stack, Stream
from cpplan.encode.weights import SHARED, Floats

NODES = 200
"""Relaxations per cohort, after which it is left open."""

DIVE = 60
"""Relaxations on the way down to an end."""
DIVES = 4
"""Cohorts followed down to an end in vain before the least bound alone says what comes next."""


@dataclass(frozen=True)
class Cohort:
    """Columns of one stack that differ in deliveries only; ``columns`` says which ones of all these are."""

    stack: Stack
    columns: Ints

    def tables(self) -> list[Floats]:
        """Per access the options of all columns (:func:`cpplan.encode.relaxation.best_shares`)."""
        return [_table(stream) for stream in self.stack.streams]

    def program(self, device: Device, tables: list[Floats]) -> LinearProgram:
        """The linear relaxation of a column with the options of all."""
        stack = self.stack
        trips, ops = tuple(stack.trips[:, 0].tolist()), tuple(stack.ops[:, 0].tolist())
        frame = Frame(trips, stack.shape, ops, int(stack.room[0]))
        return LinearProgram(device.overlap, frame, [stream.kind for stream in stack.streams], tables, SHARED)

    def take(self, keep: Bools) -> Cohort:
        """The columns selected by ``keep``."""
        return Cohort(self.stack.take(keep), self.columns[keep])


@dataclass(frozen=True)
class Choice:
    """One option per access, by level and depth, that columns of a cohort have; ``bound`` holds for their plans."""

    bound: float
    columns: Ints
    levels: tuple[int, ...]
    depths: tuple[int, ...]


def cohorts(stack: Stack, columns: Ints) -> Iterator[Cohort]:
    """The columns of ``stack`` by what they have in common."""
    sizes = [stream.size for stream in stack.streams]
    facts = np.concatenate([stack.trips, stack.ops, stack.room[None], *sizes])
    _, which = np.unique(facts, axis=1, return_inverse=True)
    which = which.ravel()
    for number in range(int(which.max(initial=-1)) + 1):
        here = np.nonzero(which == number)[0]
        yield Cohort(stack.take(here), columns[here])


def _table(stream: Stream) -> Floats:
    """The options of one access in all columns that are not worse than another."""
    depth, way, place, column = np.nonzero(stream.open)
    figures = stream.cycles[:, way, place, column].T
    bytes_held = (depth + 1) * stream.size[place, column]
    rows = np.column_stack([np.array(stream.levels)[place], depth + 1, bytes_held, figures, figures])
    return undominated(np.unique(rows, axis=0))


def _has(stream: Stream, row: Floats) -> Bools:
    """Which columns have an option at the level and depth of ``row`` that is not worse."""
    place, depth = stream.levels.index(int(row[0])), int(row[1]) - 1
    figures = row[3 : 4 + SHARED, None, None]
    able: Bools = stream.open[depth, :, place] & np.all(stream.cycles[:, :, place] <= figures, axis=0)
    return np.asarray(able.any(axis=0))


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
    ended: Relaxed | None = field(compare=False, default=None)  # no access is divided, but others came first


def decide(
    device: Device,
    found: Sequence[tuple[float, Cohort]],
    limit: Callable[[], int],
    late: Callable[[], bool],
    attempt: Callable[[Choice], None],
) -> Iterator[tuple[Ints, float]]:
    """What is left of ``found`` (bounds and cohorts) within the limit: columns with bounds that hold for all of them.

    ``attempt`` is told every choice that the relaxation ends at, least bound first, and may lower the ``limit``.
    """
    branches = [_Branch(cohort) for _, cohort in found]
    heap = [_Node(bound, n, b) for n, ((bound, _), b) in enumerate(zip(found, branches, strict=True))]
    heapq.heapify(heap)
    count, dives = itertools.count(len(heap)), DIVES
    while heap and heap[0].bound <= limit() and not late():
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
) -> Iterator[tuple[float, _Branch, Bools | None, Relaxed | None]]:
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
    bound = max(node.bound, solved.bound)
    if bound > limit:
        return
    if any(solved.parts[own].max() < WHOLE for own in program.accesses):
        opened = wanted & (solved.options <= limit)
        yield from ((bound, branch, part, None) for part in _branched(branch, program, solved, opened))
    elif bound > least or dive:
        if dive:
            _attempted(branch, solved, limit, attempt)
        yield bound, branch, None, solved
    else:
        yield from ((bound, part, None, None) for part in _ended(branch, solved, limit, attempt))


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


def _attempted(branch: _Branch, solved: Relaxed, limit: int, attempt: Callable[[Choice], None]) -> Bools:
    """(accesses, columns) which columns have the option taken of each access; those that have all are attempted."""
    assert branch.program is not None
    accesses = zip(branch.program.accesses, branch.tables, strict=True)
    picked = [table[int(np.argmax(solved.parts[own]))] for own, table in accesses]
    owners: Bools = np.array([_has(s, row) for s, row in zip(branch.cohort.stack.streams, picked, strict=True)])
    able = np.nonzero(owners.all(axis=0))[0]
    levels, depths = (tuple(int(row[figure]) for row in picked) for figure in (0, 1))
    if len(able) and solved.bound <= limit - 1 and (levels, depths) not in branch.tried:
        branch.tried.add((levels, depths))
        attempt(Choice(solved.bound, branch.cohort.columns[able], levels, depths))
    return owners


def _ended(branch: _Branch, solved: Relaxed, limit: int, attempt: Callable[[Choice], None]) -> list[_Branch]:
    """A node at its end, before all others. Columns that have all the options taken are attempted and stay; the others
    go on without them. If there are none, the cohort is parted by one of the options. Returns what goes on."""
    owners = _attempted(branch, solved, limit, attempt)
    able: Bools = np.asarray(owners.all(axis=0))
    if able.all() or branch.left:
        branch.left.append(solved.bound)
        return []
    parting = able if able.any() else np.asarray(owners[int(np.argmin(np.abs(owners.mean(axis=1) - 0.5)))])
    branch.parts = [_Branch(branch.cohort.take(parting)), _Branch(branch.cohort.take(~parting))]
    if able.any():
        branch.parts[0].left.append(solved.bound)
        return branch.parts[1:]
    return branch.parts
