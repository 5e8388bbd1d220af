"""Closed forms of all integers of a program, read from samples, and the program at any other block shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.errors import KernelError
from cpplan.frontend.counts import Counts, counts
from cpplan.frontend.forms import Factor, Form, Integers, Sizes, matching_forms
from cpplan.frontend.launch import DescriptorArgument, Launch, TensorArgument
from cpplan.frontend.profiles import fitted_profile
from cpplan.frontend.reach import last_element
from cpplan.frontend.samples import Outline, Sample, Values
from cpplan.tile.family import leaf_names, map_leaves
from cpplan.tile.program import Access, Family, Loop, Profile, TileProgram

Grid = tuple[int, int, int]


class Fitted:
    """Closed forms in the parameters ``free`` of a launch, and what follows from them for a table of block shapes: one
    row per shape, one column per parameter. ``grids`` has more launch grids by block shape: these take no lowering."""

    def __init__(
        self, launch: Launch, free: Sequence[str], samples: Sequence[Sample], grids: Mapping[Values, Grid] | None = None
    ) -> None:
        self.launch, self.free, self.samples, self.grids = launch, tuple(free), tuple(samples), dict(grids or {})
        self.outline = samples[0].outline
        self.points = np.array([s.values for s in samples], dtype=np.int64)
        self.columns = np.array([s.leaves for s in samples], dtype=np.int64).T
        self.names = list(leaf_names(self.outline))
        self.sizes = _sizes(launch, free, self.outline.program)
        known: dict[bytes, list[Form]] = {}
        self.forms: list[list[Form]] = []
        for name, column in zip(self.names, self.columns, strict=True):
            points, values = self._seen(name, column)
            key = values.tobytes()
            if key not in known:
                more = len(points) > len(self.points)  # enough to tell how quotients are rounded
                known[key] = matching_forms(values, points, self.sizes, down=more)
                known[key] = known[key] or matching_forms(values, points, self.sizes, down=True)
            if not known[key]:
                raise self._missing(name, column)
            self.forms.append(known[key])

    def _seen(self, name: str, column: Integers) -> tuple[Integers, Integers]:
        """Block shapes and the values of an integer there."""
        if not name.startswith("grid") or not self.grids:
            return self.points, column
        axis = int(name.removeprefix("grid"))
        more = np.array([grid[axis] for grid in self.grids.values()], dtype=np.int64)
        return np.concatenate([self.points, np.array(list(self.grids), dtype=np.int64)]), np.concatenate([column, more])

    def with_samples(self, samples: Sequence[Sample] = (), grids: Mapping[Values, Grid] | None = None) -> Fitted:
        """Fitted again, to more."""
        return Fitted(self.launch, self.free, (*self.samples, *samples), self.grids | dict(grids or {}))

    def _missing(self, name: str, column: Integers) -> KernelError:
        shown = ", ".join(f"{_block(self.free, s.values)}: {n}" for s, n in zip(self.samples[:4], column, strict=False))
        return KernelError(
            f"{self.launch.source}: {self.launch.kernel} cannot be planned with {', '.join(self.free)} free: no closed "
            f"form was found for one of its integers ({name}; {shown}, ...); give values with --constexpr instead"
        )

    def leaf(self, index: int, table: Integers) -> Integers:
        """Integer ``index`` for every row; all forms that explain the samples must agree."""
        first, *others = self.forms[index]
        values = first.at(table)
        for other in others:
            differs = np.flatnonzero(other.at(table) != values)
            if differs.size:
                block = _block(self.free, table[differs[0]])
                raise KernelError(
                    f"{self.launch.source}: {self.launch.kernel} cannot be planned with {', '.join(self.free)} free: "
                    f"one of its integers ({self.names[index]}) has two readings, {first} and {other}, that differ "
                    f"at {block}; give values with --constexpr instead"
                )
        return values

    def undecided(self, table: Integers, grid: bool) -> Integers:
        """Rows at which two readings of some integer differ: of the ``grid``, or of anything else."""
        differs = np.zeros(len(table), dtype=bool)
        for name, (first, *others) in zip(self.names, self.forms, strict=True):
            for other in others if name.startswith("grid") == grid else ():
                differs |= other.at(table) != first.at(table)
        return table[differs]

    @property
    def _factors(self) -> set[Factor]:
        return {factor for forms in self.forms for form in forms for factor in form.factors}

    def divides(self, table: Integers) -> NDArray[np.bool_]:
        """Rows at which block shapes divide the sizes of the launch."""
        return _all(table, (factor.divides(table) for factor in self._factors))

    def is_whole(self, table: Integers) -> NDArray[np.bool_]:
        """Rows at which no integer would be a fraction."""
        return _all(table, (factor.is_whole(table) for factor in self._factors))

    def stacked(self, table: Integers) -> Outline:
        """The outline with an array per integer, one entry per row."""
        cache: dict[int, Integers] = {}

        def column(index: int) -> Integers:
            key = id(self.forms[index])  # equal columns share their forms
            if key not in cache:
                cache[key] = self.leaf(index, table)
            return cache[key]

        indices = iter(range(len(self.columns)))
        return map_leaves(self.outline, lambda _: column(next(indices)))

    def program(self, table: Integers) -> TileProgram:
        """The program of arrays, trips and mask flags included."""
        outline = self.stacked(table)
        program = replace(outline.program, loops=())
        for number, (loop, nest) in enumerate(zip(outline.program.loops, outline.nests, strict=True)):
            counted = loop
            if nest is not None:
                found = counts(nest, outline.grid)
                seen = [(sample.values, sample.profiles[number]) for sample in self.samples]
                around = (program, program.loop_path(loop.parent))
                profile = fitted_profile(seen, nest[-1].step, found, around, table, self.sizes)
                counted = _counted(loop, found, profile)
            program = replace(program, loops=(*program.loops, counted))
        sampled = [sample.masked for sample in self.samples]
        accesses = tuple(
            replace(access, masked=_masks(access, program, [flags[i] for flags in sampled], len(table)))
            for i, access in enumerate(program.accesses)
        )
        return replace(program, accesses=accesses)

    def family(self, table: Integers) -> Family:
        """All rows as one family."""
        program = self.program(table)
        names = [name for name, _ in program.block]
        rows = np.stack([column for _, column in program.block], axis=1).tolist()
        return Family(program, tuple(tuple(zip(names, row, strict=True)) for row in rows))


def _counted(loop: Loop, found: Counts, profile: Profile | None) -> Loop:
    """A loop with its trips; the sum over all blocks is kept when it says more than the largest count."""
    most: Any = found.most
    total: Any = None if found.even else found.total
    return replace(loop, trips=most, total_trips=total, profile=profile)


def _all(table: Integers, answers: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    found = np.ones(len(table), dtype=bool)
    for answer in answers:
        found &= answer
    return found


def _block(names: Sequence[str], values: Sequence[int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def _sizes(launch: Launch, free: Sequence[str], program: TileProgram) -> Sizes:
    """Integers of the launch that a quotient may divide: scalars, constexprs and tensor extents."""
    fixed = [value for name, value in launch.constexprs.items() if name not in free]
    found = {v for v in (*launch.arguments.values(), *fixed) if isinstance(v, int) and not isinstance(v, bool)}
    for value in launch.arguments.values():
        if isinstance(value, (TensorArgument, DescriptorArgument)):
            found.update(value.shape)
    for tensor in program.tensors:
        found.update(tensor.shape)
    whole = {size for size in found if size > 1}
    shares = [v for v in fixed if isinstance(v, int) and v > 1]
    return Sizes(tuple(sorted(whole)), tuple(sorted({-(-size // share) for size in whole for share in shares} - whole)))


def _masks(access: Access, program: TileProgram, sampled: Sequence[tuple[bool, ...]], count: int) -> tuple[Any, ...]:
    """Mask flags: an axis that ends is cut where its last element lies beyond that; other flags are as sampled."""
    flags = []
    for axis in range(len(access.tile)):
        ends = access.bounds[axis].ends if access.bounds else ()
        cut = np.full(count, False)
        for end in ends:
            cut = cut | (last_element(access, axis, program, end) > 0)
        otherwise = all if ends else any  # masks without an end are taken over from the samples
        flags.append(np.broadcast_to(cut | otherwise(flag[axis] for flag in sampled), count))
    return tuple(flags)
