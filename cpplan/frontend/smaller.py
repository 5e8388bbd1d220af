"""Block shapes that nobody offered and that need less memory: what a launch that fits nowhere could use instead.

The launch is repeated with parameters halved and lowered again, so that every figure is Triton's, not a guess. A shape
counts only when its stores cover what the launch as given writes; where the grid does not follow the parameters by
itself, the grid that would is found as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from cpplan.errors import CpplanError, TileSizeError
from cpplan.frontend.build import block_of, build
from cpplan.frontend.free import extrapolation
from cpplan.frontend.launch import Launch
from cpplan.frontend.reach import stored_ends
from cpplan.tile.layout import tile_sizes
from cpplan.tile.program import Smaller, TileProgram

TRIED_TOGETHER = 4
"""Block shapes with several smaller parameters that are lowered; each was predicted to fit."""

Growth = Mapping[int, int]
"""Grid axis -> factor by which it has to grow."""


class Reader:
    """Reads a launch at its own and at other block parameters, also at tiles larger than Triton lowers."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch

    @cached_property
    def base(self) -> TileProgram:
        """The launch as given. Raises :class:`~cpplan.errors.KernelError` when it cannot be analysed."""
        return self._read(self.launch, dict(block_of(self.launch)))

    @cached_property
    def _forms(self) -> Callable[[Mapping[str, int]], TileProgram]:
        return extrapolation(self.launch)

    def _read(self, launch: Launch, parameters: Mapping[str, int]) -> TileProgram:
        try:
            return build(launch).program
        except TileSizeError:
            return self._forms(parameters)

    def covering(self, changed: Mapping[str, int], growth: Growth) -> Smaller | None:
        """The launch with ``changed`` parameters on a grid grown by ``growth``; None unless it writes the same."""
        program = self.base
        parameters = {**dict(program.block), **changed}
        try:
            again = replay(self.launch, parameters)
            x, y, z = (n * growth.get(axis, 1) for axis, n in enumerate(again.grid))
            other = self._read(replace(again, grid=(x, y, z)), parameters)
        except CpplanError:  # the author's host code, Triton or the analysis may refuse a shape: then there is none
            return None
        same = len(other.accesses) == len(program.accesses)
        if not same or stored_ends(other) != stored_ends(program):
            return None
        return Smaller(replace(other, block=tuple(parameters.items())), (x, y, z) if growth else None)


def replay(launch: Launch, parameters: Mapping[str, Any]) -> Launch:
    """``launch`` again with other ``parameters``; a plain replay would take an autotuner's first configuration."""
    assert launch.replay is not None
    tuned = {name: launch.constexprs.get(name, value) for name, value in launch.config}
    return launch.replay({**tuned, **parameters})


@dataclass(frozen=True)
class _Halved:
    """One parameter at a smaller value; ``axis`` is the grid axis that has to grow with it, if any."""

    value: int
    found: Smaller
    axis: int | None


def smaller_blocks(launch: Launch, limit: int) -> tuple[Smaller, ...]:
    """Programs of ``launch`` with power-of-two parameters halved, down to ones that take at most ``limit`` bytes.

    Every parameter is halved alone until that fits or no longer helps. When none is enough, several are halved
    together, as few times as possible.
    """
    reader = Reader(launch)
    base = reader.base
    powers = [(name, value) for name, value in base.block if value > 1 and value & (value - 1) == 0]
    alone = {name: list(_halvings(reader, name, value, limit)) for name, value in powers}
    found = [halved.found for tried in alone.values() for halved in tried]
    if not any(sum(tile_sizes(item.program)) <= limit for item in found):
        found += _together(reader, alone, limit)
    return tuple(found)


def _halvings(reader: Reader, name: str, value: int, limit: int) -> Iterator[_Halved]:
    """Parameter ``name`` at half its value, a quarter, ... until that fits; nothing when it does not help."""
    before, tried = sum(tile_sizes(reader.base)), value // 2
    axes: Sequence[int | None] = (None, 0, 1, 2)
    while tried and before > limit:
        for axis in axes:
            found = reader.covering({name: tried}, {} if axis is None else {axis: value // tried})
            if found is not None:
                break
        if found is None or sum(tile_sizes(found.program)) >= before:
            return
        yield _Halved(tried, found, axis)
        before, tried, axes = sum(tile_sizes(found.program)), tried // 2, (axis,)


def _together(reader: Reader, alone: Mapping[str, Sequence[_Halved]], limit: int) -> list[Smaller]:
    """The least halved combination that fits: predicted from the parameters alone, then read."""
    base, values = _named_sizes(reader.base), dict(reader.base.block)
    ranked: list[tuple[int, Fraction, int, dict[str, _Halved], dict[str, int]]] = []
    for picks in itertools.product(*([None, *tried] for tried in alone.values())):
        chosen = {name: pick for name, pick in zip(alone, picks, strict=True) if pick is not None}
        predicted = _predicted(base, [_named_sizes(pick.found.program) for pick in chosen.values()])
        if len(chosen) > 1 and predicted <= limit:
            ratios = {name: values[name] // pick.value for name, pick in chosen.items()}
            ranked.append((math.prod(ratios.values()), -predicted, len(ranked), chosen, ratios))
    for *_, chosen, ratios in sorted(ranked, key=lambda item: item[:3])[:TRIED_TOGETHER]:
        growth: dict[int, int] = {}
        for name, pick in chosen.items():
            if pick.axis is not None:
                growth[pick.axis] = growth.get(pick.axis, 1) * ratios[name]
        found = reader.covering({name: pick.value for name, pick in chosen.items()}, growth)
        if found is not None and sum(tile_sizes(found.program)) <= limit:
            return [found]
    return []


def _named_sizes(program: TileProgram) -> dict[str, int]:
    """Bytes of every tile and kept buffer by name."""
    names = [*(access.name for access in program.accesses), *(buffer.name for buffer in program.buffers)]
    return dict(zip(names, tile_sizes(program), strict=True))


def _predicted(base: Mapping[str, int], alone: Sequence[Mapping[str, int]]) -> Fraction:
    """Bytes when every change shrinks each tile by the share by which it shrinks it alone."""
    total = Fraction(0)
    for name, size in base.items():
        total += math.prod((Fraction(changed.get(name, 0), size) for changed in alone), start=Fraction(size))
    return total
