"""An old plan brought onto a device: same block shape, nearest mapping, nearest placements, within SRAM.

The device may have lost cores, be slower or another one, the launch may have other extents. What still holds is kept;
what does not is replaced by the nearest decision that does. The outcome is a plan of the space, or nothing.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cpplan.cost.model import buffer_bytes, fixed_buffers
from cpplan.device.device import Device
from cpplan.device.free_boxes import Box, Coordinate, free_boxes, seen_from
from cpplan.plan.check import Evaluation, check_plan
from cpplan.plan.demands import member
from cpplan.plan.nest import Nest, build_nest, cores_per_dim, wave_trips
from cpplan.plan.plan import LAUNCH, Order, Placement, Plan, Split, wave
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.space import (
    Spatial,
    active_extents,
    axes,
    combines,
    cut_off,
    earns_its_cores,
    first_cores,
    orders,
    placements,
)
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, Problem, TileProgram

BLOCKS, MAPPINGS, ORDERS = 4, 8, 12
"""Block shapes, mappings and wave orders that are tried, nearest first."""


@dataclass(frozen=True)
class OldPlan:
    """A plan and the names of the spatial dims that it was written for."""

    plan: Plan
    dims: tuple[str, ...]


def repaired(problem: Problem, device: Device, old: OldPlan, restriction: Restriction = FREE) -> Evaluation | None:
    """The best of the plans of ``problem`` on ``device`` that are nearest to ``old``; None when none of them is legal.

    A plan that is legal as it is stays as it is.
    """
    for program in _nearest_programs(problem, old.plan):
        candidates: Iterable[Plan] = _candidates(program, device, old)
        if dict(program.block) == dict(old.plan.block) and old.dims == tuple(dim.name for dim in device.dims):
            candidates = itertools.chain([old.plan], candidates)
        found: list[tuple[tuple[int, ...], Evaluation]] = []
        for candidate in candidates:
            checked = check_plan(program, device, candidate)
            if checked.cost is None or checked.violations:
                continue
            if member(restriction, program, device, checked.plan) is not None:
                found.append((checked.cost.key, checked))
                if candidate is old.plan:
                    break
        if found:
            return min(found, key=lambda item: item[0])[1]
    return None


def _candidates(program: TileProgram, device: Device, old: OldPlan) -> Iterator[Plan]:
    """Plans near ``old`` at one block shape."""
    by_name = dict(zip(old.dims, old.plan.spatial, strict=True))
    for spatial, origin in _nearest_mappings(program, device, by_name, old.plan.origin):
        for order in _nearest_orders(program, spatial, old.plan.order):
            candidate = _placed(program, device, old, spatial, origin, order)
            if candidate is not None:
                yield candidate


def _nearest_programs(problem: Problem, plan: Plan) -> Iterator[TileProgram]:
    """Block shapes with the accesses of ``plan``, those with the nearest parameters first."""
    wanted, names = dict(plan.block), [p.access for p in plan.placements]

    def distance(block: tuple[tuple[str, int], ...]) -> float:
        pairs = ((value, wanted.get(name, value)) for name, value in block)
        return sum(abs(math.log2(max(1, a) / max(1, b))) for a, b in pairs)

    offered = (
        (distance(block), number, position)
        for number, family in enumerate(problem.families)
        if [a.name for a in family.stacked.accesses] == names
        for position, block in enumerate(family.blocks)
    )
    for _, number, position in heapq.nsmallest(BLOCKS, offered):
        yield candidate_program(problem.families[number], position)


# -- mapping -----------------------------------------------------------------------------------------------------------


def _nearest_mappings(
    program: TileProgram, device: Device, by_name: Mapping[str, tuple[Split, ...]], origin: Coordinate
) -> list[tuple[Spatial, Coordinate]]:
    """Mappings with digits as in ``by_name``, cut down to what every free box holds: most cores first."""
    here = tuple(by_name.get(dim.name, ()) for dim in device.dims)
    found: dict[tuple[Spatial, Coordinate], None] = {}
    for box in free_boxes(device):
        spatial = _fitted(program, device, here, box)
        for first in first_cores(device, spatial):
            found[spatial, first] = None

    def far(mapping: tuple[Spatial, Coordinate]) -> tuple[int, int, bool, Coordinate]:
        spatial, first = mapping
        return -math.prod(active_extents(spatial)), spatial != here, first != origin, first

    return sorted(found, key=far)[:MAPPINGS]


def _fitted(program: TileProgram, device: Device, spatial: Spatial, box: Box) -> Spatial:
    """``spatial`` with factors reduced until it fits into ``box`` and every core is of use."""
    known, silent = axes(program, device), {name for name, _ in cut_off(program, device, spatial)}
    loops = {loop.name for loop in program.loops}
    out = []
    for dim, splits, extent in zip(device.dims, spatial, box.extents, strict=True):
        usable = tuple(s for s in splits if s.dim in known and not (dim.name in silent and s.dim in loops))
        out.append(_within(usable, extent))
    return _without_idle(program, device, tuple(out))


def _within(splits: tuple[Split, ...], extent: int) -> tuple[Split, ...]:
    """The factors of at most their size whose product is largest within ``extent``; of these the least changed."""
    choices = itertools.product(*(range(1, s.factor + 1) for s in splits))
    fits = (c for c in choices if math.prod(c) <= extent)
    best = max(fits, key=lambda c: (math.prod(c), sum(f == s.factor for f, s in zip(c, splits, strict=True)), c))
    return tuple(Split(s.dim, f) for s, f in zip(splits, best, strict=True) if f > 1)


def _without_idle(program: TileProgram, device: Device, spatial: Spatial) -> Spatial:
    """``spatial`` with the first split that does not earn its cores reduced, again and again."""
    while not earns_its_cores(program, device, spatial):
        extents, cores = axes(program, device), cores_per_dim(spatial)
        spatial = _reduced(spatial, extents, cores)
    return spatial


def _reduced(spatial: Spatial, extents: Mapping[str, int], cores: Mapping[str, int]) -> Spatial:
    for axis, splits in enumerate(spatial):
        for number, split in enumerate(splits):
            total, extent = cores[split.dim], extents[split.dim]
            fewer = total // split.factor * (split.factor - 1)
            if total > extent or -(-extent // fewer) == -(-extent // total):
                less = (Split(split.dim, split.factor - 1),) if split.factor > 2 else ()
                changed = splits[:number] + less + splits[number + 1 :]
                return (*spatial[:axis], changed, *spatial[axis + 1 :])
    raise AssertionError("some split does not earn its cores")


# -- wave loops --------------------------------------------------------------------------------------------------------


def _nearest_orders(program: TileProgram, spatial: Spatial, order: Order) -> list[Order]:
    """Wave loops that keep the dims of ``order`` in their sequence, those that leave most of its loops first."""
    active = {dim for dim, waves in wave_trips(program, spatial).items() if waves > 1}
    kept = tuple(group for group in (tuple(d for d in group if d in active) for group in order) if group)
    rank = {dim: number for number, group in enumerate(kept) for dim in group}

    def sequence(candidate: Order) -> list[int]:
        return [rank[d] for group in candidate for d in sorted(group, key=lambda d: rank.get(d, 0)) if d in rank]

    fitting = [o for o in orders(program, spatial) if sequence(o) == sorted(sequence(o))]
    return sorted(fitting, key=lambda o: (-sum(group in kept for group in o), len(o), o))[:ORDERS]


# -- placements --------------------------------------------------------------------------------------------------------


def _placed(
    program: TileProgram, device: Device, old: OldPlan, spatial: Spatial, origin: Coordinate, order: Order
) -> Plan | None:
    """``old`` under other loops, every access as near to its placement as SRAM allows; None when it never fits."""
    seen, nest = seen_from(device, origin), build_nest(program, spatial, order)
    room = device.sram.usable - sum(size for _, size in fixed_buffers(program, device))
    ways = combines(program, device, spatial)
    combine = old.plan.combine if old.plan.combine in ways else next(iter(ways), None)
    options = []
    for access, place in zip(program.accesses, old.plan.placements, strict=True):
        wish = _Wish(program, device, old, spatial, place)
        legal = placements(program, seen, spatial, nest, access)
        near = sorted(legal, key=lambda p: wish.distance(nest, p))
        options.append(_smaller_and_smaller(program, device, nest, access, near))
    chosen = [0] * len(options)
    while sum(options[a][n][0] for a, n in enumerate(chosen)) > room:
        shrinkable = [a for a, n in enumerate(chosen) if n + 1 < len(options[a])]
        if not shrinkable:
            return None
        largest = max(shrinkable, key=lambda a: options[a][chosen[a]][0])
        chosen[largest] += 1
    places = tuple(options[a][n][1] for a, n in enumerate(chosen))
    return Plan(program.block, spatial, order, places, combine, origin)


def _smaller_and_smaller(
    program: TileProgram, device: Device, nest: Nest, access: Access, near: Sequence[Placement]
) -> list[tuple[int, Placement]]:
    """Of placements, nearest first, those that take less SRAM than all nearer ones, with their bytes."""
    out: list[tuple[int, Placement]] = []
    sizes: dict[tuple[str, int], int] = {}
    for place in near:
        key = place.level, place.depth
        if key not in sizes:
            sizes[key] = buffer_bytes(program, device, nest, access, place)
        size = sizes[key]
        if not out or size < out[-1][0]:
            out.append((size, place))
    return out


class _Wish:
    """Where an access sat in the old plan, in terms that hold under other loops and on another array."""

    def __init__(self, program: TileProgram, device: Device, old: OldPlan, spatial: Spatial, place: Placement) -> None:
        self.place = place
        self.inside = _enclosing(program, old.plan.order, place.level)
        sizes = zip(place.groups, active_extents(old.plan.spatial), strict=True)
        before = dict(zip(old.dims, sizes, strict=True))
        self.groups = []
        for dim, now in zip(device.dims, active_extents(spatial), strict=True):
            group, cores = before.get(dim.name, (1, 1))
            self.groups.append(now if group == cores > 1 else group)  # all of them stay all of them

    def distance(self, nest: Nest, place: Placement) -> tuple[float, ...]:
        """How far ``place`` is from the old placement: loops first, then depth, pattern, groups, network, reader."""
        level = nest.names.index(place.level)
        around = {name for i in nest.path(level) for name, _ in nest.indices[i]}
        there = {name for pairs in nest.indices for name, _ in pairs}
        groups = sum(abs(math.log2(a / b)) for a, b in zip(place.groups, self.groups, strict=True))
        return (
            len(around ^ (self.inside & there)),
            place.depth != self.place.depth,
            place.pattern != self.place.pattern,
            groups,
            place.noc != self.place.noc,
            place.reader != self.place.reader,
        )


def _enclosing(program: TileProgram, order: Order, level: str) -> frozenset[str]:
    """Dims and loops around ``level`` in a plan with wave loops ``order``."""
    if level == LAUNCH:
        return frozenset()
    around: list[str] = []
    for group in order:
        around += group
        if level == wave(*group):
            return frozenset(around)
    known = {loop.name for loop in program.loops}
    return frozenset(around).union(program.loop_path(level) if level in known else ())
