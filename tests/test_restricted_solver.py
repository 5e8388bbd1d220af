"""Under random pins and forbidden decisions the solver's top-k equals brute force over all forms of all plans."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from gemm import gemm
from instances import problem, random_device, random_transfer, stencil
from restrictions import random_restriction, restricted_instance

from cpplan.cost.model import evaluate
from cpplan.device.device import Device, Multicast
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force
from cpplan.plan.forms import canonical_form
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.space import violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram

LARGEST = 800
"""Plans that brute force may score."""


def assert_same_restricted_answer(
    device: Device, programs: list[TileProgram], k: int, pins: list[str], forbids: list[str]
) -> int:
    """The number of plans that are left of the ``k``."""
    restriction = parse_restriction(problem(*programs), device, pins, forbids)
    expected = brute_force(programs, device, k, restriction)
    solution = solve(problem(*programs), device, k=k, restriction=restriction)
    said = f"--pin {' --pin '.join(pins)} --forbid {' --forbid '.join(forbids)}"
    assert [p.cost.key for p in solution.plans] == [s.key for s in expected], said
    assert [p.plan for p in solution.plans] == [s.plan for s in expected], said
    assert solution.status == ("optimal" if expected else "infeasible")
    assert (solution.certificate.pins, solution.certificate.forbids) == (
        tuple(t.text for t in restriction.pins),
        tuple(t.text for t in restriction.forbids),
    )
    for found in solution.plans:
        assert restriction.allows(device, found.plan)
        assert violations(found.program, device, canonical_form(found.program, device, found.plan)) == []
        assert evaluate(found.program, device, found.plan).key == found.cost.key
    return len(expected)


@pytest.mark.parametrize("seed", range(60))
def test_random_restrictions(seed: int) -> None:
    device, programs = restricted_instance(seed, LARGEST)
    r = Random(seed)
    for _ in range(4):
        assert_same_restricted_answer(device, programs, r.randint(1, 5), *random_restriction(r, programs, device))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("digits", ["x=m/2.n/2", "x=n/2.m/2"])
def test_digits_may_trade_places_only_where_no_group_ends_between_them(seed: int, digits: str) -> None:
    """Sharing a's reads along n needs n least significant, sharing b's along m needs m there."""
    device = replace(random_device(Random(seed), (4,)), multicast=Multicast(random_transfer(Random(seed)), 50))
    programs = [gemm(64, 64, 64, (32, 32, 32))]
    assert assert_same_restricted_answer(device, programs, 6, [digits], [])
    assert (
        assert_same_restricted_answer(device, programs, 6, [digits], ["a.broadcast=private", "b.broadcast=private"])
        == 0
    )
    shared = "b" if digits.endswith("m/2") else "a"
    assert assert_same_restricted_answer(device, programs, 6, [digits, f"{shared}.group=2"], [])


@pytest.mark.parametrize("seed", range(4))
def test_a_pin_on_one_of_two_alike_loads_tells_them_apart(seed: int) -> None:
    device = random_device(Random(seed), (2, 1))
    programs = [stencil(2, (3,), 2)]
    for pins in (["a0.depth=2", "a1.depth=1"], ["a0.depth=1", "a1.depth=2"]):
        restriction = parse_restriction(problem(*programs), device, pins)
        found = solve(problem(*programs), device, k=3, restriction=restriction).plans
        assert found
        assert [tuple(p.depth for p in plan.plan.placements[:2]) for plan in found] == [
            (int(pins[0][-1]), int(pins[1][-1]))
        ] * len(found)
        assert_same_restricted_answer(device, programs, 3, pins, [])


@pytest.mark.parametrize("seed", range(4))
def test_a_pin_says_which_of_two_mirror_images_is_meant(seed: int) -> None:
    device = random_device(Random(seed), (4,))
    programs = [gemm(128, 128, 32, (32, 32, 32))]
    keys = []
    for pins in (["m.cores=4"], ["n.cores=4"]):
        restriction = parse_restriction(problem(*programs), device, pins)
        found = solve(problem(*programs), device, k=3, restriction=restriction).plans
        assert all(cores_per_dim(plan.plan.spatial)[pins[0][0]] == 4 for plan in found)
        keys.append([plan.cost.key for plan in found])
        assert_same_restricted_answer(device, programs, 3, pins, [])
    assert keys[0] == keys[1]
    assert keys[0]
