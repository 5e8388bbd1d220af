"""Lowered block shapes from which closed forms are read: powers of two, since Triton lowers no others.

Along every free parameter three samples are taken that differ in nothing else, each twice the one before (two where the
kernel refuses three), and a few mixtures that no form needs and that therefore check them.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpplan.errors import InputError, KernelError
from cpplan.frontend.build import build
from cpplan.frontend.conditions import Condition, watched
from cpplan.frontend.counts import Nest, counts
from cpplan.frontend.launch import Launch
from cpplan.frontend.scalars import Scalar
from cpplan.tile.family import leaves, skeleton
from cpplan.tile.program import Loop, Profile, TileProgram

START, SMALLEST, LARGEST = 32, 4, 512
"""Smallest sampled value of a parameter: 32, less where loops and dims would have too few steps to be seen as such, and
more where the kernel refuses 32."""

MOST_BASES = 60
"""Combinations of smallest values that are tried."""

FACTORS = (1, 2, 4)
"""Samples along a parameter, as multiples of its smallest one."""

MIXTURES = 3
"""Samples that serve as a check."""

Values = tuple[int, ...]


@dataclass(frozen=True)
class Outline:
    """What is fitted: all integers of a program but its mask flags, and of its loops the bounds instead of the trips
    where these are known as expressions; and the launch grid."""

    program: TileProgram
    grid: tuple[Any, Any, Any]
    nests: tuple[Nest | None, ...]


@dataclass(frozen=True)
class Sample:
    """A lowered block shape: the ``whole`` program and its outline, mask flags per access, and the conditions that were
    decided on the way. ``origins`` says where tiles begin, by the kernel's own arithmetic.

    ``fixed`` are the constexprs besides the free ones, which heuristics may have made; ``profiles`` are those of the
    loops, which the outline leaves out: block shapes at which trips happen to be the same have none.
    """

    values: Values
    whole: TileProgram
    outline: Outline
    masked: tuple[tuple[bool, ...], ...]
    conditions: tuple[Condition, ...]
    fixed: tuple[tuple[str, Any], ...]
    origins: tuple[Scalar | None, ...]
    profiles: tuple[Profile | None, ...]

    @property
    def shape(self) -> Hashable:
        """Equal for samples whose integers can be compared one by one."""
        return skeleton(self.outline)

    @property
    def leaves(self) -> tuple[int, ...]:
        """The integers, in a fixed order."""
        return tuple(int(leaf) for leaf in leaves(self.outline))


@dataclass(frozen=True)
class Refused:
    """A block shape that cannot be lowered, and the conditions that were decided until then."""

    values: Values
    error: InputError
    conditions: tuple[Condition, ...]


def sample_of(launch: Launch, free: Sequence[str], values: Values) -> Sample | Refused:
    """``launch`` lowered with its ``free`` parameters at ``values``."""
    assert launch.replay is not None
    with watched() as conditions:
        try:
            return lowered(launch.replay(dict(zip(free, values, strict=True))), free)
        except InputError as error:
            return Refused(values, error, tuple(conditions))


def lowered(launch: Launch, free: Sequence[str], fold: bool = False) -> Sample:
    """A launch as a sample. ``fold`` drops what is constant at its own block shape.

    Raises :class:`KernelError` when it cannot be lowered.
    """
    with watched() as conditions:
        built = build(launch, fold, expressions=True)
    program, nests = _without_counts(built.program, built.nests, launch.grid)
    masked = tuple(access.masked for access in program.accesses)
    program = replace(program, accesses=tuple(replace(access, masked=()) for access in program.accesses))
    fixed = tuple((name, value) for name, value in launch.constexprs.items() if name not in free)
    values, outline = tuple(launch.constexprs[name] for name in free), Outline(program, launch.grid, nests)
    profiles = tuple(loop.profile for loop in built.program.loops)
    return Sample(values, built.program, outline, masked, tuple(conditions), fixed, built.origins, profiles)


def _without_counts(
    program: TileProgram, nests: tuple[Nest | None, ...], grid: tuple[int, int, int]
) -> tuple[TileProgram, tuple[Nest | None, ...]]:
    """Loops without profiles, and without trips where their bounds say how often they run; bounds that say something
    else are not used."""
    kept, loops = [], []
    extents = [np.array([extent], dtype=np.int64) for extent in grid]
    for loop, nest in zip(program.loops, nests, strict=True):
        right = nest is not None and _counted(loop, nest, extents)
        kept.append(nest if right else None)
        plain = replace(loop, profile=None)
        loops.append(replace(plain, trips=0, total_trips=None) if right else plain)
    return replace(program, loops=tuple(loops)), tuple(kept)


def _counted(loop: Loop, nest: Nest, extents: Sequence[Any]) -> bool:
    found = counts(nest, extents)
    total = found.fewest != found.most
    return int(found.most[0]) == loop.trips and (not total[0] or int(found.total[0]) == loop.total_trips)


class Sampler:
    """Finds samples of one shape for the parameters ``free`` of ``launch``."""

    def __init__(self, launch: Launch, free: Sequence[str]) -> None:
        self.launch, self.free = launch, tuple(free)
        self.taken: dict[Values, Sample | Refused] = {}
        self.lines: list[tuple[Sample, ...]] = []

    @property
    def refused(self) -> list[Refused]:
        """Block shapes that the kernel refused so far."""
        return [item for item in self.taken.values() if isinstance(item, Refused)]

    def at(self, values: Values) -> Sample | Refused:
        """The sample at ``values``, lowered once."""
        if values not in self.taken:
            self.taken[values] = sample_of(self.launch, self.free, values)
        return self.taken[values]

    def samples(self) -> list[Sample]:
        """Samples along every parameter, kept in ``lines``, and mixtures; all of one shape.

        Raises :class:`KernelError` when there are none: the kernel refuses them, or its structure changes with them.
        """
        base = self._base()
        found = {sample.values: sample for line in self.lines for sample in line}
        for sample in self._mixtures(base):
            found.setdefault(sample.values, sample)
        return list(found.values())

    def _base(self) -> Values:
        """Smallest values of a set of lines; those closest to 32 in all parameters are tried first."""
        open_bases: list[tuple[int, int, Values]] = [(0, 0, (START,) * len(self.free))]
        seen, failing = {open_bases[0][2]}, 0
        while open_bases and len(seen) <= MOST_BASES:
            cost, _, base = heapq.heappop(open_bases)
            self.lines = []
            while len(self.lines) < len(self.free):
                line = self._line(base, len(self.lines))
                if line is None:
                    break
                self.lines.append(line)
            else:
                return base
            failing = len(self.lines)
            for more, other in self._neighbours(base, failing):
                if other not in seen:
                    seen.add(other)
                    heapq.heappush(open_bases, (cost + more, len(seen), other))
        raise self._failure(failing)

    def _neighbours(self, base: Values, failing: int) -> Iterator[tuple[int, Values]]:
        """Bases to try instead of one along which parameter ``failing`` has no line. Smaller values show more of the
        structure; larger ones show less and are only of use where the kernel refuses."""
        refused = any(isinstance(self.at(_times(base, self._scale(failing, f))), Refused) for f in FACTORS)
        for parameter, value in enumerate(base):
            cost = 1 if parameter == failing else 2
            if value > SMALLEST:
                yield cost, (*base[:parameter], value // 2, *base[parameter + 1 :])
            if value < LARGEST and refused and value >= START:
                yield cost, (*base[:parameter], value * 2, *base[parameter + 1 :])

    def _scale(self, parameter: int, factor: int) -> tuple[int, ...]:
        return tuple(factor if i == parameter else 1 for i in range(len(self.free)))

    def _line(self, base: Values, parameter: int) -> tuple[Sample, ...] | None:
        """Three samples along ``parameter``; where the kernel refuses one, the other parameters are larger. If it does
        so everywhere, two samples are enough."""
        others = itertools.product(FACTORS, repeat=len(self.free) - 1)
        pairs: list[tuple[Sample, ...]] = []
        for factors in sorted(others, key=lambda item: (math.prod(item), max(item, default=1))):
            scales = ((*factors[:parameter], factor, *factors[parameter:]) for factor in FACTORS)
            line = [self.at(_times(base, item)) for item in scales]
            accepted = tuple(sample for sample in line if isinstance(sample, Sample))
            if len({sample.shape for sample in (*accepted, *self._first)}) > 1:
                return None
            if len(accepted) == len(line):
                return accepted
            pairs += [accepted] if len(accepted) == len(line) - 1 else []
        return pairs[0] if pairs else None

    @property
    def _first(self) -> tuple[Sample, ...]:
        """A sample of the shape that all must have, once there is one."""
        return self.lines[0][:1] if self.lines else ()

    def _mixtures(self, base: Values) -> Iterator[Sample]:
        """A few samples away from the lines."""
        count = len(self.free)
        wanted = [tuple(b if i % 2 else a for i in range(count)) for a, b in ((2, 2), (4, 2), (4, 1))]
        tried = [*wanted, *itertools.product(FACTORS, repeat=count)]
        known = {sample.values for line in self.lines for sample in line}
        left, (first,) = MIXTURES, self._first
        for factors in dict.fromkeys(tried):  # without repeats
            values = _times(base, factors)
            if not left or len(self.taken) > 4 * count + 2 * MIXTURES:
                return
            sample = self.at(values) if values not in known else None
            if isinstance(sample, Sample) and sample.shape == first.shape:
                left -= 1
                yield sample

    def _failure(self, parameter: int) -> KernelError:
        name, kernel = self.free[parameter], self.launch.kernel
        accepted = any(isinstance(item, Sample) for item in self.taken.values())
        if not accepted:
            error = self.refused[0].error
            return KernelError(f"{error} (and so with every other value of {', '.join(self.free)} that was tried)")
        return KernelError(
            f"{self.launch.source}: the structure of {kernel} changes with {name} (loops, dims or accesses appear or "
            "vanish); give explicit values with --constexpr instead"
        )


def _times(base: Values, factors: Sequence[int]) -> Values:
    return tuple(value * factor for value, factor in zip(base, factors, strict=True))
