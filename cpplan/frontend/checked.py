"""Candidates that are looked at once more, since closed forms come from small powers of two.

The largest candidates are lowered: a kernel may take another course further out. For some that are no powers of two the
launch is repeated, as host code may round where it was not seen to, and tiles are followed by the kernel's own index
arithmetic: on sizes that blocks divide, two steps may look like one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from cpplan.errors import InputError, KernelError
from cpplan.frontend.allowed import Verdict
from cpplan.frontend.fitted import Fitted, Grid
from cpplan.frontend.forms import Integers, matching_forms
from cpplan.frontend.samples import Refused, Sampler
from cpplan.frontend.scalars import GRID, Scalar, names_in, value_of
from cpplan.tile.family import candidate_program, leaves, map_leaves, skeleton
from cpplan.tile.program import Access, TileProgram

PROBES = 6
"""Candidates that are no powers of two and are looked at."""


def doubt_about(table: Integers, fitted: Fitted, sampler: Sampler) -> Verdict | None:
    """The first candidate that is not as the closed forms say, and the rows that may still be."""
    return _unlike_lowered(table, fitted, sampler) or _unlike_launched(table, fitted)


def _unlike_lowered(table: Integers, fitted: Fitted, sampler: Sampler) -> Verdict | None:
    """Per parameter the largest power of two is lowered; if it is not as expected, only smaller values are kept."""
    powers = table[np.all(table & (table - 1) == 0, axis=1)]
    for position in range(table.shape[1]) if len(powers) else ():
        row = powers[np.lexsort((powers.sum(axis=1), -powers[:, position]))[0]]
        sample = sampler.at(tuple(row.tolist()))
        stays = table[:, position] <= row[position] // 2
        if isinstance(sample, Refused):
            return str(sample.error), stays
        if not _agree(sample.whole, _candidate(row, fitted)):
            return f"at {_shown(row, fitted)} the kernel is another one than at smaller block shapes", stays
    return None


def _agree(lowered: TileProgram, expected: TileProgram) -> bool:
    """Whether two programs move the same tiles as often. Loops with a single trip are gone from a lowered program, and
    equal loads with them."""
    moved, predicted = (Counter(_moves(program)) for program in (lowered, expected))
    stores = [Counter({move: n for move, n in found.items() if move[1] != "load"}) for found in (moved, predicted)]
    return stores[0] == stores[1] and moved <= predicted


def _moves(program: TileProgram) -> Iterator[tuple[str, str, int, int, bytes]]:
    """Per access: tensor, kind, elements of a tile, how often, and where tiles begin in the first trips of loops."""
    for access in program.accesses:
        size, starts = int(np.prod(access.tile)), _starts(access, program, {})
        yield access.tensor, access.kind, size, _times(access, program), starts.tobytes()


def _times(access: Access, program: TileProgram) -> int:
    """How often an access is performed, over all blocks."""
    loops = {loop.name: loop for loop in program.loops}
    times = math.prod(dim.extent for dim in program.dims)
    for name in program.loop_path(access.loop):
        total = loops[name].total_trips
        times = times * loops[name].trips if total is None else total
    return times


def _starts(access: Access, program: TileProgram, trips: Mapping[str, int]) -> Integers:
    """Sorted offsets of the first elements of all blocks' tiles, in given ``trips`` of loops (the first by default)."""
    strides = program.tensor(access.tensor).strides if access.tensor else (1,) * len(access.starts)
    extents = [dim.extent for dim in program.dims]
    offsets: Integers = np.zeros(extents, dtype=np.int64)
    for start, stride in zip(access.starts, strides, strict=True):
        offsets += stride * (start.const + sum(c * trips.get(name, 0) for name, c in start.terms))
        for axis, dim in enumerate(program.dims):
            ramp = np.arange(dim.extent, dtype=np.int64).reshape([-1 if i == axis else 1 for i in range(len(extents))])
            offsets += stride * start.coefficient(dim.name) * ramp
    return np.sort(offsets, axis=None)


def _unlike_launched(table: Integers, fitted: Fitted) -> Verdict | None:
    """A few candidates are launched and followed. If one is not as expected, only shapes that divide are kept."""
    others = table[np.any(table & (table - 1) != 0, axis=1)]
    rows = others if len(others) else table
    for row in rows[np.unique(np.random.default_rng(0).integers(0, len(rows), PROBES))]:
        reason = _unlike(row, fitted)
        if reason is not None:
            divides = fitted.divides(table)
            if bool(divides[(table == row).all(axis=1)].any()):
                raise KernelError(f"{fitted.launch.source}: {reason}; give values with --constexpr instead")
            return reason, divides
    return None


def _unlike(row: Integers, fitted: Fitted) -> str | None:
    """In what way the repeated launch is not as expected."""
    values, kernel = dict(zip(fitted.free, row.tolist(), strict=True)), fitted.launch.kernel
    assert fitted.launch.replay is not None
    try:
        again = fitted.launch.replay(values)
    except InputError as error:
        return str(error)
    x, y, z = (int(np.ravel(extent)[0]) for extent in fitted.stacked(row[None, :]).grid)
    if again.grid != (x, y, z):
        return (
            f"the grid of {kernel} at {_shown(row, fitted)} is {again.grid}, not {(x, y, z)} as smaller shapes suggest"
        )
    fixed = dict(fitted.samples[0].fixed)
    for name, value in again.constexprs.items():
        if name not in values and value != fixed.get(name, value):
            return f"{name} of {kernel} is {value} at {_shown(row, fitted)}, and {fixed[name]} at other block shapes"
    for access, program in _elsewhere(row, fitted, again.grid):
        return f"tiles of {access.tensor} in {program.name} begin at other places with {_shown(row, fitted)}"
    return None


def _elsewhere(row: Integers, fitted: Fitted, grid: Grid) -> Iterator[tuple[Access, TileProgram]]:
    """Accesses whose tiles begin elsewhere than the program says, by their own index arithmetic."""
    program = _candidate(row, fitted)
    if math.prod(dim.extent for dim in program.dims) != math.prod(grid):
        return  # persistent programs work on several blocks
    for number, access in enumerate(program.accesses):
        origin = _origin(number, row, fitted)
        if origin is None or access.klass != "affine" or access.lanes != "dense":
            continue
        path = program.loop_path(access.loop)
        for trips in ({}, *({name: 1} for name in path)):
            loops = {name: np.array([trips.get(name, 0)]) for name in (*path, *names_in(origin))}
            indices = loops | _programs(grid)
            with np.errstate(all="ignore"):
                found = np.broadcast_to(value_of(origin, lambda n: np.array([n], dtype=np.int64), indices), grid)
            if not np.array_equal(np.sort(found, axis=None), _starts(access, program, trips)):
                yield access, program
                break


def _programs(grid: Grid) -> dict[str, Integers]:
    """Program ids at all points of the grid."""
    shapes = ((-1, 1, 1), (1, -1, 1), (1, 1, -1))
    ramps = zip(GRID, grid, shapes, strict=True)
    return {name: np.arange(extent, dtype=np.int64).reshape(shape) for name, extent, shape in ramps}


def _origin(number: int, row: Integers, fitted: Fitted) -> Scalar | None:
    """Where tiles of access ``number`` begin at one block shape; None when the samples do not say."""
    origins = [sample.origins[number] for sample in fitted.samples]
    if len({skeleton(origin) for origin in origins}) != 1 or origins[0] is None:
        return None
    columns = np.array([[int(leaf) for leaf in leaves(origin)] for origin in origins], dtype=np.int64).T
    forms = [matching_forms(column, fitted.points, fitted.sizes) for column in columns]
    if not all(forms):
        return None
    numbers = iter([int(form[0].at(row[None, :])[0]) for form in forms])
    return map_leaves(origins[0], lambda _: next(numbers))


def _candidate(row: Integers, fitted: Fitted) -> TileProgram:
    return candidate_program(fitted.family(row[None, :]), 0)


def _shown(row: Integers, fitted: Fitted) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(fitted.free, row.tolist(), strict=True))
