"""Why nothing fits: the limit, demand against bound in bytes, and the block shape that comes closest."""

from __future__ import annotations

import numpy as np

from cpplan.cost.model import fixed_buffers
from cpplan.cost.streams import tile_size
from cpplan.device.device import Device
from cpplan.plan.space import avoids_disabled
from cpplan.tile.arith import round_up
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram


def least_buffers(program: TileProgram, device: Device) -> list[tuple[str, int]]:
    """Bytes of every buffer in the smallest plan: one single-buffered tile per access, and what the body keeps."""
    alignment = device.sram.alignment
    out = []
    for access in program.accesses:
        size = tile_size(program, access)
        out.append((access.name, int(round_up(size.pages * size.page_bytes, alignment))))
    return [*out, *fixed_buffers(program, device)]


def reason(problem: Problem, device: Device) -> str:
    """One paragraph that names the broken limit of a problem without plans."""
    if not avoids_disabled(device, tuple(() for _ in device.dims)):
        return f"core {(0,) * len(device.dims)} of {device.name} is disabled, and every plan uses it: cut with --cores"
    best: tuple[int, TileProgram, list[tuple[str, int]]] | None = None
    for family in problem.families:
        for number in _smallest(family.blocks):
            program = candidate_program(family, number)
            buffers = least_buffers(program, device)
            total = sum(size for _, size in buffers)
            if best is None or total < best[0]:
                best = (total, program, buffers)
    assert best is not None
    total, program, buffers = best
    limit = device.sram.usable
    block = " ".join(f"{name}={value}" for name, value in program.block) or "its only block shape"
    parts = ", ".join(f"{name} {size:,}" for name, size in sorted(buffers, key=lambda item: -item[1]))
    largest = max(buffers, key=lambda item: item[1])[0]
    return (
        f"SRAM capacity: the smallest plan ({block}, every buffer one tile deep) needs {total:,} bytes per core, "
        f"{device.name} has {limit:,} ({total - limit:,} over): {parts}. "
        f"Offer smaller block shapes, first those that {largest} depends on (--constexpr NAME=64,128 or --free NAME)"
    )


def _smallest(blocks: tuple[tuple[tuple[str, int], ...], ...]) -> list[int]:
    """Candidates worth pricing: those with the smallest product of block parameters."""
    volume = np.array([np.prod([float(v) for _, v in block]) if block else 1.0 for block in blocks])
    return [int(i) for i in np.argsort(volume, kind="stable")[:32]]
