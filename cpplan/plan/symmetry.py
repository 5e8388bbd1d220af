"""Mirror images: plans that a symmetry of the program maps onto each other are one plan.

A symmetry renames parallel dims of equal extent so that the accesses map onto accesses of the same kind, place and size
(a square GEMM may swap its two dims together with its operands). The cost model sees no more of a program than that, so
images cost exactly the same on every device. The representative is the image that comes first in the fixed order.
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
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import HARDWARE_TILE, Access, TileProgram

T = TypeVar("T")
OrderKey = tuple[Any, ...]


@dataclass(frozen=True)
class Symmetry:
    """Renaming of parallel dims with the access permutation it induces: ``target[i]`` is the image of access ``i``."""

    dims: tuple[tuple[str, str], ...]
    target: tuple[int, ...]


def symmetries(program: TileProgram) -> tuple[Symmetry, ...]:
    """All symmetries of ``program``, the identity first."""
    names = [d.name for d in program.dims]
    extents = {d.name: d.extent for d in program.dims}
    found = []
    for image in itertools.permutations(names):
        renaming = dict(zip(names, image, strict=True))
        if all(extents[a] == extents[b] for a, b in renaming.items()):
            found += [Symmetry(tuple(renaming.items()), t) for t in _targets(program, renaming)]
    return tuple(found)


def _targets(program: TileProgram, renaming: Mapping[str, str]) -> list[tuple[int, ...]]:
    """Every bijection of accesses that respects ``renaming``."""
    candidates = [
        [j for j, b in enumerate(program.accesses) if _alike(program, a, b, renaming)] for a in program.accesses
    ]
    out: list[tuple[int, ...]] = []
    for choice in itertools.product(*candidates):
        if len(set(choice)) == len(choice):
            out.append(choice)
    return out


def _alike(program: TileProgram, a: Access, b: Access, renaming: Mapping[str, str]) -> bool:
    def facts(access: Access) -> tuple[object, ...]:
        written = any(x.kind != "load" and x.tensor == access.tensor for x in program.accesses)
        return access.kind, access.loop, access.klass, _size(access), program.tensor(access.tensor).dtype, written

    return facts(a) == facts(b) and {renaming.get(i, i) for i in a.indices} == b.indices


def _size(access: Access) -> int:
    """Hardware tiles of one tile: all that the cost model sees of its shape."""
    total = 1
    for position, extent in enumerate(reversed(access.tile)):
        total *= ceil_div(extent, HARDWARE_TILE) if position < 2 else extent
    return total


def image(program: TileProgram, plan: Plan, symmetry: Symmetry) -> Plan:
    """The image of ``plan``, in canonical form."""
    renaming = dict(symmetry.dims)
    position = {d.name: i for i, d in enumerate(program.dims)}
    order = tuple(tuple(sorted((renaming[d] for d in group), key=lambda d: position[d])) for group in plan.order)
    levels = {wave(*old): wave(*new) for old, new in zip(plan.order, order, strict=True)}
    moved: list[Placement] = list(plan.placements)
    for place, target in zip(plan.placements, symmetry.target, strict=True):
        name = program.accesses[target].name
        moved[target] = replace(place, access=name, level=levels.get(place.level, place.level))
    spatial = tuple(tuple(Split(renaming[s.dim], s.factor) for s in splits) for splits in plan.spatial)
    return canonical(program, Plan(plan.block, spatial, order, tuple(moved)))


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


def orbit(program: TileProgram, plan: Plan, known: tuple[Symmetry, ...]) -> list[tuple[OrderKey, Plan]]:
    """All images of ``plan`` with their order keys, the representative first."""
    images = {}
    for symmetry in known:
        other = image(program, plan, symmetry)
        images[order_key(program, other)] = other
    return sorted(images.items(), key=lambda item: item[0])
