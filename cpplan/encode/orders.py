"""Sequences of wave loops: a search tree over all of them for many lanes at once, pruned by bounds at every node.

A node fixes the outermost wave loops. Its bound lets every access choose among the levels fixed so far, those inside
the block, and whatever any continuation offers; a level that another wave loop follows must carry some transfer, or the
two loops would be one (:func:`cpplan.plan.space.required_wave_boundaries`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from cpplan.cost.combine import combine_cycles, least_cycles
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.encode.blocks import BlockFacts, Ints
from cpplan.encode.lanes import Lanes, SpatialTable, chunks, lane_waves
from cpplan.encode.level_bounds import combined, one_iteration_in_full, with_a_transfer_at
from cpplan.encode.levels import NEVER, TOTALS, LevelTable, level_table
from cpplan.encode.stacked import SharedWeights, Stack, stacks
from cpplan.encode.ways import Way, kinds, real_ways, ways_left, widest_ways
from cpplan.plan.routes import combine_peaks
from cpplan.plan.space import combines, shared_loop

Order = tuple[tuple[int, ...], ...]
"""Wave loops as dim numbers, outermost first."""
TABLE_CELLS = 400_000
"""Entries of one figure of a level table (memory)."""
NODES = 20_000
"""Nodes expanded at once (memory)."""


@dataclass(frozen=True)
class Bounded:
    """Lower bounds in cycles of lanes under sequences of wave loops, written as codes."""

    lane: Ints  # position into the lanes that were bounded
    order: Ints
    bound: Ints


def order_of(code: int, dims: int) -> Order:
    """The wave loops behind a code: digit ``d`` to base ``dims + 1`` is the position of dim ``d``'s loop, 0 if none."""
    loops: dict[int, list[int]] = {}
    for dim in range(dims):
        code, place = divmod(code, dims + 1)
        if place:
            loops.setdefault(place, []).append(dim)
    return tuple(tuple(loops[place]) for place in sorted(loops))


@lru_cache(maxsize=32)
def count_orders(dims: int) -> int:
    """Sequences of fused wave loops over ``dims`` dims (ordered set partitions)."""
    return 1 if dims == 0 else sum(math.comb(dims, n) * count_orders(dims - n) for n in range(1, dims + 1))


@lru_cache(maxsize=16)
def _subsets(dims: int) -> tuple[Ints, Ints]:
    """All non-empty subsets of every set of ``dims`` dims, listed set by set, and where each set's list starts."""
    lists = [[g for g in range(1, 1 << dims) if g & s == g] for s in range(1 << dims)]
    return np.array([g for found in lists for g in found], dtype=np.int64), np.cumsum([0, *map(len, lists)])


def column_bounds(
    facts: BlockFacts, device: Device, lanes: Lanes, limit: int | None, widest: int | None = None
) -> Iterator[Bounded]:
    """Columns of ``lanes`` whose lower bound does not exceed ``limit``, whatever their deliveries.

    With ``widest`` only so many of the best nodes are followed at every depth: not all columns are listed.
    """
    for dims, members in _by_pattern(lane_waves(facts, lanes)):
        size = max(1, TABLE_CELLS // (len(facts.program.accesses) << len(dims)))
        for part in chunks(members, size):
            here = lanes.take(part)
            table = level_table(facts, device, here, dims, *_widest(facts, device, here))
            for found in _tree(table, len(facts.program.dims), limit, widest):
                yield Bounded(part[found.lane], found.order, found.bound)


def _by_pattern(waves: Ints) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """Lanes with the same dims of more than one wave."""
    pattern = (waves > 1).T @ (1 << np.arange(len(waves)))
    for mask in np.unique(pattern):
        yield tuple(d for d in range(len(waves)) if mask >> d & 1), np.nonzero(pattern == mask)[0]


@dataclass(frozen=True)
class _Nodes:
    lane: Ints
    outside: Ints  # set of dims whose loops are fixed
    group: Ints  # set of dims of the innermost of them
    code: Ints
    figures: Ints  # (accesses, FIGURES, nodes) best over the levels fixed so far and those inside the block
    upto: Ints  # (accesses, totals, nodes) best totals over the levels fixed so far
    bound: Ints

    def take(self, keep: Ints) -> _Nodes:
        return _Nodes(
            self.lane[keep], self.outside[keep], self.group[keep], self.code[keep], self.figures[:, :, keep],
            self.upto[:, :, keep], self.bound[keep],
        )  # fmt: skip


def _tree(table: LevelTable, dims: int, limit: int | None, widest: int | None) -> Iterator[Bounded]:
    """Bounds of all columns of one pattern within ``limit``, depth first in runs of nodes."""
    count = table.waves.shape[1]
    lane, none = np.arange(count), np.zeros(count, dtype=np.int64)
    below = table.nothing_below()
    table.add_best_below(below, 0, lane)
    launch = table.figures(lane, none, none)
    waiting = [(0, _Nodes(lane, none, none, none, np.minimum(table.inner, launch), launch[:, TOTALS], none))]
    while waiting:
        depth, nodes = waiting.pop()
        if len(nodes.lane) > NODES:
            waiting += [(depth, nodes.take(part)) for part in chunks(np.arange(len(nodes.lane)), NODES)]
            continue
        whole = nodes.outside == table.everything
        if whole.any():
            leaves = nodes.take(np.nonzero(whole)[0])
            inside = table.inner[:, :, leaves.lane]
            last = one_iteration_in_full(table, leaves.lane, leaves.outside, leaves.upto, inside)
            bound = np.maximum(np.maximum(leaves.bound, combined(table, leaves.lane, leaves.figures)), last)
            kept = _within(bound, limit)
            yield Bounded(leaves.lane[kept], leaves.code[kept], bound[kept])
            nodes = nodes.take(np.nonzero(~whole)[0])
        if not len(nodes.lane):
            continue
        nodes = _bounded(table, below, nodes, limit)
        if not depth:  # what is further inside than other sets matters for the lanes that are left
            for outer in range(1, table.everything):
                table.add_best_below(below, outer, nodes.lane)
        if widest is not None:
            nodes = nodes.take(np.argsort(nodes.bound, kind="stable")[:widest])
        if len(nodes.lane):
            waiting.append((depth + 1, _children(table, nodes, dims, depth + 1)))


def _within(bound: Ints, limit: int | None) -> Ints:
    return np.nonzero(bound <= (int(NEVER) if limit is None else limit))[0]


def _bounded(table: LevelTable, below: Ints, nodes: _Nodes, limit: int | None) -> _Nodes:
    """Inner nodes with their bounds, without those above ``limit``."""
    further = below[:, :, nodes.outside, nodes.lane]
    best = np.minimum(nodes.figures, further)
    inside = np.minimum(table.inner[:, :, nodes.lane], further)
    here = one_iteration_in_full(table, nodes.lane, nodes.outside, nodes.upto, inside)
    bound = np.maximum(np.maximum(nodes.bound, combined(table, nodes.lane, best)), here)
    kept = _within(bound, limit)
    nodes, best, bound = nodes.take(kept), best[:, :, kept], bound[kept]
    followed = np.nonzero(nodes.outside)[0]
    level = table.figures(nodes.lane[followed], nodes.outside[followed], nodes.group[followed])
    forced = with_a_transfer_at(table, nodes.lane[followed], best[:, :, followed], level)
    bound[followed] = np.maximum(bound[followed], forced)
    return replace(nodes, bound=bound).take(_within(bound, limit))


def _children(table: LevelTable, nodes: _Nodes, dims: int, place: int) -> _Nodes:
    """Every node with one more wave loop inside, over any of the dims that are left."""
    groups, first = _subsets(len(table.dims))
    rest = table.everything & ~nodes.outside
    size = first[rest + 1] - first[rest]
    parent = np.repeat(np.arange(len(rest)), size)
    group = groups[first[rest[parent]] + np.arange(len(parent)) - np.repeat(np.cumsum(size) - size, size)]
    outside = nodes.outside[parent] | group
    digit = np.array([(dims + 1) ** dim for dim in table.dims], dtype=np.int64)
    code = nodes.code[parent] + place * sum((group >> bit & 1) * value for bit, value in enumerate(digit))
    lane = nodes.lane[parent]
    level = table.figures(lane, outside, group)
    figures = np.minimum(nodes.figures[:, :, parent], level)
    upto = np.minimum(nodes.upto[:, :, parent], level[:, TOTALS])
    return _Nodes(lane, outside, group, code, figures, upto, nodes.bound[parent])


@dataclass(frozen=True)
class Limited:
    """Cycles above which a bound need not be exact, and the weights that take columns there."""

    cycles: int
    weights: SharedWeights


def refined_bounds(
    facts: BlockFacts, device: Device, table: SpatialTable, block: Ints, mapping: Ints, code: Ints,
    limit: Limited | None = None,
) -> tuple[Ints, list[tuple[Stack, Ints]]]:  # fmt: skip
    """Lower bounds of the columns (``block``, ``mapping``, wave loops ``code``), with the mappings' real deliveries.

    With a ``limit`` also the stacks of what is left within it, and the positions of their columns.
    """
    pairs, row = np.unique(np.stack([block, mapping]), axis=1, return_inverse=True)
    lanes = Lanes(pairs[0], table.cores[:, pairs[1]])

    def deliver(part: Ints) -> tuple[list[list[Way]], Ints]:
        ways = [
            real_ways(device, facts.program, table, pairs[1][part], access, scope)
            for access, scope in facts.scoped_accesses
        ]
        return ways, _meeting(facts, device, table, pairs[0][part], pairs[1][part])

    out, parts = np.zeros(len(block), dtype=np.int64), list[tuple[Stack, Ints]]()
    for levels, here, lane in _tables(facts, device, lanes, row.ravel(), deliver):
        place = _places(levels, code[here], len(facts.program.dims))
        out[here] = _chain_bounds(levels, lane, place)
        if limit is not None:
            parts += _within_limit(levels, here, lane, place, out, limit.cycles)
    return (out, []) if limit is None else limit.weights.raised(device, parts, out, limit.cycles)


def _within_limit(
    levels: LevelTable, here: Ints, lane: Ints, place: Ints, bound: Ints, limit: int
) -> Iterator[tuple[Stack, Ints]]:
    """Stacks of the columns ``here`` that ``bound`` leaves within the limit, with their positions in it."""
    left = np.nonzero(bound[here] <= limit)[0]
    for stack, members in stacks(levels, lane[left], place[:, left]):
        yield stack, here[left[members]]


def widest_stacks(
    facts: BlockFacts, device: Device, table: SpatialTable, columns: tuple[Ints, Ints, Ints], bound: Ints, limit: int
) -> list[tuple[Stack, Ints]]:
    """The stacks of those ``columns`` (block, spread, wave loops) whose ``bound`` is within the limit, whatever their
    deliveries, with their positions."""
    block, spread, code = columns
    pairs, row = np.unique(np.stack([block, spread]), axis=1, return_inverse=True)
    lanes = Lanes(pairs[0], table.spreads[:, pairs[1]])
    parts = list[tuple[Stack, Ints]]()
    for levels, here, lane in _tables(
        facts, device, lanes, row.ravel(), lambda p: _widest(facts, device, lanes.take(p))
    ):
        place = _places(levels, code[here], len(facts.program.dims))
        parts += _within_limit(levels, here, lane, place, bound, limit)
    return parts


def widest_bounds(
    facts: BlockFacts, device: Device, table: SpatialTable, columns: tuple[Ints, Ints, Ints], bound: Ints,
    limit: Limited,
) -> Ints:  # fmt: skip
    """``bound`` of ``columns`` (block, spread, wave loops), raised by weights, whatever their deliveries."""
    parts = widest_stacks(facts, device, table, columns, bound, limit.cycles)
    return limit.weights.raised(device, parts, bound, limit.cycles)[0]


def _widest(facts: BlockFacts, device: Device, lanes: Lanes) -> tuple[list[list[Way]], Ints]:
    """The deliveries of every access whatever the mapping; no streams need meet."""
    ways = [
        ways_left(widest_ways(device, facts, access, lanes.cores), scope) for access, scope in facts.scoped_accesses
    ]
    return ways, np.zeros(len(lanes), dtype=np.int64)


def _tables(
    facts: BlockFacts, device: Device, lanes: Lanes, row: Ints, deliver: Callable[[Ints], tuple[list[list[Way]], Ints]]
) -> Iterator[tuple[LevelTable, Ints, Ints]]:
    """Level tables of ``lanes`` with the columns that each is about, given by their ``row`` of the lanes, and their
    position in the table."""
    for dims, members in _by_pattern(lane_waves(facts, lanes)):
        size = max(1, TABLE_CELLS // (len(facts.program.accesses) << len(dims)))
        for part in chunks(members, size):
            position = np.full(len(lanes), -1)
            position[part] = np.arange(len(part))
            here = np.nonzero(position[row] >= 0)[0]
            levels = level_table(facts, device, lanes.take(part), dims, *deliver(part))
            yield levels, here, position[row[here]]


def _meeting(facts: BlockFacts, device: Device, table: SpatialTable, block: Ints, mapping: Ints) -> Ints:
    """Cycles per block that the fastest combine of a mapping takes longer because of streams that meet on links."""
    out = np.zeros(len(block), dtype=np.int64)
    if facts.state is None:
        return out
    listed, which = kinds(table, mapping, None, facts.axes[-1])
    for number, one in enumerate(listed):
        spatial, seen = table.mapping(one), seen_from(device, table.origin(one))
        shared = shared_loop(facts.program, spatial)
        if shared is not None:
            members = np.nonzero(which == number)[0]
            size = facts.state.take(block[members])
            loop, cores = shared
            ways = combines(facts.program, device, spatial)
            peaks = [combine_peaks(seen, spatial, loop, way.method, way.noc) for way in ways]
            cycles = [combine_cycles(size, device, cores, *pair) for pair in zip(ways, peaks, strict=True)]
            out[members] = np.min(cycles, axis=0) - least_cycles(device, size, cores)
    return out


def _places(table: LevelTable, code: Ints, dims: int) -> Ints:
    """(dims of the table, columns) number of the wave loop over each dim, from 1 on."""
    return np.stack([code // (dims + 1) ** dim % (dims + 1) for dim in table.dims] or [np.zeros_like(code)])


def _chain_bounds(table: LevelTable, lane: Ints, place: Ints) -> Ints:
    """Lower bounds of given columns: every access at its best level, some access at each level that needs one."""
    bits = 1 << np.arange(len(place))[:, None]
    none, loops = np.zeros_like(lane), place.max(axis=0)
    outsides, levels = [none], [table.figures(lane, none, none)]
    for number in range(1, int(loops.max(initial=0)) + 1):
        outsides.append(((place <= number) * bits).sum(axis=0))
        figures = table.figures(lane, outsides[-1], ((place == number) * bits).sum(axis=0))
        levels.append(np.where(number <= loops, figures, NEVER))
    inner = table.inner[:, :, lane]
    best = np.minimum(inner, np.min(levels, axis=0))
    bound = combined(table, lane, best)
    for number, (outside, figures) in enumerate(zip(outsides, levels, strict=True)):
        upto = np.min([f[:, TOTALS] for f in levels[: number + 1]], axis=0)
        deeper = np.min((inner, *levels[number + 1 :]), axis=0)
        bound = np.maximum(bound, one_iteration_in_full(table, lane, outside, upto, deeper))
        followed = np.nonzero((number > 0) & (number < loops) & (bound < NEVER))[0]
        forced = with_a_transfer_at(table, lane[followed], best[:, :, followed], figures[:, :, followed])
        bound[followed] = np.maximum(bound[followed], forced)
    return bound
