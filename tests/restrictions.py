"""Random restrictions of a plan space, drawn from its own plans so that many of them leave something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from gemm import gemm
from instances import random_device, random_program, random_transfer, stencil

from cpplan.device.device import Device, Multicast
from cpplan.device.free_boxes import seen_from
from cpplan.enumerate.forms import forms
from cpplan.enumerate.oracle import count
from cpplan.plan.nest import build_nest, cores_per_dim
from cpplan.plan.plan import Order, Plan
from cpplan.plan.space import combines, first_cores, legal_spatial, orders, placements
from cpplan.tile.program import TileProgram


def random_plan(r: Random, program: TileProgram, device: Device) -> Plan:
    """Some plan of the space, in some form; it may be too large for SRAM, or another than the listed form."""
    mappings = legal_spatial(program, device)
    several = [spatial for spatial in mappings if any(len(splits) > 1 for splits in spatial)]
    spatial = r.choice(several if several and r.random() < 0.5 else mappings)
    order = r.choice(orders(program, spatial))
    nest, origin = build_nest(program, spatial, order), r.choice(first_cores(device, spatial))
    seen = seen_from(device, origin)
    places = tuple(r.choice(placements(program, seen, spatial, nest, a)) for a in program.accesses)
    combine = r.choice(combines(program, device, spatial) or [None])
    found = list(forms(program, Plan(program.block, spatial, order, places, combine, origin)))
    return r.choice(found[:500])


def terms_of(device: Device, plan: Plan) -> Iterator[str]:
    """Everything that can be said about ``plan``, as text."""
    axes = [dim.name for dim in device.dims]
    yield from (f"{name}={value}" for name, value in plan.block)
    for dim, cores in cores_per_dim(plan.spatial).items():
        yield f"{dim}.cores={cores}"
    for dim in {s.dim for q in plan.spatial for s in q}:
        used = [axis for axis, q in zip(axes, plan.spatial, strict=True) if any(s.dim == dim for s in q)]
        yield f"{dim}.on={','.join(used) or 'none'}"
    for axis, q in zip(axes, plan.spatial, strict=True):
        yield f"{axis}={'.'.join(f'{s.dim}/{s.factor}' for s in q) or 'none'}"
    if device.disabled:
        yield f"origin={','.join(map(str, plan.core_at((0,) * len(axes))))}"
    yield f"order={_order(plan.order)}"
    yield f"combine={plan.combine.method if plan.combine else 'none'}"
    if plan.combine:
        yield f"combine.noc={plan.combine.noc}"
    for p in plan.placements:
        shared = ",".join(axis for axis, g in zip(axes, p.groups, strict=True) if g > 1)
        yield f"{p.access}.level={p.level or 'launch'}"
        yield f"{p.access}.depth={p.depth}"
        yield f"{p.access}.broadcast={p.pattern}"
        yield f"{p.access}.broadcast={shared or 'private'}"
        yield f"{p.access}.group={'x'.join(map(str, p.groups))}"
        yield f"{p.access}.noc={p.noc}"
        if p.pattern == "multicast":
            yield f"{p.access}.reader={p.reader}"


def _order(order: Order) -> str:
    return ",".join(".".join(group) for group in order) or "none"


def random_restriction(
    r: Random, programs: Sequence[TileProgram], device: Device, most: int = 4
) -> tuple[list[str], list[str]]:
    """Texts of pins, taken from one plan most of the time, and of forbids, taken from several."""
    kept = random_plan(r, r.choice(programs), device)
    said = sorted(terms_of(device, kept))
    pins = r.sample(said, min(len(said), r.randint(0, most)))
    if r.random() < 0.3:
        pins += r.sample([text for text in said if text.partition("=")[0] in [dim.name for dim in device.dims]], 1)
    if r.random() < 0.15:
        pins.append(r.choice(sorted(terms_of(device, random_plan(r, r.choice(programs), device)))))
    forbids = []
    for _ in range(r.randint(0, most)):
        other = sorted(set(terms_of(device, random_plan(r, r.choice(programs), device))) - set(said))
        forbids += [r.choice(other)] if other else []
    return pins, forbids


def restricted_instance(seed: int, largest: int) -> tuple[Device, list[TileProgram]]:
    """A random device with programs that brute force can finish, of a kind that ``seed`` chooses.

    The kinds are those in which plans have many forms: alike accesses, mirror images within and across block shapes,
    several digits on one spatial dim with groups that may end between them, fused wave loops, loops that cores share.
    """
    for attempt in range(1000):
        r = Random(1000 * seed + attempt)
        kind = seed % 4
        device = random_device(r, r.choice([(4,), (6,), (4, 2)] if kind == 1 else [(2, 1), (2, 2), (4,), (6,), (4, 2)]))
        if kind == 0:
            extents = tuple(r.choice([2, 3, 4]) for _ in range(r.randint(1, 2)))
            programs = [stencil(r.randint(2, 3), extents, r.randint(1, 2))]
        elif kind == 1:
            size, blocks = r.choice([64, 128]), ((32, 32, 32), (64, 32, 32), (32, 64, 32))
            device = replace(device, multicast=device.multicast or Multicast(random_transfer(r), 50))
            programs = [gemm(size, size, 32 * r.randint(1, 2), b) for b in blocks[: r.choice([1, 3])]]
        else:
            programs = [random_program(r) for _ in range(r.randint(1, 2))]
        if 0 < count(programs, device, largest) <= largest:
            return device, programs
    raise AssertionError(f"seed {seed}: nothing small enough was drawn")
