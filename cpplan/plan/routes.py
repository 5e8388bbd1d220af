"""Static NoC routes: how much of a stream each directed link carries.

Packets travel one axis after the other in the order and direction that the network's spec gives (dimension order,
torus). Link weights are integers: a weight of ``banks`` means that the whole stream crosses the link, a weight of 1
that one bank's share of it does (DRAM is interleaved, so every reader takes an equal share from every bank).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device, Noc
from cpplan.plan.plan import Method, Pattern, Reader, Split

Coordinate = tuple[int, ...]
Weights = npt.NDArray[np.int64]


def link_count(noc: Noc) -> int:
    """Directed links of ``noc``: one per router, routed axis and direction (a torus moves in one per axis)."""
    return len(noc.route) * math.prod(noc.torus) * (1 if noc.wraps else 2)


def _link(noc: Noc, stage: int, router: Coordinate, back: bool) -> int:
    """Number of the link that leaves ``router`` along the axis of ``stage``; ``back``: against its direction."""
    flat = 0
    for position, extent in zip(router, noc.torus, strict=True):
        flat = flat * extent + position
    return (stage + back * len(noc.route)) * math.prod(noc.torus) + flat


def _steps(noc: Noc, stage: int, start: int, stop: int) -> list[int]:
    """Positions left while moving from ``start`` to ``stop`` along the axis of ``stage``."""
    axis, step = noc.route[stage]
    extent = noc.torus[axis]
    if not noc.wraps:
        sign = 1 if stop > start else -1
        return list(range(start, stop, sign))
    return [(start + i * step) % extent for i in range(((stop - start) * step) % extent)]


@lru_cache(maxsize=1 << 18)
def route(noc: Noc, source: Coordinate, target: Coordinate) -> tuple[int, ...]:
    """Links that a packet from ``source`` to ``target`` crosses."""
    links, here = list[int](), list(source)
    for stage, (axis, step) in enumerate(noc.route):
        start, stop = here[axis], target[axis]
        if start != stop:
            stride = math.prod(noc.torus[axis + 1 :])
            first = _link(noc, stage, tuple(here), not noc.wraps and (stop - start) * step < 0) - start * stride
            links += [first + position * stride for position in _steps(noc, stage, start, stop)]
            here[axis] = stop
    return tuple(links)


def crossings(noc: Noc, source: Weights, target: Weights, tree: Weights | None = None) -> tuple[Weights, Weights]:
    """Links that packets cross from each ``source`` to its ``target`` (n, axes), all routes one after the other, and
    the number of the route behind each.

    With ``tree`` (n,) routes with the same number and source are one multicast: a link is listed once for all of them.
    """
    routers = math.prod(noc.torus)
    strides = np.array([math.prod(noc.torus[axis + 1 :]) for axis in range(len(noc.torus))], dtype=np.int64)
    here, links, routes = source.copy(), list[Weights](), list[Weights]()
    for stage, (axis, step) in enumerate(noc.route):
        start, stop, extent = here[:, axis], target[:, axis], noc.torus[axis]
        line = here @ strides - start * strides[axis]
        sign = np.full(len(start), step) if noc.wraps else np.where(stop > start, 1, -1)
        length, back = (stop - start) * sign % extent, (sign != step).astype(np.int64)
        number = np.arange(len(start))
        if tree is not None:  # on a line the runs of a tree start at one router: the longest has all links
            order = np.lexsort((-length, back, line, tree))
            same = np.stack([tree[order], line[order], back[order]])
            number = order[np.concatenate([[True], (same[:, 1:] != same[:, :-1]).any(axis=0)])]
        length = length[number]
        row = np.repeat(number, length)
        walked = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
        position = (start[row] + sign[row] * walked) % extent
        links.append((stage + back[row] * len(noc.route)) * routers + line[row] + position * strides[axis])
        routes.append(row)
        here[:, axis] = stop
    return np.concatenate(links), np.concatenate(routes)


def _crossed(noc: Noc, source: Weights, target: Weights, tree: Weights | None = None) -> Weights:
    """How often each link is crossed."""
    return np.bincount(crossings(noc, source, target, tree)[0], minlength=link_count(noc)).astype(np.int64)


@lru_cache(maxsize=1 << 6)
def _bank_flows(device: Device, noc: int, to_core: bool) -> dict[Coordinate, Weights]:
    """For every logical core how often each link is crossed by one share per bank between the banks and the core."""
    network, cores = device.nocs[noc], active_cores(tuple(dim.extent for dim in device.dims))
    banks = np.array(device.dram.endpoints[noc], dtype=np.int64).reshape(-1, len(network.torus))  # there may be none
    shares = max(1, len(banks))
    there = np.repeat(np.array([physical(device, core) for core in cores], dtype=np.int64), len(banks), axis=0)
    banks = np.tile(banks, (len(cores), 1))
    links, row = crossings(network, banks, there) if to_core else crossings(network, there, banks)
    count = link_count(network)
    number = row // shares * count + links
    flows = np.bincount(number, minlength=len(cores) * count).astype(np.int64).reshape(len(cores), count)
    return dict(zip(cores, flows, strict=True))


@lru_cache(maxsize=1 << 8)
def _distances(device: Device, noc: int) -> dict[Coordinate, int]:
    """Links between all banks and every logical core."""
    return {core: int(flow.sum()) for core, flow in _bank_flows(device, noc, True).items()}


def physical(device: Device, core: Coordinate) -> Coordinate:
    """NoC coordinate of a logical core."""
    return tuple(dim.positions[i] for dim, i in zip(device.dims, core, strict=True))


@lru_cache(maxsize=1 << 10)
def _places(device: Device, active: tuple[int, ...]) -> dict[Coordinate, Coordinate]:
    """NoC coordinate of every core in use."""
    return {core: physical(device, core) for core in active_cores(active)}


def active_cores(active: tuple[int, ...]) -> list[Coordinate]:
    """Logical coordinates of the cores in use: the box at the origin."""
    return list(itertools.product(*(range(n) for n in active)))


def group_members(origin: Coordinate, groups: tuple[int, ...]) -> list[Coordinate]:
    """Logical cores of the group whose lowest corner is ``origin``."""
    return list(itertools.product(*(range(o, o + g) for o, g in zip(origin, groups, strict=True))))


@lru_cache(maxsize=1 << 12)
def _all_groups(
    active: tuple[int, ...], groups: tuple[int, ...]
) -> tuple[tuple[Coordinate, tuple[Coordinate, ...]], ...]:
    """Lowest corner and members of every sharing group, logical cores."""
    corners = itertools.product(*(range(0, n, g) for n, g in zip(active, groups, strict=True)))
    return tuple((corner, tuple(group_members(corner, groups))) for corner in corners)


def line_of(device: Device, noc: int, members: Sequence[Coordinate]) -> Sequence[Coordinate]:
    """Members of a forwarding group in the direction that ``noc`` travels along their axis."""
    axis = next((a for a in range(len(device.dims)) if members[0][a] != members[-1][a]), 0)
    step = dict(device.nocs[noc].route).get(axis, 1)
    return members if step > 0 else members[::-1]


@lru_cache(maxsize=1 << 16)
def readers(
    device: Device, active: tuple[int, ...], groups: tuple[int, ...], pattern: Pattern, noc: int, reader: Reader
) -> tuple[tuple[Coordinate, Coordinate], ...]:
    """(group origin, reading core) of every sharing group, logical coordinates."""
    distance = _distances(device, noc) if reader == "nearest" else {}
    out = []
    for number, (origin, members) in enumerate(_all_groups(active, groups)):
        if pattern == "forward":
            core = line_of(device, noc, members)[0]
        elif reader == "diagonal":
            core = tuple(o + number % g for o, g in zip(origin, groups, strict=True))
        elif reader == "nearest":
            core = min(members, key=lambda m: (distance[m], m))
        else:
            core = origin
        out.append((origin, core))
    return tuple(out)


@lru_cache(maxsize=1 << 15)
def load_weights(
    device: Device, active: tuple[int, ...], groups: tuple[int, ...], pattern: Pattern, noc: int, reader: Reader
) -> Weights:
    """Weight on every link of ``noc`` when every group reads one stream and passes it to its members."""
    network, where, flows = device.nocs[noc], _places(device, active), _bank_flows(device, noc, True)
    reading = readers(device, active, groups, pattern, noc, reader)
    weights: Weights = np.sum([flows[core] for _, core in reading], axis=0)
    sources, targets, trees = list[Coordinate](), list[Coordinate](), list[int]()
    shared = zip(reading, _all_groups(active, groups), strict=True) if pattern != "private" else ()
    for number, ((_, core), (_, cores)) in enumerate(shared):
        members = [where[m] for m in line_of(device, noc, cores)]
        sources += members[:-1] if pattern == "forward" else [where[core]] * len(members)
        targets += members[1:] if pattern == "forward" else members
        trees += [number] * len(members)
    if sources:
        tree = np.array(trees) if pattern == "multicast" else None
        weights += device.dram.banks * _crossed(network, np.array(sources), np.array(targets), tree)
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=1 << 12)
def store_weights(
    device: Device, active: tuple[int, ...], noc: int, writers: tuple[Coordinate, ...] | None = None
) -> Weights:
    """Weight on every link of ``noc`` when ``writers`` (default: all cores in use) write one stream to all banks."""
    flows = _bank_flows(device, noc, False)
    weights: Weights = np.sum([flows[core] for core in (active_cores(active) if writers is None else writers)], axis=0)
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=1 << 12)
def sharers(spatial: tuple[tuple[Split, ...], ...], loop: str) -> tuple[tuple[Coordinate, ...], ...]:
    """Logical cores that share the trips of ``loop`` for one block, first part first, of every block in flight."""
    teams: dict[tuple[tuple[int, ...], ...], list[tuple[int, Coordinate]]] = {}
    active = tuple(math.prod(s.factor for s in splits) for splits in spatial)
    for core in active_cores(active):
        part, rest = 0, []
        for position, splits in zip(core, spatial, strict=True):
            digits, below = [], math.prod(s.factor for s in splits)
            for split in splits:
                below //= split.factor
                digit = position // below % split.factor
                part = part * split.factor + digit if split.dim == loop else part
                digits.append(0 if split.dim == loop else digit)
            rest.append(tuple(digits))
        teams.setdefault(tuple(rest), []).append((part, core))
    return tuple(tuple(core for _, core in sorted(team)) for team in teams.values())


def combine_weights(
    device: Device, spatial: tuple[tuple[Split, ...], ...], loop: str, method: Method, noc: int
) -> tuple[Weights, ...]:
    """Weight on every link in each step of a combine: one per round of a tree; one pass and the gathering of a ring."""
    return _combine_weights(device, _teams_of(spatial, loop), loop, method, noc)


def combine_peaks(
    device: Device, spatial: tuple[tuple[Split, ...], ...], loop: str, method: Method, noc: int
) -> tuple[int, ...]:
    """Weight on the busiest link in each step of a combine."""
    return _combine_peaks(device, _teams_of(spatial, loop), loop, method, noc)


@lru_cache(maxsize=1 << 16)
def _teams_of(spatial: tuple[tuple[Split, ...], ...], loop: str) -> tuple[tuple[Split, ...], ...]:
    """``spatial`` without the names of parallel dims: who shares the loop with whom is the same."""
    out: list[tuple[Split, ...]] = []
    for splits in spatial:
        merged: list[Split] = []
        for split in splits:
            if split.dim != loop and merged and merged[-1].dim != loop:
                merged[-1] = Split("", merged[-1].factor * split.factor)
            else:
                merged.append(split if split.dim == loop else Split("", split.factor))
        out.append(tuple(merged))
    return tuple(out)


@lru_cache(maxsize=1 << 14)
def _combine_peaks(
    device: Device, spatial: tuple[tuple[Split, ...], ...], loop: str, method: Method, noc: int
) -> tuple[int, ...]:
    return tuple(int(step.max()) for step in _combine_weights(device, spatial, loop, method, noc))


@lru_cache(maxsize=1 << 12)
def _combine_weights(
    device: Device, spatial: tuple[tuple[Split, ...], ...], loop: str, method: Method, noc: int
) -> tuple[Weights, ...]:
    network, teams = device.nocs[noc], sharers(spatial, loop)
    count = len(teams[0])
    if method == "tree":
        strides = [1 << r for r in range((count - 1).bit_length())]
        steps = [[(i + s, i) for i in range(0, count - s, 2 * s)] for s in strides]
    else:
        steps = [[(i, (i + 1) % count) for i in range(count)], [(i, 0) for i in range(1, count)]]
    where = _places(device, tuple(math.prod(s.factor for s in splits) for splits in spatial))
    out = []
    for step in steps:
        sources = np.array([where[team[source]] for team in teams for source, _ in step])
        targets = np.array([where[team[target]] for team in teams for _, target in step])
        weights = device.dram.banks * _crossed(network, sources, targets)
        weights.setflags(write=False)
        out.append(weights)
    return tuple(out)
