"""Columns of one shape side by side, and the additive bounds that shared weights prove of all of them at once.

Two columns have the same shape when their levels are nested in the same way. Weights that balance for one of them
balance for the other (:mod:`cpplan.encode.weights`), and near the optimum most columns resemble each other: the linear
relaxation of one column bounds hundreds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cpplan.cost.table import Kind
from cpplan.device.device import Device
from cpplan.encode.blocks import INFINITE, Ints
from cpplan.encode.levels import Bools, LevelTable
from cpplan.encode.relaxation import Frame, best_shares, undominated
from cpplan.encode.weights import SHARED, SLACK, Floats, Shares, Weights, balanced

KNOWN = 48
"""Shares kept per shape, those that decided most columns."""
TRIES = 3
"""Relaxations in a row that may decide too few columns."""
FEW = 1e-2
"""Share of the columns that a relaxation should decide to be worth another one."""
NOT_THERE = 1e30
"""Cost of what cannot be."""

Shape = tuple[int, ...]
"""Parent of every level; the launch, level 0, is its own."""


@dataclass(frozen=True)
class Stream:
    """One access in n columns: the levels that it may sit at (L), and its transfers there by each of W ways."""

    kind: Kind
    levels: tuple[int, ...]
    size: Ints  # (L, n) bytes of a single buffer
    cycles: Floats  # (figures, W, L, n) at the banks, at the processors on average, at its longest resource
    open: Bools  # (2, W, L, n) options, single and double buffered, that are there and may be within the limit

    def take(self, keep: Ints | Bools) -> Stream:
        """The columns selected by ``keep``."""
        return Stream(self.kind, self.levels, self.size[:, keep], self.cycles[..., keep], self.open[..., keep])

    def closed(self, options: Bools) -> Stream:
        """Without ``options``."""
        return replace(self, open=self.open & ~options)

    @property
    def bytes(self) -> Ints:
        """(2, 1, L, n) bytes of SRAM of every option."""
        return np.array([1, 2])[:, None, None, None] * self.size[None]

    @property
    def least_bytes(self) -> Ints:
        """(n,) bytes of the smallest option; more than there can be where there is none."""
        out: Ints = np.where(self.open, self.bytes, INFINITE >> 8).min(axis=(0, 1, 2))
        return out

    def options(self) -> Floats:
        """The open options of all columns as a linear program takes them
        (:func:`cpplan.encode.relaxation.best_shares`)."""
        depth, way, place, column = np.nonzero(self.open)
        figures = self.cycles[:, way, place, column].T
        bytes_held = (depth + 1) * self.size[place, column]
        return np.column_stack([np.array(self.levels)[place], depth + 1, bytes_held, figures, figures])

    def costs(self, number: int, weights: Weights, inside: list[Floats]) -> Floats:
        """(2, W, L, n) costs of all options of this access, the ``number``-th; first transfers are like all others."""
        own, levels = [0, 1, SHARED + number], list(self.levels)
        path = np.stack(inside)[levels][:, own]
        each = [weights.groups[self.kind, depth][levels][:, own] + path for depth in (1, 2)]
        rent = weights.rent * self.size
        out = np.stack([np.einsum("lfn,fwln->wln", e, self.cycles) + d * rent for d, e in enumerate(each, 1)])
        out[~self.open] = NOT_THERE
        return out


@dataclass(frozen=True)
class Stack:
    """n columns of one shape."""

    shape: Shape
    trips: Ints  # (levels, n)
    ops: Ints  # (levels, n) cycles of own ops and of combining
    room: Ints  # (n,) bytes
    streams: tuple[Stream, ...]

    def take(self, keep: Ints | Bools) -> Stack:
        """The columns selected by ``keep``."""
        streams = tuple(stream.take(keep) for stream in self.streams)
        return Stack(self.shape, self.trips[:, keep], self.ops[:, keep], self.room[keep], streams)

    def frame(self, column: int) -> Frame:
        """What the relaxation of one column needs besides its options."""
        trips, ops = tuple(self.trips[:, column].tolist()), tuple(self.ops[:, column].tolist())
        return Frame(trips, self.shape, ops, int(self.room[column]))

    def shares(self, device: Device, column: int) -> Shares | None:
        """The shares that bound one column best; None when it has none."""
        options = [undominated(stream.take(np.array([column])).options()) for stream in self.streams]
        if not all(map(len, options)):
            return None
        return best_shares(device.overlap, self.frame(column), [s.kind for s in self.streams], options, SHARED)

    @property
    def key(self) -> tuple[Shape, tuple[tuple[int, ...], ...]]:
        """What the columns of two stacks have in common if they can be in one."""
        return self.shape, tuple(stream.levels for stream in self.streams)


def by_shape(parts: Sequence[tuple[Stack, Ints]]) -> Iterator[tuple[Stack, Ints]]:
    """``parts``, stacks with the positions of their columns, joined where they can be."""
    by_key = defaultdict[object, list[tuple[Stack, Ints]]](list)
    for stack, here in parts:
        by_key[stack.key].append((stack, here))
    for same in by_key.values():
        yield joined([stack for stack, _ in same]), np.concatenate([here for _, here in same])


def joined(parts: Sequence[Stack]) -> Stack:
    """The columns of all ``parts``, which have the same key."""
    first = parts[0]
    if len(parts) == 1:
        return first
    streams = tuple(_joined(streams) for streams in zip(*(part.streams for part in parts), strict=True))
    trips, ops = (np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("trips", "ops"))
    return Stack(first.shape, trips, ops, np.concatenate([part.room for part in parts]), streams)


def _joined(parts: Sequence[Stream]) -> Stream:
    """One access in the columns of all ``parts``; those with fewer ways miss the last ones."""
    ways = max(part.open.shape[1] for part in parts)
    cycles, there = [], []
    for part in parts:
        more = ((0, 0), (0, ways - part.open.shape[1]), (0, 0), (0, 0))
        cycles.append(np.pad(part.cycles, more))
        there.append(np.pad(part.open, more))
    size = np.concatenate([part.size for part in parts], axis=1)
    return Stream(
        parts[0].kind, parts[0].levels, size, np.concatenate(cycles, axis=3), np.concatenate(there, axis=3)
    )  # fmt: skip


def stacks(table: LevelTable, lane: Ints, place: Ints) -> Iterator[tuple[Stack, Ints]]:
    """The columns of lanes ``lane`` by shape, with their positions; ``place[i]`` numbers the wave loop over the i-th
    dim of the table, from 1 on."""
    loops = place.max(axis=0, initial=0)
    levels = table.spans[:, lane] > 1
    shape = loops * (1 << len(levels)) + (1 << np.arange(len(levels))) @ levels
    for one in np.unique(shape):
        part = np.nonzero(shape == one)[0]
        yield _stack(table, lane[part], place[:, part], levels[:, part[0]]), part


def _stack(table: LevelTable, lane: Ints, place: Ints, is_level: Bools) -> Stack:
    """Columns with the same number of wave loops, in which the same loops of the block are levels."""
    program, count = table.facts.program, int(place.max(initial=0))
    bits = 1 << np.arange(len(place))[:, None]
    outside = [(((place > 0) & (place <= number)) * bits).sum(axis=0) for number in range(count + 1)]
    groups = [((place == number) * bits).sum(axis=0) for number in range(1, count + 1)]
    parents, trips = [0, *range(count)], [np.ones_like(lane), *(table.waves[group, lane] for group in groups)]
    ops = [np.zeros_like(lane) for _ in range(count)] + [table.ops[0, lane] + table.combining[lane]]
    home: dict[str | None, int] = {None: count}
    for number, loop in enumerate(program.loops):
        home[loop.name] = home[loop.parent]
        if is_level[number]:
            parents.append(home[loop.parent])
            trips.append(table.trips[number, lane])
            ops.append(np.zeros_like(lane))
            home[loop.name] = len(parents) - 1
        ops[home[loop.name]] = ops[home[loop.name]] + table.ops[1 + number, lane]
    streams = tuple(
        _stream(
            table, access, lane, outside, {i: home[loop.name] for i, loop in enumerate(program.loops) if is_level[i]}
        )
        for access in range(len(program.accesses))
    )
    return Stack(tuple(parents), np.stack(trips), np.stack(ops), table.room[lane], streams)


def _stream(table: LevelTable, access: int, lane: Ints, outside: list[Ints], level_of: dict[int, int]) -> Stream:
    """One access: at the launch, in the wave loops, and in the loops of the block that are levels."""
    device, kind = table.device, table.facts.program.accesses[access].kind
    inside = [level for level in table.loops[access] if level.loop in level_of]
    pages = np.stack([*(table.pages[access][o, lane] for o in outside), *(v.pages[lane] for v in inside)])
    size = np.stack([*(table.size[access][o, lane] for o in outside), *(v.size[lane] for v in inside)])
    buffers = np.stack([*(table.buffers[access][o, lane] for o in outside), *(v.buffers[lane] for v in inside)])
    buffers[0] = np.minimum(buffers[0], 1)  # nothing to overlap with outside all loops
    cycles, there = [], []
    for way in table.ways[access]:
        mine = way.take(lane)
        chain, bank, link = mine.cycles(device, kind != "load", pages, table.facts.page_bytes[access])
        there.append(chain < INFINITE)
        longest = np.maximum(np.maximum(chain, bank), link)
        figures = np.stack([bank, chain / len(device.nocs), longest])
        cycles.append(np.where(there[-1], figures, 0))
    levels = (*range(len(outside)), *(level_of[level.loop] for level in inside))
    fits = np.stack([buffers >= depth for depth in (1, 2)])
    options = fits[:, None] & np.stack(there)
    return Stream("load" if kind == "load" else "store", levels, size, np.stack(cycles, axis=1), options)


def weighed(device: Device, stack: Stack, shares: Shares) -> tuple[Floats, list[Floats]]:
    """(n,) cycles that no plan of the columns undercuts, by the additive bound of ``shares``, and the cost of every
    option of every access."""
    weights = balanced(shares, stack.trips, stack.shape)
    ops = (weights.serial * stack.ops).sum(axis=0)
    rent = weights.rent * stack.room
    inside = list[Floats]()
    for level, parent in enumerate(stack.shape):
        around = stack.trips[level] * inside[parent] if level else 0.0
        inside.append(weights.inside[level] + around)
    costs = [stream.costs(number, weights, inside) for number, stream in enumerate(stack.streams)]
    least = sum(cost.min(axis=(0, 1, 2)) for cost in costs)
    bound: Floats = device.launch_cycles + ops - rent + least
    return bound - SLACK * (1 + device.launch_cycles + ops + rent + least), costs


@dataclass
class SharedWeights:
    """Shares that proved useful, by shape, with the number of columns that each decided."""

    known: dict[Shape, list[tuple[int, Shares]]] = field(default_factory=dict)

    def raised(
        self, device: Device, parts: Sequence[tuple[Stack, Ints]], bound: Ints, limit: int
    ) -> tuple[Ints, list[tuple[Stack, Ints]]]:
        """``bound`` raised, to at most one above ``limit``; ``parts`` are stacks with their positions in it. Then the
        stacks of what is left within the limit, with the options that may be in a plan within it."""
        out, left = bound.copy(), []
        for stack, here in by_shape(parts):
            race = self._raced(device, stack, limit)
            out[here] = np.maximum(out[here], np.ceil(race.bound).astype(np.int64))
            if len(race.left):
                left.append((race.stack, here[race.left]))
        return out, left

    def _raced(self, device: Device, stack: Stack, limit: int) -> _Race:
        """What weights decide of ``stack``; relaxations of single columns go on while they decide others too."""
        known = self.known.setdefault(stack.shape, [])
        race = _Race(device, stack, limit)
        for position, (decided, shares) in enumerate(known):
            known[position] = (decided + race.decided_by(shares), shares)
        idle = 0
        while idle < TRIES:
            fresh, few = race.next_shares(), FEW * len(race.left)
            if fresh is None:
                break
            decided = race.decided_by(fresh)
            idle = 0 if decided > few else idle + 1
            if decided:
                known.append((decided, fresh))
        known.sort(key=lambda item: -item[0])
        del known[KNOWN:]
        race.tried[:], idle = False, 0
        while idle < TRIES:
            fresh = race.next_shares(closed=True)
            if fresh is None:
                break
            idle = 0 if race.decided_by(fresh) else idle + 1
        return race


class _Race:
    """The columns of a stack that no shares have decided yet."""

    def __init__(self, device: Device, stack: Stack, limit: int) -> None:
        self.device, self.full, self.stack, self.limit = device, stack, stack, limit
        self.bound = np.zeros(len(stack.room))
        self.left = np.arange(len(stack.room))
        self.tried = np.zeros(len(stack.room), dtype=bool)

    def decided_by(self, shares: Shares) -> int:
        """Number of columns that ``shares`` take above the limit, or in which nothing fits SRAM any more. In the others
        they close options that would."""
        if not len(self.left):
            return 0
        bound, costs = weighed(self.device, self.stack, shares)
        streams = tuple(
            stream.closed(bound - cost.min(axis=(0, 1, 2)) + cost > self.limit)
            for stream, cost in zip(self.stack.streams, costs, strict=True)
        )
        least = [stream.least_bytes for stream in streams]
        spare = self.stack.room - sum(least)
        streams = tuple(stream.closed(stream.bytes > spare + own) for stream, own in zip(streams, least, strict=True))
        bound = np.where(spare < 0, self.limit + 1, np.minimum(bound, self.limit + 1))
        self.bound[self.left] = np.maximum(self.bound[self.left], bound)
        keep = np.nonzero(bound <= self.limit)[0]
        gone = len(self.left) - len(keep)
        self.left, self.stack = self.left[keep], replace(self.stack, streams=streams).take(keep)
        return gone

    def next_shares(self, closed: bool = False) -> Shares | None:
        """The best shares of the column that is nearest to be decided, of those not tried: with all of its options,
        which suits other columns best, or without those that are closed."""
        while True:
            fresh = np.nonzero(~self.tried[self.left])[0]
            if not len(fresh):
                return None
            source = int(fresh[np.argmax(self.bound[self.left[fresh]])])
            self.tried[self.left[source]] = True
            stack, column = (self.stack, source) if closed else (self.full, int(self.left[source]))
            shares = stack.shares(self.device, column)
            if shares is not None:
                return shares
