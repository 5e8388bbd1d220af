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

from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Placement, Plan, Split, wave
from cpplan.plan.space import READERS
from cpplan.tile.layout import hardware_tiles
from cpplan.tile.program import Access, TileProgram

T = TypeVar("T")
OrderKey = tuple[Any, ...]


@dataclass(frozen=True)
class Symmetry:
    """Renaming of parallel dims with the access permutation it induces: ``target[i]`` is the image of access ``i``."""

    dims: tuple[tuple[str, str], ...]
    target: tuple[int, ...]


def symmetries(source: TileProgram, target: TileProgram) -> tuple[Symmetry, ...]:
    """All symmetries that map ``source`` onto ``target``, the identity first when the two are one program.

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
    found = []
    for permuted in itertools.permutations(names):
        renaming = dict(zip(names, permuted, strict=True))
        if all(d.extent == extents[renaming[d.name]] for d in source.dims):
            found += [Symmetry(tuple(renaming.items()), t) for t in _targets(source, target, renaming)]
    return tuple(found)


def _targets(source: TileProgram, target: TileProgram, renaming: Mapping[str, str]) -> list[tuple[int, ...]]:
    """Every bijection of accesses that respects ``renaming``."""
    there = [_facts(target, b) for b in target.accesses]
    candidates = []
    for a in source.accesses:
        own, image_of = _facts(source, a), {renaming.get(i, i) for i in a.indices}
        candidates.append([j for j, b in enumerate(target.accesses) if own == there[j] and image_of == b.indices])
    return [choice for choice in itertools.product(*candidates) if len(set(choice)) == len(choice)]


def _facts(program: TileProgram, access: Access) -> tuple[object, ...]:
    """All that the cost model and the space see of an access besides its indices."""
    written = any(x.kind != "load" and x.tensor == access.tensor for x in program.accesses)
    return (
        access.kind,
        access.loop,
        access.klass,
        hardware_tiles(access.tile),
        program.tensor(access.tensor).dtype,
        written,
    )


def image(target: TileProgram, plan: Plan, symmetry: Symmetry) -> Plan:
    """The image of ``plan`` as a plan of ``target``, in canonical form."""
    renaming = dict(symmetry.dims)
    position = {d.name: i for i, d in enumerate(target.dims)}
    order = tuple(tuple(sorted((renaming[d] for d in group), key=lambda d: position[d])) for group in plan.order)
    levels = {wave(*old): wave(*new) for old, new in zip(plan.order, order, strict=True)}
    moved: list[Placement] = list(plan.placements)
    for place, number in zip(plan.placements, symmetry.target, strict=True):
        moved[number] = replace(place, access=target.accesses[number].name, level=levels.get(place.level, place.level))
    spatial = tuple(tuple(Split(renaming[s.dim], s.factor) for s in splits) for splits in plan.spatial)
    return canonical(target, Plan(target.block, spatial, order, tuple(moved)))


def canonical(program: TileProgram, plan: Plan) -> Plan:
    """Sort the digits of every spatial dim wherever no sharing group ends between them."""
    position = {d.name: i for i, d in enumerate(program.dims)}
    spatial = []
    for number, splits in enumerate(plan.spatial):
        ends = {p.groups[number] for p in plan.placements}
        below = list(itertools.accumulate((s.factor for s in reversed(splits)), operator.mul, initial=1))[::-1]
        digits: list[Split] = []
        for part in _runs(splits, [size in ends for size in below[1:]]):
            digits += sorted(part, key=lambda s: position[s.dim])
        spatial.append(tuple(digits))
    return replace(plan, spatial=tuple(spatial))


def _runs(items: Sequence[T], ends: Sequence[bool]) -> list[list[T]]:
    """``items`` in runs, each ending after an item whose ``ends`` is true."""
    out: list[list[T]] = [[]]
    for item, last in zip(items, ends, strict=True):
        out[-1].append(item)
        if last:
            out.append([])
    return out


def order_key(program: TileProgram, plan: Plan) -> OrderKey:
    """Place of ``plan`` in the fixed order of the space at its block shape: mapping, wave order, placements."""
    position = {d.name: i for i, d in enumerate(program.dims)}
    node = {name: i for i, name in enumerate(build_nest(program, plan.spatial, plan.order).names)}
    return (
        tuple(tuple((position[s.dim], s.factor) for s in splits) for splits in plan.spatial),
        tuple(tuple(position[d] for d in group) for group in plan.order),
        tuple(
            (node[p.level], p.depth, p.groups, p.noc, p.pattern == "forward", READERS.index(p.reader))
            for p in plan.placements
        ),
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
