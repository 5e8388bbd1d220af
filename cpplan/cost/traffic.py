"""DRAM traffic of an access, counted tile by tile with partial last waves: idle cores move nothing."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from cpplan.plan.nest import Nest
from cpplan.plan.plan import Placement, Split
from cpplan.plan.space import shared_loop
from cpplan.tile.arith import Int, ceil_div
from cpplan.tile.profile import total_trips
from cpplan.tile.program import Access, Profile, TileProgram


@lru_cache(maxsize=1 << 14)
def _groups_among_first(factors: tuple[int, ...], grouped: tuple[int, ...], busy: int) -> int:
    """Sharing groups with at least one of the first ``busy`` cores of a dim.

    Cores of the dim are numbered by their digits, one factor per spatial dim, first spatial dim most significant;
    ``grouped[s]`` is 1 where all cores along spatial dim ``s`` share.
    """
    seen = set()
    for core in itertools.islice(itertools.product(*(range(f) for f in factors)), busy):
        seen.add(tuple(0 if g else digit for digit, g in zip(core, grouped, strict=True)))
    return len(seen)


def tiles_moved(
    program: TileProgram, spatial: tuple[tuple[Split, ...], ...], nest: Nest, access: Access, place: Placement
) -> int:
    """Tiles of ``access`` that cross the DRAM ports in the whole launch."""
    return tiles_moved_at(program, spatial, nest, access, nest.names.index(place.level), place.groups)


def tiles_moved_at(
    program: TileProgram, spatial: tuple[tuple[Split, ...], ...], nest: Nest, access: Access, level: int,
    groups: tuple[int, ...],
) -> int:  # fmt: skip
    """:func:`tiles_moved` of placements at a level with sharing groups of this size."""
    enclosing = {name for i in nest.path(level) for name, _ in nest.indices[i]}
    axes = {d.name: d.extent for d in program.dims}
    shared = shared_loop(program, spatial)
    if shared is not None:
        axes[shared[0]] = program.loop(shared[0]).trips
    inside = [loop for loop in map(program.loop, program.loop_path(access.loop)) if loop.name in enclosing]
    varying = next((loop for loop in inside if loop.profile is not None), None)
    total, done = 1, set()
    if varying is not None and varying.profile is not None:
        total = _in_varying_loop(program, spatial, access, groups, varying.name, varying.profile)
        done = {varying.name, varying.profile.dim}
    for i in nest.path(nest.home[access.loop or ""]):
        for name, span in nest.indices[i]:
            if name not in axes and name not in done and (name in enclosing or name in access.indices):
                total *= span
    for name, extent in axes.items():
        if name in done:
            continue
        if name in access.indices:
            total *= extent
            continue
        if shared is not None and name == shared[0] and access.kind != "load":
            continue  # the first core of a team writes
        factors, grouped = _digits(spatial, name, groups)
        every = _groups_among_first(factors, grouped, math.prod(factors))
        total *= _transfers(factors, grouped, extent) if name in enclosing else every
    return total


def _transfers(factors: tuple[int, ...], grouped: tuple[int, ...], extent: int) -> int:
    """Transfers of all sharing groups when ``extent`` blocks or trips are dealt to the cores, one each per wave."""
    cores = math.prod(factors)
    full, rest = divmod(extent, cores)
    return full * _groups_among_first(factors, grouped, cores) + _groups_among_first(factors, grouped, rest)


def _in_varying_loop(
    program: TileProgram, spatial: tuple[tuple[Split, ...], ...], access: Access, sharing: tuple[int, ...], loop: str,
    profile: Profile,
) -> int:  # fmt: skip
    """Transfers inside ``loop``, over all blocks of the dim that its trip count depends on.

    A sharing group runs on for as long as one of its blocks does.
    """
    extent = next(d.extent for d in program.dims if d.name == profile.dim)
    factors, grouped = _digits(spatial, profile.dim, sharing)
    runs = _group_trips(profile, extent, factors, grouped)
    if loop in access.indices:
        return sum(trips * groups for trips, groups in runs)
    parts, together = _digits(spatial, loop, sharing)
    return sum(_transfers(parts, together, trips) * groups for trips, groups in runs)


@lru_cache(maxsize=1 << 12)
def _group_trips(
    profile: Profile, extent: int, factors: tuple[int, ...], grouped: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """(trips, how many sharing groups run so many in some wave) over all waves."""
    waves = ceil_div(extent, math.prod(factors))
    trips = np.zeros(waves * math.prod(factors), dtype=np.int64)
    trips[:extent] = profile.at(np.arange(extent))
    longest = trips.reshape(waves, *factors).max(axis=tuple(1 + s for s, g in enumerate(grouped) if g))
    values, groups = np.unique(longest, return_counts=True)
    return tuple(zip(values.tolist(), groups.tolist(), strict=True))


def _digits(
    spatial: tuple[tuple[Split, ...], ...], dim: str, groups: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Factors of ``dim`` per spatial dim, and whether the sharing group spans each of them."""
    factors, grouped = [], []
    for splits, group in zip(spatial, groups, strict=True):
        below = 1
        for split in reversed(splits):
            below *= split.factor
            if split.dim == dim:
                factors.append(split.factor)
                grouped.append(int(below <= group))
    return tuple(factors), tuple(grouped)


def compulsory_tiles(program: TileProgram, access: Access) -> Int:
    """Distinct tiles that ``access`` touches in the whole launch: no plan moves fewer. Also of a stacked program."""
    extents = {dim.name: dim.extent for dim in program.dims}
    total: Int = 1
    for name in program.loop_path(access.loop):
        loop = program.loop(name)
        if loop.profile is None or loop.profile.dim not in access.indices:
            total = total * (loop.trips if name in access.indices else 1)
            continue
        ever = replace(loop.profile, low=np.minimum(loop.profile.low, 1), high=1)
        wanted = loop.profile if name in access.indices else ever
        total = total * total_trips(wanted, 0, 1, extents.pop(loop.profile.dim))
    for dim, extent in extents.items():
        total = total * (extent if dim in access.indices else 1)
    return total
