"""Whole programs on the emulated chip against the tile program executed op by op in double precision."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from execute import Block

from cpplan.device.device import Device
from cpplan.emit_ttmetal.checks import check_emitted
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.emit_ttmetal.elements import decoded, encoded
from cpplan.emit_ttmetal.emit import ComputeKernel, assemble
from cpplan.emit_ttmetal.pages import from_memory, from_pages, to_memory, to_pages
from cpplan.emulate import run
from cpplan.errors import ScheduleError
from cpplan.frontend import read_launches
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import LAUNCH, Combine, Placement, Plan
from cpplan.plan.space import deliveries, legal_spatial, orders
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, Op, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"


LIBRARY = {
    "tanhf": np.tanh, "rsqrtf": lambda x: 1 / np.sqrt(x), "sqrtf": np.sqrt, "expf": np.exp, "logf": np.log,
    "log1pf": np.log1p, "powf": np.power, "fast_dividef": np.divide,
}  # fmt: skip
"""Functions of libdevice."""


class Filled(Block):
    """A block whose loads see the number that the kernel gives for masked elements."""

    def _access(self, access: Access) -> None:
        super()._access(access)
        if access.kind == "load" and access.fill is not None:
            valid = self.valid[access.value]
            self.values[access.value] = np.where(valid, self.values[access.value], self.real(access.fill))

    def _compute(self, op: Op, operands: list[np.ndarray], attributes: dict[str, Any]) -> Any:
        if op.kind == "erf":
            return np.vectorize(math.erf)(operands[0])
        if op.kind == "broadcast" and "lanes" in attributes:  # the axes of the result that the operand has
            kept = [int(axis) for axis in str(attributes["lanes"]).split(",")]
            missing = tuple(axis for axis in range(len(op.shape)) if axis not in kept)
            return np.broadcast_to(np.expand_dims(operands[0], missing), op.shape)
        if op.kind == "extern_elementwise":
            return LIBRARY[str(attributes["symbol"]).removeprefix("__nv_")](*operands)
        if op.kind == "scan_sum":
            axis, step = int(attributes["axis"]), -1 if attributes.get("reverse") else 1
            flipped = np.flip(operands[0], axis) if step < 0 else operands[0]
            total = np.cumsum(flipped, axis=axis)
            return np.flip(total, axis) if step < 0 else total
        return super()._compute(op, operands, attributes)


def programs(path: Path, *argv: int, entry: str | None = None) -> list[TileProgram]:
    """The smallest block shape of every launch of a kernel file."""
    reading = read_launches(str(path), entry=entry, argv=[str(a) for a in argv])
    return [candidate_program(problem.families[0], 0) for problem in reading.problems]


def simple_plan(program: TileProgram, device: Device) -> Plan:
    """The first mapping and order; every tile is moved where it is used, privately."""
    return _plan(program, device, Random(0), shared=False, simple=True)


def random_plan(program: TileProgram, device: Device, random: Random, shared: bool = False) -> Plan:
    """Any mapping (of a loop too, if ``shared``), order, levels and deliveries, as long as the buffers fit."""
    while True:
        plan = _plan(program, device, random, shared, simple=False)
        try:
            compute_kernel(build_schedule(program, device, plan))
        except ScheduleError:
            continue
        return plan


def _plan(program: TileProgram, device: Device, random: Random, shared: bool, simple: bool) -> Plan:
    loops = {loop.name for loop in program.loops}
    mappings = [
        spatial
        for spatial in legal_spatial(program, device)
        if shared == any(split.dim in loops for splits in spatial for split in splits)
    ]
    spatial = random.choice(mappings)
    order = random.choice(orders(program, spatial))
    nest = build_nest(program, spatial, order)
    placements = []
    for access in program.accesses:
        ways = deliveries(device, spatial, access, access.kind == "load")
        path = [nest.names[node] for node in nest.path(nest.home[access.loop or ""])]
        way = next(w for w in ways if w.pattern == "private") if simple else random.choice(ways)
        level = path[-1] if simple or random.random() < 0.5 else random.choice(path)
        depth = random.choice((1, 2)) if level != LAUNCH else 1
        placements.append(Placement(access.name, level, depth, way.groups, way.pattern, way.noc, way.reader))
    combine = Combine("tree", random.choice((0, 1))) if shared else None
    return Plan(program.block, spatial, order, tuple(placements), combine)


def random_tensors(program: TileProgram, seed: int) -> dict[str, np.ndarray]:
    """Numbers around 0 for every tensor, as its element type has them."""
    random = np.random.default_rng(seed)
    out = {}
    for tensor in program.tensors:
        if "int" in tensor.dtype:
            values: Any = random.integers(0, 100, tensor.shape)
        else:
            values = random.standard_normal(tensor.shape)
        out[tensor.name] = decoded(encoded(values, tensor.dtype), tensor.dtype)
    return out


def run_schedule(schedule: Schedule, tensors: Mapping[str, np.ndarray], seed: int = 0) -> dict[str, np.ndarray]:
    """Contents of the tensors that are written, after the emulated run."""
    made = compute_kernel(schedule)
    schedule = replace(schedule, buffers=made.buffers)
    program = assemble(schedule, ComputeKernel(made.source, made.config))
    check_emitted(program)
    memory = {}
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        if any(access.tensor == tensor.name for access in schedule.program.loads()):
            pages = to_pages(tensors[tensor.name], layout)
            memory[layout.name] = to_memory(encoded(pages, tensor.dtype), layout)
    out, _ = run(program, memory, seed=seed)
    found = {}
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        if schedule.program.is_written(tensor.name):
            stored = encoded(np.zeros(1), tensor.dtype).dtype
            data = decoded(out[layout.name].view(stored).reshape(-1, 1024), tensor.dtype)
            found[tensor.name] = from_pages(from_memory(data, layout), layout, tensor.shape)
    return found


def errors(
    program: TileProgram, found: Mapping[str, np.ndarray], tensors: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """Per store the largest difference to the executed tile program over all blocks, relative to its largest value."""
    worst: dict[str, float] = {}
    most: dict[str, float] = {}
    for index in itertools.product(*(range(dim.extent) for dim in program.dims)):
        position = {dim.name: at for dim, at in zip(program.dims, index, strict=True)}
        block = Filled(_as_long_as(program, position), tensors, position, np.float64)
        stored = block.whole()
        for access in program.accesses:
            if access.kind == "load" or access.name not in stored:
                continue
            block.position |= {loop.name: loop.trips - 1 for loop in program.loops}
            where = [
                block._at(start) + np.arange(extent) for start, extent in zip(access.starts, access.tile, strict=True)
            ]
            tensor = program.tensor(access.tensor)
            inside = [(w >= 0) & (w < size) for w, size in zip(where, tensor.shape, strict=True)]
            for axis, bounds in enumerate(access.bounds):
                for begin in bounds.begins:
                    inside[axis] &= where[axis] >= block._at(begin)
                for end in bounds.ends:
                    inside[axis] &= where[axis] < block._at(end)
            wanted = np.broadcast_to(stored[access.name].reshape(access.tile), access.tile)
            wanted = wanted[np.ix_(*inside)]
            got = found[access.tensor][np.ix_(*(w[i] for w, i in zip(where, inside, strict=True)))]
            with np.errstate(invalid="ignore"):
                apart = np.where(got == wanted, 0.0, np.nan_to_num(np.abs(got - wanted), nan=np.inf))
            apart[np.isnan(got) & np.isnan(wanted)] = 0.0
            worst[access.name] = max(worst.get(access.name, 0.0), float(apart.max(initial=0)))
            finite = np.abs(wanted[np.isfinite(wanted)])
            most[access.name] = max(most.get(access.name, 0.0), float(finite.max(initial=0)))
    return {name: worst[name] / max(most[name], 1e-30) for name in worst}


def _as_long_as(program: TileProgram, position: Mapping[str, int]) -> TileProgram:
    """The program with the trips that its loops run in one block."""
    loops = (
        loop if loop.profile is None else replace(loop, trips=int(loop.profile.at(position[loop.profile.dim])))
        for loop in program.loops
    )
    return replace(program, loops=tuple(loops))


def check(program: TileProgram, device: Device, plan: Plan, seed: int = 0) -> dict[str, float]:
    """Errors of the stores of ``program`` under ``plan``; ``seed`` is that of the numbers and of the chip."""
    schedule = build_schedule(program, device, plan)
    tensors = random_tensors(program, seed)
    return errors(program, run_schedule(schedule, tensors, seed), tensors)
