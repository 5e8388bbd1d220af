"""The chip that a device is a part of, and where its cores are on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from cpplan.device.device import Device
from cpplan.emit_ttmetal.program import Arch, Core
from cpplan.errors import ScheduleError
from cpplan.schedule.schedule import Coordinate

POSITIONS: Mapping[Arch, tuple[tuple[int, ...], tuple[int, ...]]] = MappingProxyType(
    {
        "wormhole": ((1, 2, 3, 4, 6, 7, 8, 9), (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)),
        "blackhole": ((1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16), (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
    }
)
"""NoC 0 positions of the columns and rows of cores (source: the chips' soc descriptors; df specs have the same)."""


def arch_of(device: Device) -> Arch:
    """The chip's architecture; raises :class:`~cpplan.errors.ScheduleError` for devices without TT-Metalium."""
    for arch in POSITIONS:
        if device.name.startswith(arch) and len(device.dims) == 2:
            return arch
    raise ScheduleError(
        f"{device.name} runs no TT-Metalium programs: they are made for devices of the names wormhole... and "
        "blackhole..., with cores in rows and columns"
    )


def logical_cores(device: Device, cores: Iterable[Coordinate]) -> dict[Coordinate, Core]:
    """The (x, y) that the vendor's host library calls each core of ``device``."""
    columns, rows = POSITIONS[arch_of(device)]
    out = {}
    for core in cores:
        x, y = (dim.positions[index] for dim, index in zip(device.dims, core, strict=True))
        if x not in columns or y not in rows:
            raise ScheduleError(
                f"{device.name} has a core at NoC position ({x}, {y}), where {arch_of(device)} has none: its "
                "spec gives other positions than the chip's"
            )
        out[core] = (columns.index(x), rows.index(y))
    return out
