"""The solver's top-k equals brute force, plan by plan and integer by integer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from gemm import gemm
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import problem, random_device, random_program

from cpplan.cost.model import evaluate
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.space import violations
from cpplan.tile.family import stack
from cpplan.tile.program import Access, Affine, Dim, Family, Op, Tensor, TileProgram
from cpplan.tile.stored import stored_as

SEEDS: list[int] = json.loads((Path(__file__).parent / "data" / "oracle_seeds.json").read_text())["seeds"]


def instance(r: Random) -> tuple[Device, TileProgram]:
    """A random device and a random program for it."""
    return random_device(r), random_program(r)


def assert_same_answer(device: Device, programs: list[TileProgram], k: int, families: tuple[Family, ...] = ()) -> None:
    """``families`` holds the same programs; one family each by default."""
    expected = brute_force(programs, device, k)
    launch = problem(*programs)
    solution = solve(replace(launch, families=families or launch.families), device, k=k)
    assert [p.cost.key for p in solution.plans] == [s.key for s in expected]
    assert [p.plan for p in solution.plans] == [s.plan for s in expected]
    assert solution.status == ("optimal" if expected else "infeasible")
    assert solution.gap == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_saved_instances(seed: int) -> None:
    device, program = instance(Random(seed))
    assert_same_answer(device, [program], 5)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_random_instances(r: Random, k: int) -> None:
    device, program = instance(r)
    assume(count([program], device, 4_000) <= 4_000)
    assert_same_answer(device, [program], k)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_block_shapes_are_chosen_jointly(r: Random) -> None:
    device = random_device(r)
    programs = [random_program(r) for _ in range(3)]
    assume(count(programs, device, 4_000) <= 4_000)
    assert_same_answer(device, programs, 4)


@pytest.mark.parametrize("seed", range(8))
def test_layouts_are_chosen_jointly(seed: int) -> None:
    """Candidates of one family, some of which lie in runs and some in tiles of 32x32."""
    blocks = [(1, 1024), (1, 2048), (1, 100), (2, 512), (32, 64), (32, 32)]
    programs = [exponential(64, 2048, block) for block in blocks]
    device = random_device(Random(seed), (2, 2))
    family = stack(programs)
    assert family.stacked.in_runs.tolist() == [rows == 1 for rows, _ in blocks]
    assert_same_answer(device, programs, 6, (family,))


@pytest.mark.parametrize("formats", [{"a": "bfp8_b", "b": "bfp8_b"}, {"b": "bfp4_b", "c": "bfp8_b"}])
def test_tensors_in_block_formats(formats: dict[str, str]) -> None:
    """Pages of 1,088 and 576 bytes on a part of a chip whose figures are all there."""
    device = load_device("wormhole", cores="2x2@1,1")
    programs = [stored_as(gemm(128, 96, 64, block), formats) for block in ((64, 32, 32), (32, 96, 64))]
    assert_same_answer(device, programs, 4)


def exponential(rows: int, columns: int, block: tuple[int, int]) -> TileProgram:
    """y = exp(x), element by element, in blocks of any shape."""
    dims = tuple(Dim(name, -(-n // b)) for name, n, b in zip("ij", (rows, columns), block, strict=True))
    starts = tuple(Affine(0, ((name, b),)) for name, b in zip("ij", block, strict=True))
    accesses = (
        Access("x", "x", "load", block, starts, value="v"),
        Access("y", "y", "store", block, starts, value="e"),
    )
    tensors = tuple(Tensor(name, "bf16", (rows, columns), (columns, 1)) for name in "xy")
    ops = (Op("e", "exp", ("v",), block, "bf16", None, (), (block,), ("bf16",)),)
    named = tuple(zip(("BM", "BN"), block, strict=True))
    return TileProgram("exponential", dims, (), tensors, accesses, ops, (), named)


@pytest.mark.parametrize("device", ["wormhole", "blackhole", "triple_ring", "amd_xdna2_8x4"])
def test_shipped_devices(device: str) -> None:
    blocks = [(32, 32, 32), (32, 32, 64), (64, 32, 32), (32, 64, 64)]
    assert_same_answer(load_device(device), [gemm(64, 96, 128, block) for block in blocks], 6)


@pytest.mark.parametrize("seed", range(12))
def test_arrays_of_three_dims(seed: int) -> None:
    device = random_device(Random(seed), (2, 2, 2))
    program = next(p for p in map(random_program, map(Random, range(seed, 1000))) if count([p], device, 3_000) <= 3_000)
    assert_same_answer(device, [program], 5)


def test_mirror_images_are_one_plan_also_across_block_shapes() -> None:
    device = replace(random_device(Random(3)), multicast=None, forward=None)
    programs = [gemm(256, 256, 128, block) for block in ((64, 128, 64), (128, 64, 64), (64, 64, 64))]
    assert_same_answer(device, programs, 6)
    keys = [p.plan for p in solve(problem(*programs), device, k=6).plans]
    blocks = {plan.block for plan in keys}
    assert not {programs[0].block, programs[1].block} <= blocks


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_the_vectorised_model_is_the_model(r: Random) -> None:
    device, program = instance(r)
    assume(0 < count([program], device, 4_000) <= 4_000)
    for scored in brute_force([program], device, 50):
        cost = evaluate(program, device, scored.plan)
        assert cost.key == scored.key
        assert cost.sram_bytes <= cost.sram_limit_bytes
        assert not violations(program, device, scored.plan)
