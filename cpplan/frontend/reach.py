"""How far accesses reach: past an end, past their tensor, into the tiles of other blocks.

For plain and stacked programs alike; every answer is one value, or an array with one per block shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cpplan.tile.program import Access, Affine, TileProgram

Ints = Any
"""An int, or an array of them."""

ZERO = Affine()


def last_element(access: Access, axis: int, program: TileProgram, end: Affine = ZERO) -> Ints:
    """One past the last index that any block or trip touches on ``axis``, counted from ``end`` (by default: from 0)."""
    start = access.starts[axis]
    reach = np.asarray(start.const) + np.asarray(access.tile[axis]) - np.asarray(end.const)
    slopes, ends = dict(start.terms), dict(end.terms)
    for name, extent in _extents(program).items():
        slope = np.asarray(slopes.get(name, 0)) - np.asarray(ends.get(name, 0))
        reach = reach + np.maximum(slope, 0) * (np.asarray(extent) - 1)
    return reach


def last_end(access: Access, axis: int, program: TileProgram) -> Ints:
    """One past the last index that takes part on ``axis``: at most the end of every bound and of the tensor."""
    found = np.minimum(last_element(access, axis, program), program.tensor(access.tensor).shape[axis])
    for end in access.bounds[axis].ends if access.bounds else ():
        reach = np.asarray(end.const)
        for name, slope in end.terms:
            reach = reach + np.maximum(slope, 0) * (np.asarray(_extents(program)[name]) - 1)
        found = np.minimum(found, reach)
    return found


def stored_ends(program: TileProgram) -> list[tuple[Ints, ...]]:
    """Per store and axis, one past the last index that is written."""
    stores = (access for access in program.accesses if access.kind != "load" and access.tensor)
    return [tuple(last_end(access, axis, program) for axis in range(len(access.tile))) for access in stores]


def leaves_tensors(program: TileProgram) -> Ints:
    """Whether an access runs past its tensor where no mask cuts it: the kernel would read or write outside."""
    outside: Ints = np.zeros(np.shape(program.dims[0].extent) if program.dims else (), dtype=bool)
    for access in program.accesses:
        if access.klass == "opaque" or not access.tensor:
            continue
        for axis, extent in enumerate(program.tensor(access.tensor).shape):
            if not (access.bounds and access.bounds[axis].ends):
                outside = outside | (last_element(access, axis, program) > extent)
    return outside


def overlapping_stores(program: TileProgram) -> list[Ints]:
    """Per plain store, whether two blocks write the same element although they are at different places."""
    return [_overlaps(access, program) for access in program.accesses if access.kind == "store" and access.tensor]


def _overlaps(access: Access, program: TileProgram) -> Ints:
    answer: Ints = False
    for axis in range(len(access.tile)):
        answer = answer | _overlaps_along(access, axis, program)
    return answer


def _overlaps_along(access: Access, axis: int, program: TileProgram) -> Ints:
    """Along one axis: taken from the smallest step to the largest, no step may be shorter than what lies below it."""
    extents = {name: np.asarray(extent) for name, extent in _extents(program).items()}
    terms = [(name, np.asarray(slope)) for name, slope in access.starts[axis].terms]
    ends = access.bounds[axis].ends if access.bounds else ()
    dims = {dim.name for dim in program.dims}
    answer: Ints = False
    for name, step in terms:
        below: Ints = np.asarray(access.tile[axis])
        for other, smaller in terms:
            if other != name:
                below = below + np.where(smaller < step, smaller * (extents[other] - 1), 0)
        for end in ends:
            below = np.minimum(below, _room(access.starts[axis], end, name, step, terms))
        if name in dims:
            answer = answer | ((step > 0) & (extents[name] > 1) & (below > step))
    return answer


def _room(start: Affine, end: Affine, name: str, step: Ints, terms: list[tuple[str, Ints]]) -> Ints:
    """Elements from a tile's first place to ``end``, if that moves along with ``name`` and all larger steps."""
    slopes = dict(end.terms)
    moves = np.asarray(slopes.get(name, 0)) == step
    for other, slope in terms:
        follows = np.asarray(slopes.get(other, 0)) == slope
        stays = np.asarray(slopes.get(other, 0)) == 0
        moves = moves & np.where(slope >= step, follows, stays)
    return np.where(moves, np.asarray(end.const) - np.asarray(start.const), np.iinfo(np.int64).max)


def _extents(program: TileProgram) -> dict[str, Ints]:
    return {dim.name: dim.extent for dim in program.dims} | {loop.name: loop.trips for loop in program.loops}
