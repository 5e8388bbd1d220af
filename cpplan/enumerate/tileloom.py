"""TileLoom's published search rules, restricted to what its first version enumerates per block shape.

Every spatial dim is given whole to one parallel dim; spatial dims inside one parallel dim are permuted unless the
hardware links all of them; the wave loops take every order; at most one load is hoisted out of the innermost wave
loop, which it must not depend on; every load is read privately, or broadcast along one reusable axis, or along all of
them. Axes are the spatial dims along which the device can share. The rules reproduce the published candidate counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from cpplan.device.device import Device
from cpplan.tile.program import Access, TileProgram


@dataclass(frozen=True)
class Candidate:
    """One candidate: ``buckets`` lists per parallel dim the spatial dims it takes (outermost first)."""

    buckets: tuple[tuple[str, tuple[str, ...]], ...]
    order: tuple[str, ...]
    hoisted: str | None
    broadcast: tuple[tuple[str, tuple[str, ...]], ...]


def broadcast_axes(device: Device) -> tuple[str, ...]:
    """Spatial dims along which cores can share one read."""
    if device.multicast is not None:
        return tuple(d.name for d in device.dims)
    return device.forward.dims if device.forward is not None else ()


def candidates(program: TileProgram, device: Device) -> Iterator[Candidate]:
    """All candidates at the block shape of ``program``."""
    axes = broadcast_axes(device)
    for buckets in _buckets(program, device, permute=len(axes) < len(device.dims)):
        for order in itertools.permutations(d.name for d in program.dims):
            loads = list(program.loads())
            patterns = [_patterns(access, buckets, axes) for access in loads]
            for hoisted in _hoists(order, loads):
                for chosen in itertools.product(*patterns):
                    broadcast = tuple((a.name, axes_of) for a, axes_of in zip(loads, chosen, strict=True))
                    yield Candidate(buckets, order, hoisted, broadcast)


def _buckets(program: TileProgram, device: Device, permute: bool) -> Iterator[tuple[tuple[str, tuple[str, ...]], ...]]:
    """Every assignment of spatial dims to parallel dims, with the orders inside a bucket when they count."""
    names = [d.name for d in program.dims]
    for owners in itertools.product(names, repeat=len(device.dims)):
        members = [[s.name for s, owner in zip(device.dims, owners, strict=True) if owner == name] for name in names]
        arranged = [list(itertools.permutations(m)) if permute else [tuple(m)] for m in members]
        for choice in itertools.product(*arranged):
            yield tuple(zip(names, choice, strict=True))


def _hoists(order: tuple[str, ...], loads: list[Access]) -> list[str | None]:
    """Nothing, or one load that does not depend on the innermost of at least two wave loops."""
    free = [a.name for a in loads if order[-1] not in a.indices] if len(order) > 1 else []
    return [None, *free]


def _patterns(
    access: Access, buckets: tuple[tuple[str, tuple[str, ...]], ...], axes: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """Private, one reusable axis, or all of them together."""
    reusable = tuple(s for dim, taken in buckets if dim not in access.indices for s in taken if s in axes)
    together = [reusable] if len(reusable) > 1 else []
    return [(), *((axis,) for axis in reusable), *together]
