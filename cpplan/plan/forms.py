"""Forms of one plan: descriptions that differ only in what no transfer can notice, and the canonical one among them.

The plan space lists one form per plan (:mod:`cpplan.plan.space`). Users may write, pin or forbid any of them:

* wave loops with no transfer between them in any nesting, or as one fused loop in any order of its dims;
* digits of a spatial dim in any order between the ends of sharing groups and digits of a shared loop;
* any reader rule that names the same cores;
* the placements of accesses that nothing tells apart, dealt out in any way.

Mirror images are another matter: they are different plans of equal cost (:mod:`cpplan.plan.symmetry`).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.plan.plan import LAUNCH, Order, Placement, Plan, Reader, Split, wave
from cpplan.plan.routes import readers
from cpplan.plan.space import READERS, Spatial, active_extents
from cpplan.plan.symmetry import canonical
from cpplan.tile.program import TileProgram

T = TypeVar("T")


def canonical_form(program: TileProgram, device: Device, plan: Plan) -> Plan:
    """The form under which the space lists ``plan``; the names in it must be those of the program."""
    seen = seen_from(device, plan.origin)
    renamed = replace(plan, placements=tuple(_plain(seen, plan.spatial, place) for place in plan.placements))
    return canonical(program, _fused(program, renamed))


def _plain(device: Device, spatial: Spatial, place: Placement) -> Placement:
    """First reader rule of its kind; one half of a buffer that is filled once."""
    depth = 1 if place.level == LAUNCH else place.depth
    return replace(place, depth=depth, reader=rules_of(device, spatial, place)[0])


def rules_of(device: Device, spatial: Spatial, place: Placement) -> tuple[Reader, ...]:
    """Reader rules that name the reading cores of ``place``; only a multicast has a choice."""
    if place.pattern != "multicast":
        return ("first",)
    active = active_extents(spatial)
    if any(cores % group for cores, group in zip(active, place.groups, strict=True)):
        return (place.reader,)
    mine = readers(device, active, place.groups, place.pattern, place.noc, place.reader)
    return tuple(
        rule for rule in READERS if readers(device, active, place.groups, place.pattern, place.noc, rule) == mine
    )


def _fused(program: TileProgram, plan: Plan) -> Plan:
    """Neighbouring wave loops with no transfer at the outer one as one loop, its dims in dim order."""
    position = {dim.name: i for i, dim in enumerate(program.dims)}
    used = {place.level for place in plan.placements}
    order: list[tuple[str, ...]] = []
    names: dict[str, str] = {}
    pending: list[str] = []
    for number, group in enumerate(plan.order):
        pending += group
        if number == len(plan.order) - 1 or wave(*group) in used:
            order.append(tuple(sorted(pending, key=lambda d: position[d])))
            names[wave(*group)] = wave(*order[-1])
            pending = []
    places = tuple(replace(place, level=names.get(place.level, place.level)) for place in plan.placements)
    return replace(plan, order=tuple(order), placements=places)


def digit_orders(program: TileProgram, splits: tuple[Split, ...], ends: Collection[int]) -> Iterator[tuple[Split, ...]]:
    """All orders of the digits of one spatial dim that leave the sharing groups of sizes ``ends`` as they are.

    A digit of a loop stays where it is, and so do all others at their side of it.
    """
    dims = {dim.name for dim in program.dims}
    runs: list[list[Split]] = [[]]
    below = 1
    for split in reversed(splits):
        if runs[-1] and (below in ends or split.dim not in dims or runs[-1][-1].dim not in dims):
            runs.append([])
        runs[-1].append(split)
        below *= split.factor
    for arranged in itertools.product(*(itertools.permutations(reversed(run)) for run in reversed(runs))):
        yield tuple(itertools.chain.from_iterable(arranged))


def loop_orders(order: Order) -> Iterator[Order]:
    """All orders of the dims inside the fused loops of ``order``."""
    return itertools.product(*(itertools.permutations(group) for group in order))


def with_loops(plan: Plan, order: Order) -> Plan:
    """``plan`` with its wave loops written as ``order``, group by group."""
    names = {wave(*old): wave(*new) for old, new in zip(plan.order, order, strict=True)}
    places = tuple(replace(place, level=names.get(place.level, place.level)) for place in plan.placements)
    return replace(plan, order=order, placements=places)


def nestings(group: tuple[T, ...]) -> Iterator[tuple[tuple[T, ...], ...]]:
    """All ways to read a fused loop, whose dims run in the given order, as loops inside loops (itself first)."""
    for cuts in range(len(group)):
        for at in itertools.combinations(range(1, len(group)), cuts):
            yield tuple(group[a:b] for a, b in itertools.pairwise((0, *at, len(group))))
