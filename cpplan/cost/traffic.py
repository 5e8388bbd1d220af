"""DRAM traffic of an access, counted tile by tile with partial last waves: idle cores move nothing."""

from __future__ import annotations

import itertools
from functools import lru_cache

from cpplan.plan.nest import Nest
from cpplan.plan.plan import Placement, Split
from cpplan.plan.space import shared_loop
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Access, TileProgram


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
    level = nest.names.index(place.level)
    enclosing = {name for i in nest.path(level) for name, _ in nest.indices[i]}
    axes = {d.name: d.extent for d in program.dims}
    shared = shared_loop(program, spatial)
    if shared is not None:
        axes[shared[0]] = next(loop.trips for loop in program.loops if loop.name == shared[0])
    total = 1
    for i in nest.path(nest.home[access.loop or ""]):
        for name, trips in nest.indices[i]:
            if name not in axes and (name in enclosing or name in access.indices):
                total *= trips
    for name, extent in axes.items():
        if name in access.indices:
            total *= extent
            continue
        if shared is not None and name == shared[0] and access.kind != "load":
            continue  # the first core of a team writes
        factors, grouped = _digits(spatial, name, place.groups)
        cores = 1
        for factor in factors:
            cores *= factor
        every = _groups_among_first(factors, grouped, cores)
        if name not in enclosing:
            total *= every
            continue
        full = ceil_div(extent, cores) - 1
        total *= full * every + _groups_among_first(factors, grouped, extent - full * cores)
    return total


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


def compulsory_tiles(program: TileProgram, access: Access) -> int:
    """Distinct tiles that ``access`` touches in the whole launch: no plan moves fewer."""
    total = 1
    for dim in program.dims:
        total *= dim.extent if dim.name in access.indices else 1
    for name in program.loop_path(access.loop):
        loop = next(item for item in program.loops if item.name == name)
        total *= loop.trips if name in access.indices else 1
    return total
