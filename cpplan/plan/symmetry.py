"""Mirror images: plans that a symmetry of the program maps onto each other are one plan.

A symmetry renames parallel dims of equal extent so that the accesses map onto accesses of the same kind, place and size
(a square GEMM may swap its two dims together with its operands), at the same block shape or at a mirrored one. The cost
model sees no more of a program than that and the cycles of its ops, so images cost exactly the same. The
representative is the image that comes first in the fixed order.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cpplan.plan.alike import alike, facts
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Placement, Plan, Split, wave
from cpplan.plan.space import METHODS, place_key
from cpplan.tile.program import Profile, TileProgram

T = TypeVar("T")
OrderKey = tuple[Any, ...]


@dataclass(frozen=True)
class Symmetry:
    """Renaming of parallel dims with the access permutation it induces: ``target[i]`` is the image of access ``i``."""

    dims: tuple[tuple[str, str], ...]
    target: tuple[int, ...]


def symmetries(source: TileProgram, target: TileProgram) -> tuple[Symmetry, ...]:
    """One symmetry per renaming that maps ``source`` onto ``target``, the identity first when the two are one program.

    Which of several alike accesses an access maps onto makes no difference: images are listed in canonical form.
    The programs are candidates of one kernel, often the same one. Whether their tile ops cost the same is for the
    caller to check: that depends on the device.
    """
    if [(loop.name, loop.parent, loop.trips) for loop in source.loops] != [
        (loop.name, loop.parent, loop.trips) for loop in target.loops
    ]:
        return ()
    names = [d.name for d in source.dims]
    extents = {d.name: d.extent for d in target.dims}
    if set(names) != set(extents) or len(source.accesses) != len(target.accesses):
        return ()
    profiles = [loop.profile for loop in target.loops]
    found = []
    for permuted in itertools.permutations(names):
        renaming = dict(zip(names, permuted, strict=True))
        same_trips = [_renamed(loop.profile, renaming) for loop in source.loops] == profiles
        if same_trips and all(d.extent == extents[renaming[d.name]] for d in source.dims):
            image_of = _target(source, target, renaming)
            found += [] if image_of is None else [Symmetry(tuple(renaming.items()), image_of)]
    return tuple(found)


def _renamed(profile: Profile | None, renaming: Mapping[str, str]) -> Profile | None:
    return None if profile is None else replace(profile, dim=renaming[profile.dim])


def _target(source: TileProgram, target: TileProgram, renaming: Mapping[str, str]) -> tuple[int, ...] | None:
    """A bijection of accesses that respects ``renaming``; None when there is none."""
    there = [(facts(target, b), b.indices) for b in target.accesses]
    left = list(range(len(there)))
    chosen = []
    for a in source.accesses:
        own = facts(source, a), frozenset(renaming.get(i, i) for i in a.indices)
        match = next((j for j in left if there[j] == own), None)
        if match is None:
            return None
        left.remove(match)
        chosen.append(match)
    return tuple(chosen)


def image(target: TileProgram, plan: Plan, symmetry: Symmetry) -> Plan:
    """The image of ``plan`` as a plan of ``target``, in canonical form."""
    renaming = dict(symmetry.dims)
    position = {d.name: i for i, d in enumerate(target.dims)}
    order = tuple(tuple(sorted((renaming[d] for d in group), key=lambda d: position[d])) for group in plan.order)
    levels = {wave(*old): wave(*new) for old, new in zip(plan.order, order, strict=True)}
    moved: list[Placement] = list(plan.placements)
    for place, number in zip(plan.placements, symmetry.target, strict=True):
        moved[number] = replace(place, access=target.accesses[number].name, level=levels.get(place.level, place.level))
    spatial = tuple(tuple(Split(renaming.get(s.dim, s.dim), s.factor) for s in splits) for splits in plan.spatial)
    return canonical(target, Plan(target.block, spatial, order, tuple(moved), plan.combine, plan.origin))


def canonical(program: TileProgram, plan: Plan) -> Plan:
    """Sort the digits of every spatial dim wherever no sharing group ends between them, and alike accesses.

    A digit of a shared loop keeps its place.
    """
    position = {d.name: i for i, d in enumerate(program.dims)}
    spatial = []
    for number, splits in enumerate(plan.spatial):
        ends = {p.groups[number] for p in plan.placements}
        below = list(itertools.accumulate((s.factor for s in reversed(splits)), operator.mul, initial=1))[::-1]
        digits: list[Split] = []
        fixed = [s.dim not in position for s in splits]
        beside = [here or after for here, after in itertools.pairwise([*fixed, True])]
        cuts = [size in ends or stays for size, stays in zip(below[1:], beside, strict=True)]
        for part in _runs(splits, cuts):
            digits += sorted(part, key=lambda s: position.get(s.dim, 0))
        spatial.append(tuple(digits))
    return _sorted_alike(program, replace(plan, spatial=tuple(spatial)))


def _sorted_alike(program: TileProgram, plan: Plan) -> Plan:
    """Placements of every class of alike accesses in the fixed order."""
    classes = alike(program)
    if not classes:
        return plan
    nest = build_nest(program, plan.spatial, plan.order)
    places = list(plan.placements)
    for members in classes:
        ranked = sorted((places[i] for i in members), key=lambda p: place_key(nest, p))
        for i, place in zip(members, ranked, strict=True):
            places[i] = replace(place, access=program.accesses[i].name)
    return replace(plan, placements=tuple(places))


def _runs(items: Sequence[T], ends: Sequence[bool]) -> list[list[T]]:
    """``items`` in runs, each ending after an item whose ``ends`` is true."""
    out: list[list[T]] = [[]]
    for item, last in zip(items, ends, strict=True):
        out[-1].append(item)
        if last:
            out.append([])
    return out


def order_key(program: TileProgram, plan: Plan) -> OrderKey:
    """Place of ``plan`` in the fixed order of the space at its block shape: mapping with its first core, wave order,
    placements."""
    position = {d.name: i for i, d in enumerate(program.dims)}
    nest = build_nest(program, plan.spatial, plan.order)
    combine = () if plan.combine is None else ((METHODS.index(plan.combine.method), plan.combine.noc),)
    return (
        (
            tuple(tuple((position.get(s.dim, len(position)), s.factor) for s in splits) for splits in plan.spatial),
            plan.origin,
        ),
        tuple(tuple(position[d] for d in group) for group in plan.order),
        (*(place_key(nest, p) for p in plan.placements), *combine),
    )


@dataclass(frozen=True)
class Partner:
    """A block-shape candidate that symmetries map another one (or itself) onto; ``block`` is its number."""

    block: int
    program: TileProgram
    symmetries: tuple[Symmetry, ...]


def orbit(plan: Plan, partners: Sequence[Partner]) -> list[tuple[int, OrderKey, Plan]]:
    """All images of ``plan`` with block number and order key, the representative first."""
    images = {}
    for partner in partners:
        for symmetry in partner.symmetries:
            other = image(partner.program, plan, symmetry)
            images[partner.block, order_key(partner.program, other)] = other
    return [(block, key, other) for (block, key), other in sorted(images.items(), key=lambda item: item[0])]
