"""In which order cores update a tile that several blocks update: no core can add to memory in one step, so between the
reading and the writing of a tile nobody else may write to it.

Blocks take turns, first by iteration, then by core. All cores run the same iterations in the same order, and every line
of cores follows one order of all cores, so a turn waits for turns that come before it in one common order: nobody waits
in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cpplan.plan.nest import Nest
from cpplan.plan.plan import Plan
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Coordinate, Stream, Turns
from cpplan.tile.program import Access, TileProgram

Digits = Mapping[Coordinate, tuple[tuple[str, int], ...]]


def turns_of(
    program: TileProgram, plan: Plan, nest: Nest, digits: Digits, streams: Sequence[Stream], semaphores: int
) -> tuple[Turns, ...]:
    """The turns of every atomic whose tiles several cores update, or one core again while it reads over one network and
    writes over the other: one thread does both in order. ``semaphores`` are taken by others."""
    found: list[Turns] = []
    networks = {stream.access: stream.noc for stream in streams}
    for access in program.accesses:
        if access.kind == "atomic":
            apart = indices_that_tell_apart(program, access)
            around = is_updated_again(program, nest, access, apart)
            lines = tuple(_lines(program, plan, digits, apart))
            apart_in_time = around and networks[access.name] != networks[access.replaces]
            if apart_in_time or any(len(line) > 1 for line in lines):
                found.append(Turns(access.name, access.replaces, semaphores + len(found), around, lines))
    return tuple(found)


def indices_that_tell_apart(program: TileProgram, access: Access) -> frozenset[str]:
    """The dims and loops that ``access`` depends on, if tiles at different ones of them do not overlap; else none, so
    that all blocks take turns.

    They do not if the start along every axis counts like a number of several digits: each index steps over all that
    those with smaller steps reach.
    """
    extents = {dim.name: dim.extent for dim in program.dims} | {loop.name: loop.trips for loop in program.loops}
    for tile, start in zip(access.tile, access.starts, strict=True):
        reach = tile
        for name, step in sorted(start.terms, key=lambda term: abs(term[1])):
            if extents[name] > 1:
                if abs(step) < reach:
                    return frozenset()
                reach += abs(step) * (extents[name] - 1)
    return access.indices


def is_updated_again(program: TileProgram, nest: Nest, access: Access, apart: frozenset[str]) -> bool:
    """Whether a tile is updated in several iterations."""
    around = (nest.indices[level] for level in nest.path(nest.home[access.loop or ""]))
    return any(span > 1 and name not in apart for pairs in around for name, span in pairs)


def _lines(program: TileProgram, plan: Plan, digits: Digits, apart: frozenset[str]) -> Iterator[tuple[Coordinate, ...]]:
    """Cores that are at the same tile in an iteration, in the order of their digits; of cores that share a loop the
    first one alone writes."""
    shared = shared_loop(program, plan.spatial)
    order = [dim.name for dim in program.dims]
    lines: dict[tuple[int, ...], list[tuple[tuple[int, ...], Coordinate]]] = {}
    for core, pairs in digits.items():
        number = dict(pairs)
        if shared is None or number[shared[0]] == 0:
            tile = tuple(number.get(name, 0) for name in order if name in apart)
            place = tuple(number.get(name, 0) for name in order if name not in apart)
            lines.setdefault(tile, []).append((place, core))
    for members in lines.values():
        yield tuple(core for _, core in sorted(members))
