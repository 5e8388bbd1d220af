"""The core array drawn in characters: who reads or writes DRAM for an access, who receives from another core."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cpplan.plan.schema import AccessRecord, PlanFile

READER, WRITER, RECEIVER, SENDER, IDLE = "R", "W", ".", "s", "-"
LEGEND = f"{READER} reads DRAM   {WRITER} writes DRAM   {RECEIVER} receives from a reader   {IDLE} idle"
SENDERS = f"   {SENDER} sends its partial results on"


def legend(file: PlanFile) -> str:
    """What the symbols mean that a drawing of the plan may have."""
    return LEGEND + SENDERS * (file.decisions.combine is not None)


def draw(file: PlanFile, access: AccessRecord) -> list[str]:
    """Lines of the drawing: first spatial dim to the right, second downwards, further dims as slices."""
    extents = [dim.extent for dim in file.device.array]
    width, height = extents[0], extents[1] if len(extents) > 1 else 1
    lines: list[str] = []
    for rest in itertools.product(*(range(n) for n in extents[2:])):
        if rest:
            lines.append(" ".join(f"{d.name}={c}" for d, c in zip(file.device.array[2:], rest, strict=True)))
        for y in range(height):
            cores = ((x, y, *rest)[: len(extents)] for x in range(width))
            lines.append(" ".join(_symbols(file, access, cores)))
    return lines


def _symbols(file: PlanFile, access: AccessRecord, cores: Iterator[tuple[int, ...]]) -> Iterator[str]:
    plan = file.plan()
    readers = set(access.readers)
    touches, others = (READER, RECEIVER) if access.kind == "load" else (WRITER, SENDER)
    for core in cores:
        if not plan.uses(core):
            yield IDLE
        else:
            yield touches if core in readers else others
