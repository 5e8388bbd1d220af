"""Where a box of cores may lie on an array with disabled cores, and the device as seen from the first core of a box."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from cpplan.device.device import Device, SpatialDim

Coordinate = tuple[int, ...]


class Box(NamedTuple):
    """Cores ``origin[i] <= c[i] < origin[i] + extents[i]``, in logical coordinates."""

    origin: Coordinate
    extents: Coordinate

    def __str__(self) -> str:
        size, first = "x".join(map(str, self.extents)), ",".join(map(str, self.origin))
        return f"{size}@{first}" if any(self.origin) else size

    def holds(self, other: Box) -> bool:
        """Whether ``other`` lies inside."""
        sides = zip(self.origin, self.extents, other.origin, other.extents, strict=True)
        return all(o <= p and p + m <= o + n for o, n, p, m in sides)

    def without(self, core: Coordinate) -> Iterator[Box]:
        """The largest boxes inside that leave out ``core``: below and above it along every dim."""
        if not self.holds(Box(core, (1,) * len(core))):
            yield self
            return
        for dim, at in enumerate(core):
            first, end = self.origin[dim], self.origin[dim] + self.extents[dim]
            for start, stop in ((first, at), (at + 1, end)):
                if start < stop:
                    origin = (*self.origin[:dim], start, *self.origin[dim + 1 :])
                    yield Box(origin, (*self.extents[:dim], stop - start, *self.extents[dim + 1 :]))


@lru_cache(maxsize=256)
def free_boxes(device: Device) -> tuple[Box, ...]:
    """All boxes of enabled cores that lie in no larger one, sorted; without disabled cores the whole array."""
    extents = tuple(dim.extent for dim in device.dims)
    boxes = [Box((0,) * len(extents), extents)]
    for core in device.disabled:
        pieces = {piece for box in boxes for piece in box.without(core)}
        boxes = [b for b in pieces if not any(other != b and other.holds(b) for other in pieces)]
    return tuple(sorted(boxes))


def most_cores(device: Device) -> int:
    """Cores of the largest free box, at least 1: no plan uses more."""
    return max((math.prod(box.extents) for box in free_boxes(device)), default=1)


@lru_cache(maxsize=1 << 14)
def origins(device: Device, active: Coordinate) -> tuple[Coordinate, ...]:
    """First cores that a box of ``active`` cores per dim may have: lower corners of free boxes that hold it, sorted.

    The corner of the whole array is written ``()``.
    """
    corners = {
        box.origin for box in free_boxes(device) if all(a <= n for a, n in zip(active, box.extents, strict=True))
    }
    return tuple(sorted(corner if any(corner) else () for corner in corners))


@lru_cache(maxsize=1 << 10)
def seen_from(device: Device, origin: Coordinate) -> Device:
    """``device`` with core ``origin`` as its first (``()``: as it is); routers and DRAM stay where they are."""
    if not any(origin):
        return device
    dims = tuple(
        SpatialDim(dim.name, dim.extent - o, dim.positions[o:]) for dim, o in zip(device.dims, origin, strict=True)
    )
    moved = (tuple(c - o for c, o in zip(core, origin, strict=True)) for core in device.disabled)
    kept = tuple(core for core in moved if min(core) >= 0)
    where = ",".join(map(str, origin))
    return replace(device, dims=dims, disabled=kept, fingerprint=f"{device.fingerprint}@{where}")
