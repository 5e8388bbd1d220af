"""Block formats that a device can compute with."""

from __future__ import annotations

from cpplan.device.device import Device
from cpplan.errors import InputError
from cpplan.tile.program import Problem
from cpplan.tile.stored import block_formats


def check_formats(problem: Problem, device: Device) -> None:
    """Raises :class:`~cpplan.errors.InputError` for a tensor in a block format that the device does not know.

    A device knows the formats for which its spec gives the matrix unit a fidelity.
    """
    known = dict(device.fidelity)
    for tensor, format_ in (item for family in problem.families for item in block_formats(family.stacked).items()):
        if format_ not in known:
            raise InputError(
                f"--format {tensor}={format_}: {device.name} does not compute with {format_}: its matrix unit has no "
                f"fidelity for it. Leave the option out, or add {format_} to fidelity of df.mat in the device's spec"
            )
