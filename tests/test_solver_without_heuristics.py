"""The encoding alone finds and ranks plans: with first plans and exact scoring cut short, CP-SAT has to."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from instances import problem, random_device, random_program
from restrictions import random_restriction, restricted_instance
from test_restricted_solver import assert_same_restricted_answer
from test_solver_equals_oracle import assert_same_answer

from cpplan.encode import columns, descent, incumbent, prove, prune, rank, seeds
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import count
from cpplan.tile.program import Access, Affine, Dim, Loop, Tensor, TileProgram


@pytest.fixture(params=[1, 1 << 40], ids=["place as many numbers", "place as one number"])
def starved(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incumbent, "SCORED", 1)
    monkeypatch.setattr(seeds, "SEEDS", 0)
    monkeypatch.setattr(seeds, "SCOUTED_SEEDS", 0)
    monkeypatch.setattr(seeds, "TRIED", (0, 0))
    monkeypatch.setattr(columns, "CONSTRUCTED", 1)
    monkeypatch.setattr(descent, "ROUNDS", 0)
    monkeypatch.setattr(prove, "MODEL_LITERALS", 60)
    monkeypatch.setattr(rank, "PACKED", request.param)


@pytest.mark.usefixtures("starved")
@pytest.mark.parametrize("seed", range(30))
def test_the_model_finds_what_brute_force_finds(seed: int) -> None:
    device, program = random_device(Random(seed)), random_program(Random(seed))
    if count([program], device, 3_000) <= 3_000:
        assert_same_answer(device, [program], 4)


@pytest.mark.usefixtures("starved")
@pytest.mark.parametrize("seed", range(24))
def test_the_model_alone_respects_restrictions(seed: int) -> None:
    device, programs = restricted_instance(seed, 600)
    r = Random(seed + 7)
    for _ in range(2):
        assert_same_restricted_answer(device, programs, 3, *random_restriction(r, programs, device))


@pytest.fixture(params=[1, 6_000], ids=["alternatives not scored", "alternatives scored"])
def relaxed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every column is relaxed, however small."""
    monkeypatch.setattr(prune, "LISTED", 0)
    monkeypatch.setattr(incumbent, "SCORED", request.param)


@pytest.mark.usefixtures("relaxed")
@pytest.mark.parametrize("seed", range(100, 140))
def test_relaxed_columns_give_what_brute_force_finds(seed: int) -> None:
    device, program = random_device(Random(seed)), random_program(Random(seed))
    if count([program], device, 3_000) <= 3_000:
        assert_same_answer(device, [program], 4)


def of_many_loads(count: int) -> TileProgram:
    """``count`` loads, no two of one size, and a store; with three placements per load at least."""
    tensors = tuple(Tensor(f"t{i}", "bf16", (4096, 4096), (4096, 1)) for i in range(count + 1))
    reads = (Affine(0, (("p", 32),)), Affine(0, (("k", 32),)))
    loads = tuple(Access(f"a{i}", f"t{i}", "load", (32 * (i + 1), 32), reads, "k") for i in range(count))
    store = Access("c", f"t{count}", "store", (32, 32), (reads[0], Affine()))
    return TileProgram("many", (Dim("p", 2),), (Loop("k", 4),), tensors, (*loads, store))


@pytest.mark.parametrize("loads", [4, 16, 40])
def test_places_have_no_limit_on_the_number_of_accesses(loads: int) -> None:
    device = random_device(Random(5), (2, 2))
    roomy = replace(device, sram=replace(device.sram, size=1 << 30))
    solution = solve(problem(of_many_loads(loads)), roomy, time_limit=1)
    assert solution.status in ("optimal", "feasible")
    assert solution.plans
