"""Why nothing fits: the smallest set of limits to blame, demand against bound in bytes, and what would fit.

A plan needs, per core, one tile of every access at its own loop and whatever the body keeps; every placement that
shares, hoists or double-buffers takes more. So a problem has plans exactly when this least demand of some block shape
is within the usable SRAM (docs/encoding.md, "Nothing fits").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from cpplan.cost.model import fixed_buffers
from cpplan.cost.streams import tile_size
from cpplan.device.device import Device
from cpplan.device.restrict import enabled_cores
from cpplan.device.spec import list_devices, load_device
from cpplan.encode.blocks import Ints, block_facts
from cpplan.tile.arith import round_up
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Family, Problem, TileProgram

SHOWN_BUFFERS, SHOWN_CHANGES = 3, 4
"""Blamed buffers and smaller block shapes that the message lists; machine-readable output has all."""


@dataclass(frozen=True)
class Demand:
    """Least bytes of one buffer; ``place`` says where it is filled. Those that are blamed do not fit together."""

    buffer: str
    place: str
    bytes: int
    blamed: bool


@dataclass(frozen=True)
class Change:
    """Something that fits, in ``needed_bytes`` of ``limit_bytes``: smaller block ``parameters``, a device, a pin.

    ``grid`` is the launch grid that the parameters take when the kernel's own launch would not follow them.
    """

    kind: Literal["block", "device", "pin"]
    text: str
    needed_bytes: int
    limit_bytes: int
    parameters: tuple[tuple[str, int], ...] = ()
    grid: tuple[int, ...] | None = None
    device: str = ""


@dataclass(frozen=True)
class Infeasible:
    """Why a problem has no plan: ``limits`` are the smallest set to blame, ``buffers`` what the smallest plan holds.

    ``block`` is the candidate that comes closest, of ``candidates`` in all. The problem has a plan on a device with
    ``needed_bytes`` of usable SRAM per core, and on none with less. ``options`` are the pins and forbidden decisions
    that are to blame; contradictions among them alone have no buffers.
    """

    limits: tuple[str, ...]
    device: str
    needed_bytes: int
    limit_bytes: int
    block: tuple[tuple[str, int], ...]
    candidates: int
    buffers: tuple[Demand, ...]
    changes: tuple[Change, ...]
    options: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The reason in words, the most useful line first."""
        if self.options and not self.buffers:
            return _contradiction(self.options)
        if not self.buffers:
            return f"{self.limits[0]}: no plan can use a core"
        said = [_headline(self)]
        if self.options:
            said.append(f"{_contradiction(self.options)}. The plans that do are too large for SRAM")
        return "\n".join([*said, _demand(self), *_what_fits(self)])


def explain(problem: Problem, device: Device) -> Infeasible:
    """Why ``problem`` has no plan on ``device``."""
    if not enabled_cores(device):
        return Infeasible((f"every core of {device.name} is disabled",), device.name, 0, 0, (), 0, (), ())
    program = _closest(problem, device)
    limit, buffers = device.sram.usable, least_buffers(program, device)
    marked = with_blame(buffers, limit)
    return Infeasible(
        limits=(f"SRAM capacity of {device.name}", *(f"{b.buffer} {b.place}" for b in marked if b.blamed)),
        device=device.name,
        needed_bytes=sum(b.bytes for b in buffers),
        limit_bytes=limit,
        block=program.block,
        candidates=sum(len(family.blocks) for family in problem.families),
        buffers=marked,
        changes=(*_block_changes(problem, program, device), *_device_changes(program)),
    )


def least_buffers(program: TileProgram, device: Device) -> list[Demand]:
    """Every buffer of the smallest plan, largest first: one tile per access, and what the body keeps."""
    alignment, found = device.sram.alignment, []
    for access in program.accesses:
        size = tile_size(program, access)
        place = f"at level {access.loop}" if access.loop else "at block level"
        found.append(Demand(access.name, place, int(round_up(size.pages * size.page_bytes, alignment)), False))
    kept = {buffer.name: buffer for buffer in program.buffers}
    for name, size_bytes in fixed_buffers(program, device):
        found.append(Demand(name, f"kept in loop {kept[name].loop}" if kept[name].loop else "kept", size_bytes, False))
    return sorted(found, key=lambda demand: -demand.bytes)


def least_bytes(family: Family, device: Device) -> Ints:
    """Least demand of every candidate of ``family``, in bytes per core."""
    facts = block_facts(family, device)
    tiles = facts.pages * np.array(facts.page_bytes, dtype=np.int64)[:, None]
    needed: Ints = facts.fixed + round_up(tiles, device.sram.alignment).sum(axis=0)
    return needed


def _closest(problem: Problem, device: Device) -> TileProgram:
    """The candidate with the least demand."""
    least = [least_bytes(family, device) for family in problem.families]
    number = min(range(len(least)), key=lambda i: int(least[i].min()))
    return candidate_program(problem.families[number], int(least[number].argmin()))


def with_blame(buffers: Sequence[Demand], limit: int) -> tuple[Demand, ...]:
    """``buffers``, largest first, with the fewest blamed that do not fit together: the largest, as many as it takes."""
    out, total = [], 0
    for demand in sorted(buffers, key=lambda b: -b.bytes):
        out.append(replace(demand, blamed=total <= limit))
        total += demand.bytes
    return tuple(out)


def _block_changes(problem: Problem, base: TileProgram, device: Device) -> list[Change]:
    """Smaller block shapes that fit, fewest and mildest changes first; per set of parameters the largest that fits."""
    best: dict[tuple[str, ...], tuple[tuple[float, ...], Change]] = {}
    before, limit = dict(base.block), device.sram.usable
    for smaller in problem.smaller:
        needed = sum(demand.bytes for demand in least_buffers(smaller.program, device))
        changed = tuple((name, value) for name, value in smaller.program.block if value != before.get(name))
        if needed > limit or not changed:
            continue
        text = "use " + " with ".join(f"{name}<={value}" for name, value in changed)
        if smaller.grid is not None:
            text += f" on grid {','.join(map(str, smaller.grid))}"
        ratio = math.prod(before[name] / value for name, value in changed)
        rank = (float(smaller.grid is not None), float(len(changed)), ratio, -float(needed))
        names = tuple(name for name, _ in changed)
        change = Change("block", text, needed, limit, changed, smaller.grid)
        best[names] = min(best.get(names, (rank, change)), (rank, change), key=lambda item: item[0])
    return [change for _, change in sorted(best.values(), key=lambda item: item[0])]


def _device_changes(program: TileProgram) -> Iterator[Change]:
    """Shipped devices whose SRAM holds the smallest plan of ``program``."""
    for other in _shipped():
        needed = sum(demand.bytes for demand in least_buffers(program, other))
        if needed <= other.sram.usable:
            text = f"use --device {other.name}"
            yield Change("device", text, needed, other.sram.usable, device=other.name)


@cache
def _shipped() -> tuple[Device, ...]:
    return tuple(load_device(name) for name in list_devices())


def _headline(why: Infeasible) -> str:
    """``B footprint at level k needs 1.9 MB of 1.4 MB: use BLOCK_N<=128``."""
    blamed = [b for b in why.buffers if b.blamed]
    if len(blamed) == 1:
        what = f"{blamed[0].buffer} footprint {blamed[0].place}"
    else:
        shown = [f"{b.buffer} {b.place}" for b in blamed]
        shown = shown if len(shown) <= SHOWN_BUFFERS else [*shown[:2], f"{len(shown) - 2} smaller ones"]
        what = f"footprint of {', '.join(shown[:-1])} and {shown[-1]}"
    change = why.changes[0].text if why.changes else _last_resort(why)
    return f"{what} needs {_amounts(sum(b.bytes for b in blamed), why.limit_bytes)}: {change}"


def _last_resort(why: Infeasible) -> str:
    if why.options:
        return "drop a pin or offer smaller block shapes"
    return "no smaller block shape is known: make tiles smaller in the kernel"


def _contradiction(options: Sequence[str]) -> str:
    if len(options) == 1:
        return f"No plan satisfies {options[0]}"
    return f"No plan satisfies all of {', '.join(options)}: drop any one of them"


def _amounts(needed: int, limit: int) -> str:
    """``1.9 MB of 1.4 MB``, with as many digits as it takes to tell the two apart."""
    unit, scale = ("MB", 10**6) if limit >= 10**6 else ("kB", 10**3)
    for digits in (1, 2, 3):
        texts = f"{needed / scale:.{digits}f}", f"{limit / scale:.{digits}f}"
        if texts[0] != texts[1]:
            return f"{texts[0]} {unit} of {texts[1]} {unit}"
    return f"{needed:,} B of {limit:,} B"


def _demand(why: Infeasible) -> str:
    block = " ".join(f"{name}={value}" for name, value in why.block) or "its only block shape"
    among = f", the smallest of {why.candidates} block shapes" if why.candidates > 1 else ""
    parts = ", ".join(f"{b.buffer} {b.bytes:,}" for b in why.buffers)
    kind = "smallest plan that does" if why.options else "smallest plan"
    depth = "" if why.options else "; every buffer one tile deep"
    return (
        f"SRAM capacity: the {kind} ({block}{among}{depth}) needs "
        f"{why.needed_bytes:,} bytes per core, {why.device} has {why.limit_bytes:,} "
        f"({why.needed_bytes - why.limit_bytes:,} over): {parts}"
    )


def _what_fits(why: Infeasible) -> Iterator[str]:
    for change in [c for c in why.changes if c.kind != "device"][:SHOWN_CHANGES]:
        yield f"  fits: {change.text} ({change.needed_bytes:,} of {change.limit_bytes:,} bytes)"
    devices = [change.device for change in why.changes if change.kind == "device"]
    if devices:
        yield f"  fits as it is on: {', '.join(devices)}"
