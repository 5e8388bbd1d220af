"""plan.json: writing a ranked plan, and reading one back with every rule checked.

Reading checks types first (with the path of what is wrong), then what types cannot say: names that must exist, groups
that must divide the cores. A plan file holds data only; reading one never runs code, and the numbers under ``cost`` are
a record, not an input: whoever needs the cost scores the plan again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from cpplan.cost.model import Cost
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.errors import InputError
from cpplan.plan.files import read_file, write_file
from cpplan.plan.plan import LAUNCH, Placement, Plan, wave
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.routes import readers
from cpplan.plan.schema import (
    SCHEMA,
    AccessRecord,
    Bytes,
    CertificateReference,
    CombineRecord,
    CostRecord,
    Decisions,
    Extent,
    Kernel,
    LevelRecord,
    PlanFile,
    RestrictionRecord,
    SpatialRecord,
    SplitRecord,
    Target,
    TensorShape,
)
from cpplan.plan.space import writers
from cpplan.tile.layout import layout_of
from cpplan.tile.program import Access, Problem, TileProgram
from cpplan.version import __version__


def plan_file(
    problem: Problem,
    device: Device,
    program: TileProgram,
    plan: Plan,
    cost: Cost,
    *,
    rank: int | None,
    certificate: CertificateReference | None,
    restriction: Restriction = FREE,
) -> PlanFile:
    """The file for one plan; ``program`` is the problem at the plan's block shape."""
    return PlanFile(
        schema=SCHEMA,
        planner=__version__,
        rank=rank,
        kernel=_kernel(problem, program),
        device=Target(
            device.name, device.fingerprint, device.clock_mhz, tuple(Extent(d.name, d.extent) for d in device.dims)
        ),
        decisions=_decisions(program, device, plan),
        cost=cost_record(cost),
        certificate=certificate,
        restriction=restriction_record(restriction),
    )


def _kernel(problem: Problem, program: TileProgram) -> Kernel:
    return Kernel(
        name=problem.name,
        source=problem.source,
        fingerprint=problem.fingerprint,
        arguments=dict(problem.arguments),
        tensors=tuple(TensorShape(t.name, t.dtype, t.shape, t.strides) for t in program.tensors),
        grid=tuple(Extent(d.name, d.extent) for d in program.dims),
        loops=tuple(Extent(loop.name, loop.trips) for loop in program.loops),
        layout=layout_of(program),
    )


def _decisions(program: TileProgram, device: Device, plan: Plan) -> Decisions:
    return Decisions(
        block=dict(plan.block),
        spatial=tuple(
            SpatialRecord(dim.name, tuple(SplitRecord(s.dim, s.factor) for s in splits))
            for dim, splits in zip(device.dims, plan.spatial, strict=True)
        ),
        order=plan.order,
        accesses=tuple(
            _access(program, access, device, plan, place)
            for access, place in zip(program.accesses, plan.placements, strict=True)
        ),
        combine=None if plan.combine is None else CombineRecord(plan.combine.method, plan.combine.noc),
        origin=plan.origin,
    )


def _access(program: TileProgram, access: Access, device: Device, plan: Plan, place: Placement) -> AccessRecord:
    active = tuple(plan.cores_along(i) for i in range(len(device.dims)))
    seen = seen_from(device, plan.origin)
    first = writers(program, plan.spatial) if access.kind != "load" else None
    who = [core for _, core in readers(seen, active, place.groups, place.pattern, place.noc, place.reader)]
    return AccessRecord(
        access=place.access,
        kind=access.kind,
        tensor=access.tensor,
        level=place.level,
        depth=2 if place.depth == 2 else 1,
        groups=place.groups,
        pattern=place.pattern,
        noc=place.noc,
        reader=place.reader,
        readers=tuple(plan.core_at(core) for core in (who if first is None else sorted(first))),
    )


def restriction_record(restriction: Restriction) -> RestrictionRecord:
    """A restriction as it is written to files: what the user gave, word by word."""
    return RestrictionRecord(tuple(t.text for t in restriction.pins), tuple(t.text for t in restriction.forbids))


def cost_record(cost: Cost) -> CostRecord:
    """The cost as it is written to files."""
    return CostRecord(
        makespan_cycles=cost.makespan_cycles,
        bound_by=cost.bound_by,
        dram_bytes=cost.dram_bytes,
        noc_bytes=cost.noc_bytes,
        sram_bytes=cost.sram_bytes,
        sram_limit_bytes=cost.sram_limit_bytes,
        cores=cost.cores,
        utilisation=dict(cost.utilisation),
        levels=msgspec.convert(cost.levels, tuple[LevelRecord, ...], from_attributes=True),
        buffers=tuple(Bytes(name, amount) for name, amount in cost.buffers),
        traffic=tuple(Bytes(name, amount) for name, amount in cost.traffic),
    )


def write_plan(path: Path, file: PlanFile) -> None:
    """Write a plan file (all of it or nothing)."""
    write_file(path, msgspec.json.format(msgspec.json.encode(file), indent=2).decode() + "\n")


def read_plan(path: Path) -> PlanFile:
    """Read and check a plan file; raises :class:`InputError` that names the file, the field and what is allowed."""
    try:
        file = msgspec.json.decode(read_file(path), type=PlanFile)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}: this is not a plan file of schema {SCHEMA}, write it again") from error
    wrong = list(contradictions(file))
    if wrong:
        raise InputError(f"{path}: the plan contradicts itself:\n  " + "\n  ".join(wrong))
    return file


def contradictions(file: PlanFile) -> Iterator[str]:
    """Rules between fields that the file breaks, as ``$.path: what is wrong``."""
    spatial = list(_spatial_contradictions(file))
    yield from spatial
    if spatial:  # nothing below can be told without the cores in use
        return
    dims = {dim.name for dim in file.kernel.grid}
    for i, group in enumerate(file.decisions.order):
        for name in group:
            if name not in dims:
                yield f"$.decisions.order[{i}]: {name!r} is not a parallel dim ({', '.join(sorted(dims))})"
    levels = {LAUNCH, *(wave(*group) for group in file.decisions.order), *(loop.name for loop in file.kernel.loops)}
    for i, access in enumerate(file.decisions.accesses):
        where = f"$.decisions.accesses[{i}]"
        if access.level not in levels:
            yield f"{where}.level: {access.level!r} is not a loop of this plan ({', '.join(sorted(levels - {LAUNCH}))})"
        yield from _group_contradictions(where, file.plan(), access)


def _spatial_contradictions(file: PlanFile) -> Iterator[str]:
    dims = {item.name for item in (*file.kernel.grid, *file.kernel.loops)}
    array = [dim.name for dim in file.device.array]
    if [dim.dim for dim in file.decisions.spatial] != array:
        yield f"$.decisions.spatial: expected one entry for each of {', '.join(array)}"
        return
    plan = file.plan()
    if plan.origin and len(plan.origin) != len(array):
        yield f"$.decisions.origin: expected one number for each of {', '.join(array)}, or none"
        return
    first_core = plan.core_at((0,) * len(array))
    for i, (used, there) in enumerate(zip(file.decisions.spatial, file.device.array, strict=True)):
        cores, first = plan.cores_along(i), first_core[i]
        if first + cores > there.extent:
            start = f" from {first} on" if first else ""
            yield f"$.decisions.spatial[{i}]: {cores} cores{start} along {there.name}, the device has {there.extent}"
        for j, split in enumerate(used.splits):
            if split.dim not in dims:
                yield f"$.decisions.spatial[{i}].splits[{j}].dim: {split.dim!r} is neither a parallel dim nor a loop"


def _group_contradictions(where: str, plan: Plan, access: AccessRecord) -> Iterator[str]:
    active = [plan.cores_along(i) for i in range(len(plan.spatial))]
    if len(access.groups) != len(active):
        yield f"{where}.groups: expected {len(active)} sizes, one per spatial dim, got {len(access.groups)}"
        return
    for i, (group, cores) in enumerate(zip(access.groups, active, strict=True)):
        if cores % group:
            yield f"{where}.groups[{i}]: groups of {group} do not divide {cores} cores"
    shared = any(group > 1 for group in access.groups)
    if shared == (access.pattern == "private"):
        yield f"{where}.pattern: {access.pattern!r} does not go with groups {list(access.groups)}"
    for i, core in enumerate(access.readers):
        if not plan.uses(core):
            yield f"{where}.readers[{i}]: core {list(core)} is not in use"
