"""Under random pins and forbidden decisions the solver's top-k equals brute force over all forms of all plans."""

from __future__ import annotations

from random import Random

import pytest
from instances import problem
from restrictions import random_restriction, restricted_instance

from cpplan.cost.model import evaluate
from cpplan.device.device import Device
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force
from cpplan.plan.forms import canonical_form
from cpplan.plan.space import violations
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram

LARGEST = 1_200
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
