"""All forms of one plan, listed one by one: how the oracle asks whether a restriction leaves the plan in the space.

Nothing is pruned; only the predicate on one form is shared with the solver's way (:mod:`cpplan.plan.demands`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from cpplan.device.device import Device
from cpplan.plan.alike import alike
from cpplan.plan.forms import digit_orders, loop_orders, with_loops
from cpplan.plan.plan import Placement, Plan
from cpplan.plan.restrict import Restriction
from cpplan.plan.symmetry import order_key
from cpplan.tile.program import TileProgram


def forms(program: TileProgram, plan: Plan) -> Iterator[Plan]:
    """Every form of the canonical ``plan``, reader rules aside: digits, fused loops and alike accesses in any order."""
    ends = [{place.groups[axis] for place in plan.placements} for axis in range(len(plan.spatial))]
    arranged = itertools.product(*(list(digit_orders(program, q, e)) for q, e in zip(plan.spatial, ends, strict=True)))
    dealt = list(_dealt(program, plan.placements))
    for spatial in arranged:
        for placements in dealt:
            for order in loop_orders(plan.order):
                yield with_loops(replace(plan, spatial=spatial, placements=placements), order)


def _dealt(program: TileProgram, placements: tuple[Placement, ...]) -> Iterator[tuple[Placement, ...]]:
    """Every way to deal the placements of alike accesses out to them."""
    classes = alike(program)
    for taken in itertools.product(*(itertools.permutations(members) for members in classes)):
        out = list(placements)
        for members, sources in zip(classes, taken, strict=True):
            for number, source in zip(members, sources, strict=True):
                out[number] = replace(placements[source], access=program.accesses[number].name)
        yield tuple(out)


def first_form(restriction: Restriction, program: TileProgram, device: Device, plan: Plan) -> Plan | None:
    """The first form of ``plan`` that satisfies the restriction, pinned readers by name; None when there is none."""
    allowed = [form for form in forms(program, plan) if restriction.allows(device, form)]
    if not allowed:
        return None
    return restriction.by_pinned_name(min(allowed, key=lambda form: order_key(program, form)))
