"""Plans of cpplan's space that equal another mapper's answer in that mapper's own measures.

Other mappers take the larger of tile ops and DRAM traffic as latency; a makespan also has the pipeline's fill and
drain. So the fastest plan may buy a shorter fill with traffic that hides behind the tile ops. Here the order is theirs:
plans within their latency and within their traffic, and among those the one with the least makespan.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpplan.cost.model import Cost, evaluate
from cpplan.cost.table import Column, build_column, feasible, makespans, position_cycles, totals
from cpplan.device.device import Device
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.plan import Plan
from cpplan.plan.space import legal_spatial, orders
from cpplan.tile.arith import ceil_div
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Family, Problem, TileProgram

SEARCH_SECONDS = 60.0
"""The search for a cheaper plan ends then, once there is one."""
MOST = 200_000
"""Combinations of one column that are scored; the first so many."""


@dataclass(frozen=True)
class Match:
    """A plan within the limits with its cost, and how many columns were looked at."""

    plan: Plan
    cost: Cost
    columns: int


def peer_latency(cost: Cost, machine: dict[str, Any]) -> float:
    """Latency of a plan as other mappers count it: tile ops of one core, or DRAM traffic over its rate."""
    ops = sum(level.ops * _iterations(cost, i) for i, level in enumerate(cost.levels))
    return max(ops, cost.dram_bytes / machine["dram_bytes_per_cycle"])


def _iterations(cost: Cost, number: int) -> int:
    """Executions of a level's body; the levels of a GEMM are nested in each other."""
    total = 1
    for level in cost.levels[: number + 1]:
        total *= level.trips
    return total


def cheapest_within(
    problem: Problem, device: Device, machine: dict[str, Any], latency: float, dram_bytes: float
) -> Match | None:
    """The fastest plan found whose tile ops take at most ``latency`` cycles and that moves at most ``dram_bytes``.

    None when there is no such plan at all: the time limit only counts after the first one.
    """
    if dram_bytes / machine["dram_bytes_per_cycle"] > latency:
        return None
    start, best, looked = time.perf_counter(), None, 0
    for family in problem.families:
        for number, cores in _lanes(family, device, machine, latency):
            program = candidate_program(family, number)
            for column in _columns(program, device, cores):
                looked += 1
                plan = _fastest(program, device, column, dram_bytes)
                if plan is not None and (best is None or plan[0] < best[0]):
                    best = plan[0], plan[1], program
                if best is not None and time.perf_counter() - start > SEARCH_SECONDS:
                    return Match(best[1], evaluate(best[2], device, best[1]), looked)
    return Match(best[1], evaluate(best[2], device, best[1]), looked) if best is not None else None


def _lanes(
    family: Family, device: Device, machine: dict[str, Any], latency: float
) -> Iterator[tuple[int, tuple[int, int]]]:
    """(block number, cores per parallel dim) within ``latency``, from the largest blocks on: they reuse most."""
    stacked = family.stacked
    blocks = np.array([[value for _, value in block] for block in family.blocks])
    per_block = np.prod(ceil_div(blocks, 32), axis=1) * stacked.loops[0].trips * machine["cycles_per_tile_mac"]
    found = []
    for m in range(1, device.cores + 1):
        for n in range(1, device.cores // m + 1):
            waves = ceil_div(stacked.dims[0].extent, m) * ceil_div(stacked.dims[1].extent, n)
            busy = (stacked.dims[0].extent >= m) & (stacked.dims[1].extent >= n)
            found += [(int(i), (m, n)) for i in np.nonzero(busy & (waves * per_block <= latency))[0]]
    return iter(sorted(found, key=lambda lane: -int(blocks[lane[0], 0] * blocks[lane[0], 1])))


def _columns(program: TileProgram, device: Device, cores: tuple[int, int]) -> Iterator[Column]:
    """All columns with these cores per parallel dim, and none that share a loop: plans without are enough here."""
    ops = position_cycles(program, device)
    wanted = {d.name: n for d, n in zip(program.dims, cores, strict=True) if n > 1}
    for spatial in legal_spatial(program, device):
        if {dim: n for dim, n in cores_per_dim(spatial).items() if n > 1} == wanted:
            for order in orders(program, spatial):
                yield build_column(program, device, spatial, order, ops)


def _fastest(program: TileProgram, device: Device, column: Column, dram_bytes: float) -> tuple[int, Plan] | None:
    """The fastest plan of ``column`` within ``dram_bytes``."""
    least = [int(rows.dram.min(initial=1 << 62)) for rows in column.rows]
    spare = dram_bytes - sum(least)
    kept = [np.nonzero(rows.dram <= low + spare)[0] for rows, low in zip(column.rows, least, strict=True)]
    sizes = [len(k) for k in kept]
    if spare < 0 or not all(sizes):
        return None
    flat = np.arange(min(int(np.prod(sizes)), MOST))
    choice = np.stack([k[i] for k, i in zip(kept, np.unravel_index(flat, sizes), strict=True)], axis=1)
    choice = choice[totals(column, choice, "dram") <= dram_bytes]
    choice = choice[feasible(device, column, choice)]
    if not len(choice):
        return None
    cycles = makespans(device, column, choice)
    first = int(cycles.argmin())
    places = [rows.places[i] for rows, i in zip(column.rows, choice[first], strict=True)]
    return int(cycles[first]), column.plan(program.block, places)
