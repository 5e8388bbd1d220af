"""A part of a device, or a slower one: sub-meshes, faulty cores, background traffic. Pure functions on Device."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from cpplan.device.device import Device, SpatialDim, Transfer
from cpplan.device.exact import format_exact
from cpplan.errors import SpecError

NAMED = 4
"""Disabled cores that the name of a device lists; of more it says how many."""
CUT = re.compile(r"(\d+(?:x\d+)*)(?:@(\d+(?:,\d+)*))?")


def cut(device: Device, cores: str) -> Device:
    """The sub-mesh ``4x8@0,2``: extents per spatial dim, then the offset of its first core (default all 0).

    Routers and DRAM stay where they are; only the set of cores that plans may use shrinks.
    """
    match = CUT.fullmatch(cores)
    rank = len(device.dims)
    if match is None:
        raise SpecError(f"--cores {cores}: write extents and an offset, such as {_example(rank)}")
    extents = tuple(map(int, match[1].split("x")))
    offsets = tuple(map(int, match[2].split(","))) if match[2] else (0,) * len(extents)
    if len(extents) != rank or len(offsets) != rank:
        raise SpecError(f"--cores {cores}: {device.name} has {rank} spatial dims; write it like {_example(rank)}")
    dims = tuple(_slice(device, d, n, o, cores) for d, n, o in zip(device.dims, extents, offsets, strict=True))
    inside = (tuple(c - o for c, o in zip(core, offsets, strict=True)) for core in device.disabled)
    kept = tuple(c for c in inside if all(0 <= i < n for i, n in zip(c, extents, strict=True)))
    return replace(device, name=f"{device.name}[{cores}]", dims=dims, disabled=kept)


def _example(rank: int) -> str:
    return "x".join(["4"] * rank) + "@" + ",".join(["0"] * rank)


def _slice(device: Device, dim: SpatialDim, extent: int, offset: int, cores: str) -> SpatialDim:
    if extent < 1 or offset + extent > dim.extent:
        raise SpecError(
            f"--cores {cores}: {extent} cores from {offset} on do not fit in the {dim.extent} of "
            f"dim {dim.name} of {device.name}"
        )
    return SpatialDim(dim.name, extent, dim.positions[offset : offset + extent])


def disable(device: Device, cores: Sequence[str]) -> Device:
    """Mark cores ``x,y`` (logical coordinates of ``device``) as out of use; the device's name says so."""
    marked = set(device.disabled)
    for text in cores:
        core = tuple(map(int, text.split(","))) if re.fullmatch(r"\d+(,\d+)*", text) else ()
        if len(core) != len(device.dims) or any(i >= d.extent for i, d in zip(core, device.dims, strict=True)):
            box = ",".join(f"0..{dim.extent - 1}" for dim in device.dims)
            raise SpecError(f"--disable-core {text}: not a core of {device.name}; coordinates are {box}")
        marked.add(core)
    if len(marked) == device.cores:
        raise SpecError(f"--disable-core: no core of {device.name} is left")
    if not marked:
        return device
    named = " ".join(",".join(map(str, core)) for core in sorted(marked))
    without = named if len(marked) <= NAMED else f"{len(marked)} cores"
    return replace(device, name=f"{device.name}[without {without}]", disabled=tuple(sorted(marked)))


def derate(device: Device, factors: Sequence[str]) -> Device:
    """Scale rates: ``dram=0.7`` slows banks and ports, ``noc=0.5`` links and every transfer over them."""
    for text in factors:
        resource, _, number = text.partition("=")
        factor = _factor(text, number)
        if resource == "dram":
            device = _slow_dram(device, factor)
        elif resource == "noc":
            device = _slow_nocs(device, factor)
        else:
            raise SpecError(f"--derate {text}: '{resource}' is not a resource; use dram=FACTOR or noc=FACTOR")
    return device


def _factor(text: str, number: str) -> Fraction:
    if re.fullmatch(r"\d+(\.\d+)?(/\d+)?", number) and not number.endswith("/0"):
        top, _, bottom = number.partition("/")
        factor = Fraction(top) / Fraction(bottom or 1)
        if 0 < factor <= 1:
            return factor
    raise SpecError(f"--derate {text}: the factor must be a number above 0 and at most 1, such as 0.7")


def _slow_dram(device: Device, factor: Fraction) -> Device:
    dram = device.dram
    return replace(
        device,
        name=f"{device.name}[dram={format_exact(factor)}]",
        dram=replace(
            dram,
            bank_read_rate=dram.bank_read_rate * factor,
            bank_write_rate=dram.bank_write_rate * factor,
            port_read_rate=dram.port_read_rate * factor,
            port_write_rate=dram.port_write_rate * factor,
            request_interval=dram.request_interval / factor,
        ),
    )


def _slow_nocs(device: Device, factor: Fraction) -> Device:
    def slow(transfer: Transfer) -> Transfer:
        return replace(transfer, rate=transfer.rate * factor)

    dram, multicast, forward = device.dram, device.multicast, device.forward
    return replace(
        device,
        name=f"{device.name}[noc={format_exact(factor)}]",
        nocs=tuple(replace(noc, link_rate=noc.link_rate * factor) for noc in device.nocs),
        dram=replace(dram, read=slow(dram.read), write=slow(dram.write)),
        multicast=multicast and replace(multicast, transfer=slow(multicast.transfer)),
        forward=forward and replace(forward, transfer=slow(forward.transfer)),
    )


def enabled_cores(device: Device) -> list[tuple[int, ...]]:
    """Logical coordinates of the cores that plans may use."""
    box = itertools.product(*(range(dim.extent) for dim in device.dims))
    return [core for core in box if core not in device.disabled]
