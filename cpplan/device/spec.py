"""Load a device by name or path: ``load_device("wormhole", cores="4x8@0,2", derate=["dram=0.7"])``."""

from __future__ import annotations

from collections.abc import Sequence

from cpplan.device import restrict
from cpplan.device.device import Device
from cpplan.device.read import device_of, with_fingerprint
from cpplan.device.rules import findings_of
from cpplan.device.source import load, shipped
from cpplan.errors import SpecError

__all__ = ["list_devices", "load_device"]


def load_device(
    name_or_path: str, *, cores: str | None = None, disable: Sequence[str] = (), derate: Sequence[str] = ()
) -> Device:
    """The device that a shipped spec (by name) or a ``.mlir`` file (by path) describes.

    ``disable`` lists faulty cores ``"x,y"`` in coordinates of the whole array, ``cores`` then takes the sub-mesh
    ``"4x8@0,2"`` (extents @ offset), ``derate`` slows ``"dram=0.7"`` or ``"noc=0.5"``. Loading never executes code.

    Raises SpecError: unknown name, malformed file (file:line:column), contradictory spec, cut that does not fit.
    """
    spec = load(name_or_path)
    device = device_of(spec)
    findings = findings_of(spec, device)
    if findings:
        raise SpecError("\n".join(str(finding) for finding in findings))
    device = restrict.disable(device, disable)
    if cores is not None:
        device = restrict.cut(device, cores)
        if not restrict.enabled_cores(device):
            raise SpecError(f"--cores {cores}: every core of this part of {name_or_path} is disabled")
    return with_fingerprint(restrict.derate(device, derate))


def list_devices() -> tuple[str, ...]:
    """Names of the shipped specs, sorted."""
    return tuple(shipped())
