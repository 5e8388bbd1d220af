"""Free block-shape parameters: every multiple of the hardware tile is a candidate, made from closed forms.

Triton lowers powers of two only. A few power-of-two samples are lowered; every integer of the program is recognised as
a closed form of the parameters, checked on samples that did not take part, and evaluated for all candidates at once.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cpplan.errors import InputError, KernelError
from cpplan.frontend.allowed import Verdict, verdicts
from cpplan.frontend.build import block_of
from cpplan.frontend.checked import doubt_about
from cpplan.frontend.fitted import Fitted, Grid
from cpplan.frontend.forms import Integers
from cpplan.frontend.launch import Launch
from cpplan.frontend.reach import leaves_tensors, overlapping_stores, stored_ends
from cpplan.frontend.samples import Outline, Sample, Sampler, Values
from cpplan.tile.family import candidate_program
from cpplan.tile.layout import tile_sizes
from cpplan.tile.program import HARDWARE_TILE, Access, Family, TileProgram

MAX_CANDIDATES = 300_000
"""More candidates than this are refused: they would not fit in memory as arrays."""

MORE_SAMPLES = 4
"""Samples that are added where the first ones leave two readings of an integer."""

LAUNCHES = 4
"""Block shapes that are no powers of two at which the launch is repeated for its grid."""


def free_family(launch: Launch, free: Sequence[str], sram_limit: int | None = None) -> Family:
    """All candidates of ``launch`` with the parameters ``free`` running over multiples of 32.

    A parameter ends at the padded extent of the axis that it tiles. Left out are candidates whose tiles and buffers,
    each held once and padded to hardware tiles, exceed ``sram_limit`` bytes (all but the smallest one); that the kernel
    asserts not to be given, or for which it is compiled along another branch; that would leave a tensor without a mask;
    that write less than the launch does; and whose blocks would write the same elements.

    Raises :class:`KernelError` when an integer of the program has no unambiguous closed form, or when nothing is left.
    """
    return _Search(launch, tuple(dict.fromkeys(free))).family(sram_limit)


def extrapolation(launch: Launch) -> Callable[[Mapping[str, int]], TileProgram]:
    """The program of ``launch`` at any power-of-two block parameters, from closed forms.

    For tiles larger than Triton lowers. Raises :class:`KernelError` when there is no unambiguous closed form.
    """
    names = tuple(name for name, value in block_of(launch) if value > 1 and value & (value - 1) == 0)
    fitted = Fitted(launch, names, Sampler(launch, names).samples())

    def at(parameters: Mapping[str, int]) -> TileProgram:
        table = np.array([[parameters[name] for name in names]], dtype=np.int64)
        return candidate_program(fitted.family(table), 0)

    return at


def integer_constexprs(launch: Launch) -> list[str]:
    """The parameters of a launch that may be free."""
    return [n for n, v in launch.constexprs.items() if isinstance(v, int) and not isinstance(v, bool)]


class _Search:
    """The candidates of one launch: all that fit, without those that the kernel does not take."""

    def __init__(self, launch: Launch, free: tuple[str, ...]) -> None:
        self.launch, self.free = launch, free
        self.sampler = Sampler(launch, free)
        samples = self.sampler.samples()
        shapes = ([32 * (3 + 2 * ((i + j) % 5)) for i in range(len(free))] for j in range(LAUNCHES))
        self.fitted = Fitted(launch, free, samples, dict(self._launched(map(tuple, shapes))))
        self.left_out: dict[str, int] = {}

    def _launched(self, shapes: Iterable[Values]) -> Iterator[tuple[Values, Grid]]:
        """Grids of the launch at more block shapes, as far as host code makes them."""
        assert self.launch.replay is not None
        for values in shapes:
            with contextlib.suppress(InputError):
                yield values, self.launch.replay(dict(zip(self.free, values, strict=True))).grid

    def family(self, sram_limit: int | None) -> Family:
        table = self._fitting(sram_limit)
        self._settle(table)
        table = self._sifted(table, [("an integer of the program would be a fraction", self.fitted.is_whole(table))])
        table = self._sifted(table, verdicts(self.fitted, self.sampler.refused, table))
        table = self._sifted(table, self._misfits(table))
        for _ in range(len(self.free) * len(bin(int(table.max())))):  # every doubt halves or settles a parameter
            doubt = doubt_about(table, self.fitted, self.sampler)
            if doubt is None:
                break
            table = self._sifted(table, [doubt])
        if np.array_equal(table, self._own) and any(self.left_out.values()):
            logging.getLogger(__name__).warning("%s", self._nothing_left("no other"))
        return self.fitted.family(table)

    # -- all that fit --------------------------------------------------------------------------------------------------

    def _fitting(self, sram_limit: int | None) -> Integers:
        """Multiples of 32 whose tiles fit, parameter by parameter: bytes never shrink when one grows, so rows may be
        dropped while later parameters still have their smallest value. If none fits, the smallest, for the solver to
        say why."""
        table: Integers = np.full((1, len(self.free)), HARDWARE_TILE, dtype=np.int64)
        for position in range(len(self.free)):
            values = np.arange(HARDWARE_TILE, self._largest(position) + 1, HARDWARE_TILE)
            rows = np.repeat(table, len(values), axis=0)
            rows[:, position] = np.tile(values, len(table))
            fits = rows if sram_limit is None else rows[self._bytes(rows) <= sram_limit]
            table = fits if len(fits) else rows[:1]
            if len(table) > MAX_CANDIDATES:
                raise InputError(
                    f"more than {MAX_CANDIDATES:,} block shapes of {self.launch.kernel} are candidates; name a device "
                    "(its memory leaves most of them out) or fix some parameters with --constexpr"
                )
        return table

    def _largest(self, parameter: int) -> int:
        """Padded extent of the axis that the parameter tiles; the samples along it show which."""
        smaller, larger = (sample.outline.program for sample in self.sampler.lines[parameter][:2])
        extents = [
            min([smaller.tensor(access.tensor).shape[axis], *_constant_ends(access, axis)])
            for access, other in zip(smaller.accesses, larger.accesses, strict=True)
            for axis in range(len(access.tile))
            if access.tensor and access.tile[axis] != other.tile[axis]
        ]
        if not extents:
            raise InputError(
                f"{self.launch.source}: {self.free[parameter]} cannot be free: no tile of {self.launch.kernel} grows "
                "with it, so that it is no block size; give values with --constexpr instead"
            )
        return -(-max(extents) // HARDWARE_TILE) * HARDWARE_TILE

    def _bytes(self, table: Integers) -> Integers:
        """Bytes of all tiles and buffers, each held once."""
        return np.broadcast_to(sum(tile_sizes(self.fitted.stacked(table).program)), len(table))

    def _settle(self, table: Integers) -> None:
        """A few more samples among the candidates, and launches, where there are two readings of an integer."""
        for _ in range(MORE_SAMPLES):
            open_rows = [tuple(row) for row in self.fitted.undecided(table, grid=True)[:1].tolist()]
            if open_rows and open_rows[0] not in self.fitted.grids:
                self.fitted = self.fitted.with_samples(grids=dict(self._launched(open_rows)))
        for _ in range(MORE_SAMPLES):
            rows = (tuple(row) for row in self.fitted.undecided(table, grid=False).tolist())
            row = next((r for r in rows if r not in self.sampler.taken and not any(n & (n - 1) for n in r)), None)
            if row is None:
                return
            sample = self.sampler.at(row)
            if isinstance(sample, Sample) and sample.shape == self.fitted.samples[0].shape:
                self.fitted = self.fitted.with_samples([sample])

    # -- all that the kernel takes -------------------------------------------------------------------------------------

    def _sifted(self, table: Integers, verdicts: Iterable[Verdict]) -> Integers:
        """Rows that stay by every verdict."""
        keep = np.ones(len(table), dtype=bool)
        for reason, stays in verdicts:
            self.left_out[reason] = self.left_out.get(reason, 0) + int((~stays).sum())
            keep &= stays
        if not keep.any():
            raise self._nothing_left("no")
        return table[keep]

    def _misfits(self, table: Integers) -> Iterator[Verdict]:
        """Block shapes that would read outside of tensors, write less than the launch, or write twice."""
        program, given = self.fitted.program(table), self.fitted.program(self._own)
        none = np.zeros(len(table), dtype=bool)
        if all(_blocks(sample.outline) == math.prod(sample.outline.grid) for sample in self.fitted.samples):
            outline = self.fitted.stacked(table)
            yield (
                "the launch grid would not be that of all blocks",
                none | (_blocks(outline) == math.prod(outline.grid)),
            )
        yield "without a mask the kernel would run past the end of a tensor", ~(none | leaves_tensors(program))
        grid = self.launch.grid
        stores = [access for access in program.accesses if access.kind != "load" and access.tensor]
        for store, ends, wanted in zip(stores, stored_ends(program), stored_ends(given), strict=True):
            for axis, (end, full) in enumerate(zip(ends, wanted, strict=True)):
                reason = f"not all of {store.tensor} would be written along axis {axis} by the launch grid {grid}"
                yield reason, none | (end == full)
        twice = none.copy()
        for overlaps, before in zip(overlapping_stores(program), overlapping_stores(given), strict=True):
            twice |= overlaps & ~np.bool_(before)
        yield "several blocks would write the same elements", ~twice

    @property
    def _own(self) -> Integers:
        """The block shape of the launch as it is."""
        return np.array([[self.launch.constexprs[name] for name in self.free]], dtype=np.int64)

    def _nothing_left(self, how_many: str) -> KernelError:
        reasons = "; ".join(f"{reason} ({count:,} shapes)" for reason, count in self.left_out.items() if count)
        shapes = f"{how_many} block shape with multiples of {HARDWARE_TILE} for {', '.join(self.free)}"
        return KernelError(f"{self.launch.source}: {self.launch.kernel} takes {shapes}: {reasons or 'none other fits'}")


def _blocks(outline: Outline) -> Any:
    """Blocks of the program."""
    return math.prod(dim.extent for dim in outline.program.dims)


def _constant_ends(access: Access, axis: int) -> list[int]:
    ends = access.bounds[axis].ends if access.bounds else ()
    return [int(end.const) for end in ends if not end.terms]
