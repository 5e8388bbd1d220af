"""A user's own plan: brought into canonical form, checked against the rules of the space, and scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from msgspec import UnsetType

from cpplan.cost.model import Cost, evaluate
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.errors import InputError
from cpplan.plan.forms import canonical_form
from cpplan.plan.nest import Nest, build_nest
from cpplan.plan.partial import PartialDecisions, whole_plan
from cpplan.plan.plan import LAUNCH, Placement, Plan
from cpplan.plan.space import Spatial, axes, placements, violations
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, Problem, TileProgram


@dataclass(frozen=True)
class Evaluation:
    """A plan in canonical form with the program at its block shape.

    ``violations`` are the rules it breaks, in words; a plan that breaks rules of the space has no cost, one that is
    only too large for SRAM has.
    """

    program: TileProgram
    plan: Plan
    cost: Cost | None
    violations: tuple[str, ...]


def evaluate_decisions(problem: Problem, device: Device, decisions: PartialDecisions) -> Evaluation:
    """The plan that ``decisions`` make up, checked and scored.

    Raises :class:`InputError` when they leave something open, or name what the launch or the device does not have.
    """
    program = program_of(problem, None if isinstance(decisions.block, UnsetType) else decisions.block)
    axes = tuple(dim.name for dim in device.dims)
    accesses = tuple(access.name for access in program.accesses)
    return check_plan(program, device, whole_plan(decisions, axes, accesses))


def program_of(problem: Problem, block: dict[str, int] | None) -> TileProgram:
    """The candidate with block parameters ``block`` (None: the only one); raises :class:`InputError` with a list."""
    if block is None:
        blocks = [candidate for family in problem.families for candidate in family.blocks]
        if len(blocks) > 1:
            raise InputError(f"$.decisions.block: absent, and {problem.name} has {len(blocks)} block shapes to choose")
        block = dict(blocks[0])
    for family in problem.families:
        for number, candidate in enumerate(family.blocks):
            if dict(candidate) == block:
                return candidate_program(family, number)
    offered = [_parameters(dict(candidate)) for family in problem.families for candidate in family.blocks]
    more = f", ... ({len(offered)} in all)" if len(offered) > 6 else ""
    raise InputError(
        f"{problem.name} is not offered with {_parameters(block)}; there are {', '.join(offered[:6])}{more}. "
        "Offer further block shapes with --constexpr NAME=VALUES or --free NAMES"
    )


def _parameters(block: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in block.items()) or "no block parameters"


def check_plan(program: TileProgram, device: Device, plan: Plan) -> Evaluation:
    """``plan`` checked and scored; its block parameters are taken to be those of ``program``."""
    plan = replace(plan, block=program.block)
    broken = list(_unreadable(program, device, plan))
    if broken:
        return Evaluation(program, plan, None, tuple(broken))
    plan = canonical_form(program, device, plan)
    if not violations(program, device, plan):
        cost = evaluate(program, device, plan)
        return Evaluation(program, plan, cost, tuple(_overflow(device, cost)))
    nest = build_nest(program, plan.spatial, plan.order)
    broken = [v for v in violations(program, device, plan) if "may not be placed" not in v]
    for access, place in zip(program.accesses, plan.placements, strict=True):
        broken += _misplaced(program, seen_from(device, plan.origin), plan.spatial, nest, access, place)
    return Evaluation(program, plan, None, tuple(broken))


def _unreadable(program: TileProgram, device: Device, plan: Plan) -> Iterator[str]:
    """Names and numbers without which the plan cannot even be read."""
    accesses = [access.name for access in program.accesses]
    if [place.access for place in plan.placements] != accesses:
        yield f"expected one placement for each of {', '.join(accesses)}, in this order"
    if any(len(part) != len(device.dims) for part in (plan.spatial, *(place.groups for place in plan.placements))):
        yield f"expected one entry for each of the spatial dims {', '.join(dim.name for dim in device.dims)}"
        return
    for number, dim in enumerate(device.dims):
        if plan.cores_along(number) > dim.extent:
            yield f"{plan.cores_along(number)} cores along {dim.name}, the device has {dim.extent}"
    dims, divided = [dim.name for dim in program.dims], list(axes(program, device))
    used = [split.dim for splits in plan.spatial for split in splits]
    looped = [dim for group in plan.order for dim in group]
    for name in dict.fromkeys(name for name in used if name not in divided):
        yield f"{name} is nothing that cores divide among themselves ({', '.join(divided)})"
    for name in dict.fromkeys(name for name in looped if name not in dims):
        yield f"{name} is not a parallel dim ({', '.join(dims)})"
    if len(set(looped)) < len(looped) or () in plan.order:
        yield "a wave loop is empty, or two of them run over one dim"
    if set(looped) <= set(dims):
        nest = build_nest(program, plan.spatial, plan.order)
        for place in plan.placements:
            if place.level not in nest.names:
                known = ", ".join(name or "launch" for name in nest.names)
                yield f"{place.access}: {place.level} is not a loop with more than one trip ({known})"
    for axis, (dim, first) in enumerate(zip(device.dims, plan.origin or (0,) * len(device.dims), strict=False)):
        if first + plan.cores_along(axis) > dim.extent or len(plan.origin) not in (0, len(device.dims)):
            yield f"{plan.cores_along(axis)} cores from {first} on along {dim.name}, the device has {dim.extent}"
    for place in plan.placements:
        if place.noc >= len(device.nocs):
            yield f"{place.access}: {device.name} has networks 0 to {len(device.nocs) - 1}, not {place.noc}"


def _misplaced(
    program: TileProgram, device: Device, spatial: Spatial, nest: Nest, access: Access, place: Placement
) -> Iterator[str]:
    """The first field of ``place`` that no placement of the access has, given the fields before it."""
    left = placements(program, device, spatial, nest, access)
    for field in ("level", "depth", "groups", "pattern", "noc", "reader"):
        options = list(dict.fromkeys(getattr(option, field) for option in left))
        if getattr(place, field) not in options:
            mine, *possible = (_shown(value) for value in (getattr(place, field), *options))
            yield f"{access.name}: {field} {mine} is not possible here; possible: {', '.join(possible)}"
            return
        left = [option for option in left if getattr(option, field) == getattr(place, field)]


def _shown(value: object) -> str:
    return "launch" if value == LAUNCH else "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _overflow(device: Device, cost: Cost) -> Iterator[str]:
    over = cost.sram_bytes - cost.sram_limit_bytes
    if over > 0:
        buffers = ", ".join(f"{name} {size:,}" for name, size in sorted(cost.buffers, key=lambda b: -b[1]))
        yield (
            f"SRAM capacity: {cost.sram_bytes:,} bytes per core, {device.name} has {cost.sram_limit_bytes:,} "
            f"({over:,} over): {buffers}"
        )
