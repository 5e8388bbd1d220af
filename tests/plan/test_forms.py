"""Forms of a plan: whatever is written out in full falls into the classes that the space lists, and costs the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest
from instances import problem, random_device, random_program, stencil
from restrictions import random_restriction

from cpplan.cost.model import evaluate
from cpplan.cost.table import Column, build_column
from cpplan.device.device import Device
from cpplan.enumerate.forms import first_form, forms
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.demands import Reading, member, readings
from cpplan.plan.forms import canonical_form
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Plan
from cpplan.plan.space import combines, legal_spatial, orders, placements, violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram


def instances(limit: int, number: int) -> Iterator[tuple[int, Device, TileProgram]]:
    """Small random instances, every fourth with alike accesses."""
    found = 0
    for seed in itertools.count():
        r = Random(seed)
        device = random_device(r, r.choice([(2, 1), (2, 2), (4,), (4, 2)]))
        program = stencil(2, (4, 2), 2) if seed % 4 == 0 else random_program(r)
        if count([program], device, limit) <= limit:
            yield seed, device, program
            found += 1
            if found == number:
                return


def written_out(program: TileProgram, device: Device) -> Iterator[Plan]:
    """All plans in full: loops nested in any way, digits in any order, any placement of any access."""
    for spatial in legal_spatial(program, device):
        for order in orders(program, spatial):
            nest = build_nest(program, spatial, order)
            choices = [placements(program, device, spatial, nest, a) for a in program.accesses]
            ways = combines(program, device, spatial) or [None]
            for places, way in itertools.product(itertools.product(*choices), ways):
                yield Plan(program.block, spatial, order, places, way)


def is_small(program: TileProgram, device: Device) -> bool:
    """Whether all plans can be written out, also those that are too large for SRAM."""
    return len(list(itertools.islice(written_out(program, device), 2_001))) <= 2_000


SMALL = [item for item in instances(700, 24) if is_small(item[2], item[1])]
LARGER = list(instances(2_000, 24))


@pytest.mark.parametrize(("seed", "device", "program"), SMALL)
def test_every_plan_written_out_is_a_form_of_one_listed_plan(seed: int, device: Device, program: TileProgram) -> None:
    listed = {plan for plan in written_out(program, device) if not violations(program, device, plan)}
    for plan in written_out(program, device):
        canonical = canonical_form(program, device, plan)
        assert canonical in listed
        assert (plan in listed) == (canonical == plan)


@pytest.mark.parametrize(("seed", "device", "program"), LARGER)
def test_forms_cost_the_same_and_lead_back(seed: int, device: Device, program: TileProgram) -> None:
    for scored in brute_force([program], device, 20):
        found = list(forms(program, scored.plan))
        assert scored.plan in found
        for form in found:
            assert canonical_form(program, device, form) == scored.plan
            assert evaluate(program, device, form).key == scored.key


def meets(demands: Reading, numbers: tuple[int, ...]) -> bool:
    return all(sum(numbers[m] in d.allowed for m in d.members) >= d.count for d in demands)


@pytest.mark.parametrize(("seed", "device", "program"), LARGER)
def test_a_column_demands_what_some_form_satisfies(seed: int, device: Device, program: TileProgram) -> None:
    r = Random(seed)
    columns: list[Column] = [
        build_column(program, device, spatial, order)
        for spatial in legal_spatial(program, device)
        for order in orders(program, spatial)
    ]
    for _ in range(12):
        pins, forbids = random_restriction(r, [program], device)
        restriction = parse_restriction(problem(program), device, pins, forbids)
        for column in r.sample(columns, min(len(columns), 3)):
            numbered = [list(zip(rows.number.tolist(), rows.places, strict=True)) for rows in column.rows]
            accesses = numbered[: len(program.accesses)]
            found = readings(restriction, program, device, column.spatial, column.order, accesses)
            combinations = list(itertools.islice(itertools.product(*numbered), 200))
            for chosen in r.sample(combinations, min(len(combinations), 12)):
                plan = column.plan(program.block, [place for _, place in chosen])
                if violations(program, device, plan):
                    continue
                expected = first_form(restriction, program, device, plan)
                assert member(restriction, program, device, plan) == expected, (pins, forbids)
                met = any(meets(demands, tuple(n for n, _ in chosen)) for demands in found)
                met &= restriction.allows_combine(plan.combine)
                assert met == (expected is not None), (pins, forbids, plan)
                if expected is not None:
                    assert restriction.allows(device, expected)
                    assert canonical_form(program, device, expected) == plan
