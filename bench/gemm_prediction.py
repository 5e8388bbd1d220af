"""Predicted device cycles of a measured matmul: the vendor's template, priced by the exact cost model.

Measured is the time of the math thread's kernel (device utilisation of GEMM_FLOPS.md is derived from it), which ends
with the last block's sums. So the drain of the last output block is no part of the prediction either.

Our plan space has no tensors sharded in L1, as the left operand and the output of some rows are. In here only, such a
tensor is resident: its multicast is priced without the DRAM read before it, and its store costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
from measurements import Row
from vendor_templates import Template, automatic, gemm, tuned, vendor_plan

from cpplan.cost.model import Stream, _levels, _stream, evaluate
from cpplan.cost.streams import resources
from cpplan.device.device import Device, Transfer
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Plan
from cpplan.tile.family import stack
from cpplan.tile.program import Problem, TileProgram

SPECS = {"8x8": "wormhole", "11x10": "blackhole_11x10", "13x10": "blackhole_13x10"}
FREE = Fraction(10**12)


@dataclass(frozen=True)
class Prediction:
    """Cycles that the math thread takes under one template."""

    cycles: int
    template: Template


@lru_cache(maxsize=8)
def device_of(grid: str) -> Device:
    """The shipped device of a measured grid."""
    return load_device(SPECS[grid])


def with_fidelity(device: Device, dtype: str, fidelity: str) -> Device:
    """``device`` running ``dtype`` at ``fidelity``."""
    others = tuple(pair for pair in device.fidelity if pair[0] != dtype)
    return replace(device, fidelity=(*others, (dtype, fidelity)))


def resident(device: Device) -> Device:
    """``device`` with a memory that takes no time and no link: what a tensor in L1 costs."""
    free = Transfer(0, Fraction(0), FREE)
    dram = replace(
        device.dram, bank_read_rate=FREE, port_read_rate=FREE, request_interval=Fraction(0), read=free,
        endpoints=tuple(() for _ in device.nocs),
    )  # fmt: skip
    return replace(device, dram=dram, fingerprint=f"{device.fingerprint} resident")


def math_cycles(program: TileProgram, device: Device, plan: Plan, in_l1: frozenset[str]) -> int:
    """Makespan of ``plan`` up to the last sums, with the tensors ``in_l1`` resident."""
    nest = build_nest(program, plan.spatial, plan.order)
    layout = resources(device)
    active = tuple(plan.cores_along(s) for s in range(len(device.dims)))
    moved = {}
    for access, place in zip(program.accesses, plan.placements, strict=True):
        source = resident(device) if access.name in in_l1 else device
        moved[access.name] = _stream(program, source, layout, active, nest, access, place, None)
        if access.name in in_l1 and access.kind != "load":
            nothing = np.zeros(layout.count, dtype=np.int64)
            moved[access.name] = Stream(nothing, nothing, 0)
    levels, _ = _levels(program, device, plan, nest, layout, moved, None)
    drain = levels[nest.names.index(plan.placement("c").level)].serial_store
    return device.launch_cycles + levels[0].total - drain


def size_of(row: Row) -> tuple[int, int, int]:
    """(M, K, N) of a matmul row."""
    return row.number("M"), row.number("K"), row.number("N")


def grid_of(row: Row) -> tuple[int, int]:
    """(columns, rows) of cores of a matmul row."""
    columns, _, rows = row.grid.partition("x")
    return int(columns), int(rows)


def predict(row: Row, device: Device | None = None) -> Prediction:
    """The vendor's plan for ``row``, priced on ``device`` (default: the shipped device of its grid)."""
    device = with_fidelity(device or device_of(row.grid), row.dtype, row.fidelity)
    size, grid = size_of(row), grid_of(row)
    in_l1 = frozenset(name for name, key in (("a", "in0"), ("c", "out")) if row[key] == "L1_sharded")
    if row["config"] == "tuned":
        templates = tuned(*size, grid, row.dtype, device)
    else:
        templates = [automatic(*size, grid, row.dtype, device)]
    best = None
    for template in templates:
        program, plan = vendor_plan(*size, grid, row.dtype, template)
        found = Prediction(math_cycles(program, device, plan, in_l1), template)
        best = found if best is None or found.cycles < best.cycles else best
    assert best is not None
    return best


def optimum(row: Row, seconds: float) -> tuple[int, int, str]:
    """(our solver's makespan, the vendor template's, both with their drain, status) for a row without L1 tensors.

    Candidates are the template's block shape and those with half and twice the size per side.
    """
    device = with_fidelity(device_of(row.grid), row.dtype, row.fidelity)
    template = predict(row).template
    program, plan = vendor_plan(*size_of(row), grid_of(row), row.dtype, template)
    (m, _), (k, n) = program.tensor("a").shape, program.tensor("b").shape
    sides = [sorted({max(1, t // 2), t, 2 * t}) for t in (template.height, template.width, template.depth)]
    family = stack([gemm(m, n, k, (32 * h, 32 * w, 32 * d), row.dtype) for h, w, d in product(*sides)])
    solution = solve(Problem("gemm", (family,), (), "", ""), device, time_limit=seconds)
    ours = solution.plans[0].cost.makespan_cycles if solution.plans else 0
    return ours, evaluate(program, device, plan).makespan_cycles, solution.status
