"""Free block-shape parameters: every multiple of the hardware tile is a candidate, made from closed forms.

Triton lowers powers of two only. A few power-of-two samples are lowered; every integer of the program is recognised as
a closed form of the parameters, checked on samples that did not take part, and evaluated for all candidates at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.errors import InputError, KernelError
from cpplan.frontend.build import Limits, block_of, build
from cpplan.frontend.forms import Form, Integers, matching_forms
from cpplan.frontend.launch import DescriptorArgument, Launch, TensorArgument
from cpplan.tile.family import candidate_program, leaves, map_leaves, skeleton
from cpplan.tile.layout import tile_sizes
from cpplan.tile.program import HARDWARE_TILE, Access, Family, TileProgram

MAX_CANDIDATES = 300_000
"""More candidates than this are refused: they would not fit in memory as arrays."""

LARGEST_BASE, SMALLEST_BASE = 32, 4
"""Smallest sampled value of a parameter: 32 unless the sizes of the launch ask for less."""


@dataclass(frozen=True)
class Sample:
    """A lowered block shape: its program without mask flags, its mask limits and flags per access, and ``leaves``, the
    integers of the program followed by the limits."""

    values: tuple[int, ...]
    program: TileProgram
    limits: tuple[Limits, ...]
    masked: tuple[tuple[bool, ...], ...]
    leaves: tuple[int, ...]


def free_family(launch: Launch, free: Sequence[str], sram_limit: int | None = None) -> Family:
    """All candidates of ``launch`` with the parameters ``free`` running over multiples of 32.

    A parameter ends at the padded extent of the axis that it tiles. Candidates whose tiles and buffers, each held once
    and padded to hardware tiles, exceed ``sram_limit`` bytes are left out (all but the smallest one), as are those that
    would leave a tensor without a mask. Raises :class:`KernelError` when an integer of the program has no unambiguous
    closed form.
    """
    free = tuple(dict.fromkeys(free))
    samples = _Sampler(launch, free).samples()
    fitted = _Fitted(launch, free, samples)
    _check_coverage(launch, samples)
    return fitted.family(fitted.candidates(sram_limit))


def extrapolation(launch: Launch) -> Callable[[Mapping[str, int]], tuple[TileProgram, tuple[Limits, ...]]]:
    """Program and mask limits of ``launch`` at any power-of-two block parameters, from closed forms.

    For tiles larger than Triton lowers. Raises :class:`KernelError` when there is no unambiguous closed form.
    """
    names = tuple(name for name, value in block_of(launch) if value > 1 and value & (value - 1) == 0)
    fitted = _Fitted(launch, names, _Sampler(launch, names).samples())

    def at(parameters: Mapping[str, int]) -> tuple[TileProgram, tuple[Limits, ...]]:
        table = np.array([[parameters[name] for name in names]], dtype=np.int64)
        _, limits = fitted.stacked(table)
        plain = tuple(tuple(None if n is None else int(n[0]) for n in limit) for limit in limits)
        return candidate_program(fitted.family(table), 0), plain

    return at


def integer_constexprs(launch: Launch) -> list[str]:
    """The parameters of a launch that may be free."""
    return [n for n, v in launch.constexprs.items() if isinstance(v, int) and not isinstance(v, bool)]


def _check_coverage(launch: Launch, samples: list[Sample]) -> None:
    """The grid must follow the free parameters: every sample stores as much of its outputs as the launch itself."""
    given = build(launch, fold=False)
    wanted = stored_ends(given.program, given.limits)
    if any(stored_ends(sample.program, sample.limits) != wanted for sample in samples):
        raise InputError(
            f"{launch.source}: the grid {launch.grid} of {launch.kernel} does not follow the free parameters; launch "
            "it on a function of them, such as kernel[lambda meta: (triton.cdiv(m, meta['BLOCK_M']),)](...)"
        )


def stored_ends(program: TileProgram, limits: tuple[Limits, ...]) -> list[tuple[int, ...]]:
    """Per store and axis, one past the last index that is written."""
    ends = []
    for access, limit in zip(program.accesses, limits, strict=True):
        if access.kind != "load" and access.tensor:
            cuts = [n or extent for n, extent in zip(limit, program.tensor(access.tensor).shape, strict=True)]
            axes = range(len(access.tile))
            ends.append(tuple(min(int(_last_element(access, axis, program)), cuts[axis]) for axis in axes))
    return ends


class _Sampler:
    """Lowers power-of-two block shapes, starting small enough that loops and dims keep at least two steps."""

    def __init__(self, launch: Launch, free: tuple[str, ...]) -> None:
        self.launch, self.free = launch, free
        self.base = [LARGEST_BASE] * len(free)
        self.taken: dict[tuple[int, ...], Sample] = {}

    def samples(self) -> list[Sample]:
        """Samples of one skeleton: all small, one parameter at 2x and 4x at a time, then mixtures, which no fit needs
        and which therefore check it."""
        while not self._settled():
            pass
        count = len(self.free)
        singles = [self._single(p, factor) for p in range(count) for factor in (2, 4)]
        points = [self._scaled(*([1] * count)), *singles, self._scaled(*([2] * count))]
        if count > 1:
            points += [self._scaled(*(4 if i % 2 else 2 for i in range(count)))]
            points += [self._scaled(*(1 if i % 2 else 4 for i in range(count)))]
        samples = [self._sample(values) for values in points]
        if len({_shape_of(sample) for sample in samples}) != 1:
            raise self._unsteady(", ".join(self.free))
        return samples

    def _settled(self) -> bool:
        """Whether each parameter can grow by 4 without a change of skeleton; if not, its smallest sample is halved."""
        steady = _shape_of(self._sample(self._scaled(*([1] * len(self.free)))))
        for position, name in enumerate(self.free):
            if _shape_of(self._sample(self._single(position, 4))) != steady:
                if self.base[position] == SMALLEST_BASE:
                    raise self._unsteady(name)
                self.base[position] //= 2
                return False
        return True

    def _unsteady(self, names: str) -> KernelError:
        return KernelError(
            f"{self.launch.source}: the structure of {self.launch.kernel} changes with {names} (loops or dims appear "
            "or vanish); give explicit values with --constexpr instead"
        )

    def _scaled(self, *factors: int) -> tuple[int, ...]:
        return tuple(base * factor for base, factor in zip(self.base, factors, strict=True))

    def _single(self, position: int, factor: int) -> tuple[int, ...]:
        return self._scaled(*(factor if i == position else 1 for i in range(len(self.free))))

    def _sample(self, values: tuple[int, ...]) -> Sample:
        if values not in self.taken:
            self.taken[values] = _sample(self.launch, self.free, values)
        return self.taken[values]


def _shape_of(sample: Sample) -> Hashable:
    return skeleton(sample.program), len(sample.leaves)


def _sample(launch: Launch, free: Sequence[str], values: tuple[int, ...]) -> Sample:
    assert launch.replay is not None
    built = build(launch.replay(dict(zip(free, values, strict=True))), fold=False)
    limits = [limit for item in built.limits for limit in item if limit is not None]
    program = replace(built.program, accesses=tuple(replace(a, masked=()) for a in built.program.accesses))
    masked = tuple(a.masked for a in built.program.accesses)
    integers = (*(int(leaf) for leaf in leaves(program)), *limits)
    return Sample(values, program, built.limits, masked, integers)


class _Fitted:
    """Closed forms of all leaves, and what follows from them for any table of candidates."""

    def __init__(self, launch: Launch, free: tuple[str, ...], samples: list[Sample]) -> None:
        self.launch, self.free, self.samples = launch, free, samples
        self.program, self.limits = samples[0].program, samples[0].limits
        self.points = np.array([s.values for s in samples], dtype=np.int64)
        self.sizes = sorted(_sizes(launch, self.program))
        self.columns = np.array([s.leaves for s in samples], dtype=np.int64).T
        doubled = [samples[1 + 2 * p].program.dims for p in range(len(free))]
        parallel = {p for p, dims in enumerate(doubled) if dims != self.program.dims}
        self.forms: dict[bytes, list[Form]] = {}
        for column in self.columns:
            if column.tobytes() not in self.forms:
                self.forms[column.tobytes()] = matching_forms(column, self.points, self.sizes, parallel)
        self.count = sum(1 for _ in leaves(self.program))
        self._explain_missing()

    def _explain_missing(self) -> None:
        for column in self.columns:
            if not self.forms[column.tobytes()]:
                shown = ", ".join(
                    f"{'x'.join(map(str, s.values))}: {n}" for s, n in zip(self.samples[:4], column, strict=False)
                )
                raise KernelError(
                    f"{self.launch.source}: an integer of {self.launch.kernel} is no closed form of "
                    f"{', '.join(self.free)} ({shown}, ...); give explicit values with --constexpr instead"
                )

    def leaf(self, index: int, table: Integers) -> Integers:
        """Leaf ``index`` for every candidate; all forms that explain the samples must agree."""
        forms = self.forms[self.columns[index].tobytes()]
        values = forms[0].at(table)
        for other in forms[1:]:
            differs = np.flatnonzero(other.at(table) != values)
            if differs.size:
                block = ", ".join(f"{n}={v}" for n, v in zip(self.free, table[differs[0]], strict=True))
                raise KernelError(
                    f"{self.launch.source}: an integer of {self.launch.kernel} has two readings ({forms[0]} and "
                    f"{other}) that differ at {block}; give explicit values with --constexpr instead"
                )
        return values

    def _leaves_at(self, table: Integers) -> Callable[[int], Integers]:
        """:meth:`leaf` at ``table``, computed once per distinct leaf."""
        cache: dict[bytes, Integers] = {}

        def column(index: int) -> Integers:
            key = self.columns[index].tobytes()
            if key not in cache:
                cache[key] = self.leaf(index, table)
            return cache[key]

        return column

    def stacked(self, table: Integers) -> tuple[TileProgram, list[tuple[Any, ...]]]:
        """The program of arrays (without mask flags) and the mask limits of each access."""
        column = self._leaves_at(table)
        indices = iter(range(len(self.columns)))
        program = map_leaves(self.program, lambda _: column(next(indices)))
        limits = [tuple(None if n is None else column(next(indices)) for n in item) for item in self.limits]
        return program, limits

    # -- candidates ----------------------------------------------------------------------------------------------------

    def candidates(self, sram_limit: int | None) -> Integers:
        """(candidates x parameters) table of block shapes that stay inside the tensors and fit."""
        table: Integers = np.full((1, len(self.free)), HARDWARE_TILE, dtype=np.int64)
        for position in range(len(self.free)):
            table = self._fitting(self._with_all_values(table, position), sram_limit)
            if len(table) > MAX_CANDIDATES:
                raise InputError(
                    f"more than {MAX_CANDIDATES:,} block shapes of {self.launch.kernel} are candidates; name a device "
                    "(its memory leaves most of them out) or fix some parameters with --constexpr"
                )
        program, limits = self.stacked(table)
        return table[~_leaves_tensors(program, limits)]

    def _with_all_values(self, table: Integers, position: int) -> Integers:
        """Each row once per value of parameter ``position``."""
        values = np.arange(HARDWARE_TILE, self._largest(position) + 1, HARDWARE_TILE)
        rows = np.repeat(table, len(values), axis=0)
        rows[:, position] = np.tile(values, len(table))
        return rows

    def _fitting(self, table: Integers, sram_limit: int | None) -> Integers:
        """Rows that fit, or the smallest, for the solver to say why it does not. Bytes never shrink when a parameter
        grows, so rows may be dropped while later parameters still have their smallest value."""
        fits = table if sram_limit is None else table[self._bytes(table) <= sram_limit]
        return fits if len(fits) else table[:1]

    def _largest(self, parameter: int) -> int:
        """Padded extent of the axis that the parameter tiles alone; the sample with it doubled shows which."""
        doubled, extents = self.samples[1 + 2 * parameter], []
        pairs = zip(self.program.accesses, doubled.program.accesses, self.limits, strict=True)
        for access, other, limits in pairs:
            shape = self.program.tensor(access.tensor).shape if access.tensor else ()
            for axis, extent in enumerate(shape):
                if access.tile[axis] != other.tile[axis]:
                    extents.append(limits[axis] or extent)
        if not extents:
            raise InputError(f"free parameter {self.free[parameter]}: no access of {self.launch.kernel} is tiled by it")
        return -(-max(extents) // HARDWARE_TILE) * HARDWARE_TILE

    def _bytes(self, table: Integers) -> Integers:
        """Bytes of all tiles and buffers, each held once."""
        numbers = iter(range(self.count))
        numbered = map_leaves(self.program, lambda _: next(numbers))
        sized = replace(
            numbered,
            dims=(),
            loops=(),
            accesses=tuple(replace(a, starts=()) for a in numbered.accesses),
            ops=tuple(replace(op, attributes=(), operand_shapes=()) for op in numbered.ops),
            block=(),
        )
        total = np.zeros(len(table), dtype=np.int64)
        for size in tile_sizes(map_leaves(sized, self._leaves_at(table))):
            total += size
        return total

    def family(self, table: Integers) -> Family:
        """The stacked family, mask flags included."""
        program, limits = self.stacked(table)
        sampled = [s.masked for s in self.samples]
        accesses = tuple(
            replace(access, masked=_masks(access, limit, program, [m[i] for m in sampled], len(table)))
            for i, (access, limit) in enumerate(zip(program.accesses, limits, strict=True))
        )
        names = [name for name, _ in program.block]
        rows = np.stack([column for _, column in program.block], axis=1).tolist()
        blocks = tuple(tuple(zip(names, row, strict=True)) for row in rows)
        return Family(replace(program, accesses=accesses), blocks)


def _sizes(launch: Launch, program: TileProgram) -> set[int]:
    """Integers of the launch that a quotient may divide: scalars and tensor extents."""
    found = {v for v in launch.arguments.values() if isinstance(v, int) and not isinstance(v, bool)}
    for value in launch.arguments.values():
        if isinstance(value, (TensorArgument, DescriptorArgument)):
            found.update(value.shape)
    for tensor in program.tensors:
        found.update(tensor.shape)
    return {size for size in found if size > 1}


def _last_element(access: Access, axis: int, program: TileProgram) -> Integers:
    """One past the last index that any block or trip touches on ``axis``."""
    extents = {dim.name: dim.extent for dim in program.dims} | {loop.name: loop.trips for loop in program.loops}
    end: Integers = np.asarray(access.starts[axis].const) + np.asarray(access.tile[axis])
    for name, coefficient in access.starts[axis].terms:
        end = end + np.maximum(coefficient, 0) * (np.asarray(extents[name]) - 1)
    return end


def _leaves_tensors(program: TileProgram, limits: list[tuple[Any, ...]]) -> NDArray[np.bool_]:
    """Candidates for which an unmasked axis runs past the tensor: the kernel would read or write outside it."""
    outside: NDArray[np.bool_] = np.zeros(len(program.block[0][1]), dtype=bool)  # type: ignore[arg-type]
    for access, limit in zip(program.accesses, limits, strict=True):
        if access.klass == "opaque" or not access.tensor:
            continue
        for axis, extent in enumerate(program.tensor(access.tensor).shape):
            if limit[axis] is None:
                outside |= _last_element(access, axis, program) > extent
    return outside


def _masks(
    access: Access, limits: tuple[Any, ...], program: TileProgram, sampled: list[tuple[bool, ...]], count: int
) -> tuple[Any, ...]:
    """Mask flags: an axis with a limit is cut where its last element lies beyond it; other flags are as sampled."""
    flags = []
    for axis, limit in enumerate(limits):
        cut = np.full(count, False) if limit is None else _last_element(access, axis, program) > limit
        otherwise = any if limit is None else all  # masks without a limit are taken over from the samples
        flags.append(np.broadcast_to(cut | otherwise(sample[axis] for sample in sampled), count))
    return tuple(flags)
