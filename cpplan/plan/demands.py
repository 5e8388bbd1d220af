"""A restriction inside one column, where only placements are open: as demands on numbered placements.

The column holds one form of each plan, so a restriction that another form satisfies must let it pass. What the forms
share is decided once per column (docs/encoding.md, section 8): every way in which its digits and fused loops may be
written is a *reading*; accesses that nothing but the restriction tells apart get their placements by Hall's theorem.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.plan.alike import alike
from cpplan.plan.forms import digit_orders, loop_orders, with_loops
from cpplan.plan.nest import Nest, build_nest
from cpplan.plan.plan import Order, Placement, Plan, Split, wave
from cpplan.plan.restrict import Restriction, Term, level_names
from cpplan.plan.space import Spatial, place_key, required_group_ends
from cpplan.tile.program import TileProgram

Ends = frozenset[tuple[int, int]]
"""(spatial dim, group size) pairs."""


@dataclass(frozen=True)
class Demand:
    """At least ``count`` of ``members`` (access numbers) take a placement whose number is among ``allowed``."""

    members: tuple[int, ...]
    allowed: frozenset[int]
    count: int


Reading = tuple[Demand, ...]
"""Demands that a plan meets all at once."""


def readings(
    restriction: Restriction,
    program: TileProgram,
    device: Device,
    spatial: Spatial,
    order: Order,
    places: Sequence[Sequence[tuple[int, Placement]]],
) -> tuple[Reading, ...]:
    """What the placements of a column must meet: the demands of one reading. Without any, the column has no plan.

    ``places`` lists the numbered placements of every access, alike accesses with equal numbers.
    """
    if not (restriction.allows_block(program.block) and restriction.allows_cores(spatial)):
        return ()
    found = {
        tuple(_demands(restriction, program, device, spatial, names, banned, places)): None
        for names in _level_names(restriction, order)
        for banned in _banned_ends(restriction, program, spatial)
    }
    return tuple(found) if () not in found else ((),)


def possible(found: Sequence[Reading], access: int, numbers: Sequence[int]) -> list[bool]:
    """Which of the placements ``numbers`` of one access some reading lets through, demand by demand."""
    wishes = [[d.allowed for d in reading if d.members == (access,)] for reading in found]
    return [any(all(number in allowed for allowed in wish) for wish in wishes) for number in numbers]


def beyond_rows(found: Sequence[Reading]) -> tuple[Reading, ...]:
    """What is left to demand without impossible placements: nothing of single accesses if there is one reading."""
    left = [tuple(d for d in reading if len(d.members) > 1 or len(found) > 1) for reading in found]
    return () if () in left else tuple(left)


Names = dict[str, tuple[str, ...]]
"""What the wave levels may be called."""


def _level_names(restriction: Restriction, order: Order) -> list[Names]:
    """For every order of the dims in fused loops that is allowed: what the levels of the column are called then.

    One choice is enough when no term is about a wave level.
    """
    names = [_names_in(order, arranged) for arranged in loop_orders(order) if restriction.allows_order(arranged)]
    named = restriction.about("level").only(lambda t: str(t.value).startswith("wave."))
    return names if named else names[:1]


def _names_in(order: Order, arranged: Order) -> Names:
    """Names of the levels of ``order`` when the dims of its fused loops run as ``arranged``."""
    names = level_names(arranged)
    return {wave(*old): names[wave(*new)] for old, new in zip(order, arranged, strict=True)}


def _banned_ends(restriction: Restriction, program: TileProgram, spatial: Spatial) -> Iterator[Ends]:
    """For every order of digits that the restriction allows: where no sharing group may end, or they could not swap."""
    required = frozenset(required_group_ends(program, spatial))
    per_axis = []
    for axis, splits in enumerate(spatial):
        options = {
            frozenset((axis, size) for size in _lost_ends(splits, arranged))
            for arranged in digit_orders(program, splits, ())
            if restriction.allows_digits(axis, arranged)
        }
        least = [o for o in options if not any(other < o for other in options) and not o & required]
        per_axis.append(sorted(least, key=sorted))
    for chosen in itertools.product(*per_axis):
        yield frozenset().union(*chosen)


def _lost_ends(splits: tuple[Split, ...], arranged: tuple[Split, ...]) -> Iterator[int]:
    """Sizes of sharing groups that end between digits of ``splits`` but not between those of ``arranged``."""
    size = 1
    for below in range(1, len(splits)):
        size *= splits[-below].factor
        if set(splits[-below:]) != set(arranged[-below:]):
            yield size


def _demands(
    restriction: Restriction,
    program: TileProgram,
    device: Device,
    spatial: Spatial,
    names: Names,
    banned: Ends,
    places: Sequence[Sequence[tuple[int, Placement]]],
) -> Iterator[Demand]:
    """Demands of one reading, access by access and class of alike accesses by class."""
    classes = alike(program)
    classes += [(i,) for i in range(len(program.accesses)) if not any(i in members for members in classes)]
    for members in sorted(classes):
        kinds: dict[tuple[frozenset[Term], frozenset[Term]], list[int]] = {}
        for number in members:
            kinds.setdefault(_signature(restriction, program.accesses[number].name), []).append(number)
        everything = frozenset(number for number, _ in places[members[0]])
        wanted = []
        for of_one_kind in kinds.values():
            name = program.accesses[of_one_kind[0]].name
            allowed = frozenset(
                number
                for number, place in places[of_one_kind[0]]
                if not banned.intersection(enumerate(place.groups))
                and restriction.allows_place(device, spatial, name, place, names.get(place.level, (place.level,)))
            )
            wanted.append((allowed, len(of_one_kind)))
        yield from _dealt_out(members, wanted, everything)


def _signature(restriction: Restriction, access: str) -> tuple[frozenset[Term], frozenset[Term]]:
    """The terms about an access without its name: equal ones do not tell alike accesses apart."""
    own = restriction.of_access(access)
    pins, forbids = (frozenset(replace(t, subject="") for t in terms) for terms in (own.pins, own.forbids))
    return pins, forbids


def _dealt_out(
    members: tuple[int, ...], wanted: list[tuple[frozenset[int], int]], everything: frozenset[int]
) -> Iterator[Demand]:
    """Hall's condition for dealing the placements of ``members`` out to kinds of accesses, each with its wishes.

    Kinds whose wishes do not touch add up on their own, so only connected sets of kinds are demanded.
    """
    anything = frozenset().union(*(allowed for allowed, _ in wanted))
    if anything != everything:
        yield from (Demand((member,), anything, 1) for member in members)
    if len(wanted) == 1:
        return
    picky = [(allowed, count) for allowed, count in wanted if allowed != anything]
    for size in range(1, len(picky) + 1):
        for chosen in itertools.combinations(picky, size):
            union = frozenset().union(*(allowed for allowed, _ in chosen))
            if union != anything and _connected([allowed for allowed, _ in chosen]):
                yield Demand(members, union, sum(count for _, count in chosen))


def _connected(sets: list[frozenset[int]]) -> bool:
    """Whether the sets form one chain of overlaps (one set alone does)."""
    reached, left = sets[0], sets[1:]
    while left:
        touching = [s for s in left if s & reached]
        if not touching:
            return False
        reached = reached.union(*touching)
        left = [s for s in left if not s & reached]
    return True


def member(restriction: Restriction, program: TileProgram, device: Device, plan: Plan) -> Plan | None:
    """The first form of ``plan`` that satisfies the restriction; None when there is none.

    Pinned readers go by their pinned names.
    """
    if not restriction:
        return plan
    if not (restriction.allows_block(plan.block) and restriction.allows_box(plan.spatial, plan.origin)):
        return None
    if not restriction.allows_combine(plan.combine):
        return None
    device = seen_from(device, plan.origin)
    position = {dim.name: i for i, dim in enumerate(program.dims)}
    spatial = []
    for axis, splits in enumerate(plan.spatial):
        ends = {place.groups[axis] for place in plan.placements}
        fitting = [d for d in digit_orders(program, splits, ends) if restriction.allows_digits(axis, d)]
        if not fitting:
            return None
        spatial.append(min(fitting, key=lambda d: [(position.get(s.dim, len(position)), s.factor) for s in d]))
    chosen = replace(plan, spatial=tuple(spatial))
    nest = build_nest(program, plan.spatial, plan.order)
    for order in sorted(loop_orders(plan.order), key=lambda order: [[position[d] for d in group] for group in order]):
        if restriction.allows_order(order):
            dealt = _dealt(restriction, program, device, chosen, nest, _names_in(plan.order, order))
            if dealt is not None:
                return restriction.by_pinned_name(with_loops(replace(chosen, placements=dealt), order))
    return None


def _dealt(
    restriction: Restriction, program: TileProgram, device: Device, plan: Plan, nest: Nest, names: Names
) -> tuple[Placement, ...] | None:
    """The first way to deal placements to alike accesses that satisfies the terms about accesses, if there is one."""

    def fits(number: int, place: Placement) -> bool:
        name = program.accesses[number].name
        return restriction.allows_place(device, plan.spatial, name, place, names.get(place.level, (place.level,)))

    def deal(members: tuple[int, ...], left: list[Placement]) -> list[Placement] | None:
        if not members:
            return []
        for place in dict.fromkeys(left):
            if fits(members[0], place):
                rest = left.copy()
                rest.remove(place)
                tail = deal(members[1:], rest)
                if tail is not None:
                    return [replace(place, access=program.accesses[members[0]].name), *tail]
        return None

    out = list(plan.placements)
    classes = alike(program)
    classes += [(i,) for i in range(len(out)) if not any(i in members for members in classes)]
    for members in classes:
        anonymous = [replace(plan.placements[i], access="") for i in members]
        dealt = deal(members, sorted(anonymous, key=lambda p: place_key(nest, p)))
        if dealt is None:
            return None
        for number, place in zip(members, dealt, strict=True):
            out[number] = place
    return tuple(out)
