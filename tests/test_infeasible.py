"""When nothing fits: what is named is to blame, relaxing it by exactly that much helps, and what is offered fits."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from gemm import attention, gemm
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import problem, random_device, random_program
from restrictions import random_restriction, restricted_instance

from cpplan.cli import main
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.infeasible import Infeasible, explain
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.frontend import read_problems
from cpplan.plan.restrict import Restriction
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import Problem, TileProgram

KERNELS = str(Path(__file__).with_name("cli") / "kernels.py")
MATMUL = str(Path(__file__).parents[1] / "examples" / "matmul.py")


def with_sram(device: Device, usable: int) -> Device:
    return replace(device, sram=replace(device.sram, size=device.sram.reserved + usable))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_sram_of_the_named_demand_is_enough_and_one_byte_less_is_not(r: Random, candidates: int) -> None:
    """Brute force over all plans is the judge."""
    device = random_device(r, r.choice([(1, 1), (1, 2), (2, 2), (3,)]))
    programs = [random_program(r) for _ in range(candidates)]
    needed = explain(problem(*programs), with_sram(device, 1)).needed_bytes
    enough, short = with_sram(device, needed), with_sram(device, needed - 1)
    assume(count(programs, enough, 3_000) <= 3_000)
    assert brute_force(programs, enough, 1)
    assert not brute_force(programs, short, 1)
    assert solve(problem(*programs), enough).status == "optimal"
    assert solve(problem(*programs), short).status == "infeasible"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.floats(0.05, 0.99))
def test_the_blamed_buffers_are_the_fewest_that_do_not_fit_together(r: Random, share: float) -> None:
    device, program = random_device(r), random_program(r)
    needed = explain(problem(program), with_sram(device, 1)).needed_bytes
    why = explain(problem(program), with_sram(device, int(needed * share)))
    blamed = [b.bytes for b in why.buffers if b.blamed]
    assert sum(blamed) > why.limit_bytes
    for fewer in itertools.combinations([b.bytes for b in why.buffers], len(blamed) - 1):
        assert sum(fewer) <= why.limit_bytes
    assert sum(b.bytes for b in why.buffers) == why.needed_bytes > why.limit_bytes


def test_the_message_names_buffer_level_demand_bound_and_device() -> None:
    """K and V of 4096 keys are 1 MiB each; with one block of queries they fill more than wormhole has."""
    why = explain(problem(attention(4096, 8192, 128, (32, 8192))), load_device("wormhole"))
    assert why.limits == ("SRAM capacity of wormhole", "k at level j")
    assert why.message.startswith("k footprint at level j needs 2.1 MB of 1.4 MB: ")
    assert (why.needed_bytes, why.limit_bytes) == (2 * 2_097_152 + 2 * 8_192, 1_393_312)


def test_demand_and_bound_that_round_alike_are_told_apart() -> None:
    program = gemm(1024, 1024, 64, (512, 512, 32))
    needed = explain(problem(program), with_sram(load_device("wormhole"), 1)).needed_bytes
    why = explain(problem(program), with_sram(load_device("wormhole"), needed - 1))
    assert f"needs {needed:,} B of {needed - 1:,} B" in why.message


def test_of_several_block_shapes_the_closest_is_explained() -> None:
    shapes = [(2048, 2048, 64), (1024, 1024, 64), (2048, 1024, 64)]
    why = explain(problem(*(gemm(4096, 4096, 4096, s) for s in shapes)), load_device("wormhole"))
    assert dict(why.block) == {"BM": 1024, "BN": 1024, "BK": 64}
    assert why.candidates == 3
    assert "the smallest of 3 block shapes" in why.message


def test_offered_devices_hold_the_kernel_as_it_is_and_the_others_do_not() -> None:
    tight = problem(gemm(1024, 1024, 64, (448, 512, 32)))
    solution = solve(tight, load_device("wormhole"))
    assert solution.infeasible is not None
    offered = {change.device for change in solution.infeasible.changes}
    assert "blackhole" in offered
    for name in ("blackhole", "wormhole_4x8", "amd_xdna2_8x4", "mesh_8x10", "triple_ring"):
        assert (solve(tight, load_device(name), time_limit=1e-9).status != "infeasible") == (name in offered)


def test_without_any_core_the_cores_are_to_blame() -> None:
    device = replace(load_device("wormhole", cores="1x2"), disabled=((0, 0), (0, 1)))
    solution = solve(problem(gemm(64, 64, 64, (32, 32, 32))), device)
    assert solution.status == "infeasible"
    assert "every core of wormhole[1x2] is disabled" in solution.reason


# -- pins that take too much -------------------------------------------------------------------------------------------


def pinned(seed: int) -> Iterator[tuple[Device, list[TileProgram], Restriction, Infeasible]]:
    """Random pins under which plans exist, on devices with less SRAM than the smallest of them takes."""
    device, programs = restricted_instance(seed, 600)
    programs, r = programs[:1], Random(seed)
    for _ in range(4):
        pins, _ = random_restriction(r, programs, device, 3)
        restriction = parse_restriction(problem(*programs), device, pins)
        least = explain(problem(*programs), with_sram(device, 16)).needed_bytes
        for scarce in (with_sram(device, least), with_sram(device, least * 5 // 4)):
            solution = solve(problem(*programs), scarce, restriction=restriction)
            why = solution.infeasible
            if why is not None and why.buffers:
                yield scarce, programs, restriction, why


def test_the_demand_of_pinned_plans_is_exact_and_milder_pins_fit() -> None:
    """Brute force is the judge: the named demand is enough for the pins to blame, one alignment less is not."""
    met = milder = 0
    for seed in range(24):
        for device, programs, restriction, why in pinned(seed):
            met += 1
            assert why.limits == (f"SRAM capacity of {device.name}", *why.options)
            assert why.needed_bytes == sum(b.bytes for b in why.buffers) > device.sram.usable
            core = restriction.only(lambda term, why=why: f"--pin {term.text}" in why.options)
            short = why.needed_bytes - device.sram.alignment
            assert brute_force(programs, with_sram(device, why.needed_bytes), 1, core)
            assert not brute_force(programs, with_sram(device, short), 1, core)
            for change in why.changes:
                milder += 1
                (text,) = re.findall(r"use --pin (.*)", change.text)
                left, _, _ = text.partition("=")
                pins = [text if t.text.startswith(f"{left}=") else t.text for t in restriction.pins]
                assert brute_force(programs, device, 1, parse_restriction(problem(*programs), device, pins))
    assert met >= 5
    assert milder >= 2


def test_a_hoisted_load_that_is_too_large_is_told_how_low_it_must_sit(tmp_path: Path) -> None:
    options = ["--device", "wormhole", "--cores", "2x1", "--pin", "a.level=launch", "--pin", "m.cores=1", "--json"]
    result = CliRunner().invoke(main, ["solve", KERNELS, "--out", str(tmp_path), *options, "--", "4096"])
    (entry,) = json.loads(result.stdout)["problems"]
    why = entry["infeasible"]
    assert why["limits"] == ["SRAM capacity of wormhole[2x1]", "--pin a.level=launch"]
    assert why["buffers"][0]["buffer"] == "a"
    assert why["buffers"][0]["place"] == "before all loops"
    assert why["changes"][0]["text"] == "use --pin a.level=wave.m"
    assert why["message"].startswith("a footprint before all loops needs 16.8 MB of 1.4 MB: use --pin a.level=wave.m")


def test_pins_that_contradict_each_other_have_no_buffers_to_blame(tmp_path: Path) -> None:
    options = ["--device", "wormhole", "--pin", "a.broadcast=row", "--pin", "a.group=1x1", "--json"]
    result = CliRunner().invoke(main, ["solve", KERNELS, "--out", str(tmp_path), *options])
    why = json.loads(result.stdout)["problems"][0]["infeasible"]
    assert why["limits"] == why["options"] == ["--pin a.broadcast=row", "--pin a.group=1x1"]
    assert (why["buffers"], why["changes"]) == ([], [])


# -- smaller block shapes, read again from the kernel ------------------------------------------------------------------


def only(problems: list[Problem]) -> Problem:
    (found,) = problems
    return found


def refused(problem: Problem, device: Device) -> Infeasible:
    solution = solve(problem, device)
    assert solution.status == "infeasible"
    assert solution.infeasible is not None
    return solution.infeasible


def product(**values: int) -> Problem:
    """C = A @ B of 4096 x 4096 at one block shape; the grid follows the parameters."""
    shapes = ["a=bf16[4096,4096]", "b=bf16[4096,4096]", "c=fp32[4096,4096]", "N=4096", "K=4096"]
    constexprs = [f"{name}={value}" for name, value in values.items()]
    limit = load_device("wormhole").sram.usable
    return only(
        read_problems(
            KERNELS, kernel="product", args=shapes, constexprs=constexprs, grid="cdiv(4096,BM),cdiv(4096,BN)",
            sram_limit=limit,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    "block", [{"BM": 64, "BN": 4096, "BK": 32}, {"BM": 512, "BN": 512, "BK": 1024}, {"BM": 32, "BN": 64, "BK": 8192}]
)
def test_offered_block_parameters_fit_and_twice_the_value_does_not(block: dict[str, int]) -> None:
    wormhole = load_device("wormhole")
    why = refused(product(**block), wormhole)
    offers = [change for change in why.changes if change.kind == "block"]
    assert offers
    assert why.message.splitlines()[0].endswith(f": {offers[0].text}")
    for change in offers:
        assert change.grid is None
        assert solve(product(**{**block, **dict(change.parameters)}), wormhole, time_limit=1e-9).plans
        if len(change.parameters) == 1:
            ((name, value),) = change.parameters
            assert change.text == f"use {name}<={value}"
            assert refused(product(**{**block, name: 2 * value}), wormhole)


def test_several_parameters_are_named_where_no_single_one_is_enough() -> None:
    block = {"BM": 1024, "BN": 1024, "BK": 1024}
    why = refused(product(**block), load_device("wormhole"))
    change = why.changes[0]
    assert len(change.parameters) > 1
    assert re.fullmatch(r"use (\w+<=\d+)( with \w+<=\d+)+", change.text)
    assert solve(product(**{**block, **dict(change.parameters)}), load_device("wormhole"), time_limit=1e-9).plans


def test_a_grid_that_does_not_follow_is_named_with_the_parameters() -> None:
    """The file computes its grid outside the launch: 2048 / 1024 blocks each way."""
    limit = load_device("wormhole").sram.usable
    why = refused(only(read_problems(KERNELS, argv=["2048", "1024"], sram_limit=limit)), load_device("wormhole"))
    assert (why.changes[0].text, why.changes[0].grid) == ("use BM<=128 on grid 16,2,1", (16, 2, 1))


def test_tiles_larger_than_triton_lowers_are_explained_too() -> None:
    """timeloop 99 and 187: 2048 x 2048 blocks, four times what Triton holds in one tile."""
    why = refused(product(BM=2048, BN=2048, BK=2048), load_device("wormhole"))
    assert {b.buffer: b.bytes for b in why.buffers if b.buffer in "abc"} == {
        "a": 2048 * 2048 * 2, "b": 2048 * 2048 * 2, "c": 2048 * 2048 * 4,
    }  # fmt: skip
    assert why.limits[1] == "c at block level"
    assert why.changes[0].kind == "block"


def test_autotuned_kernels_start_from_the_closest_configuration() -> None:
    """64 x 64 x 64 needs 8 KiB each for A and B, 8 for C and 16 for the accumulator."""
    small = with_sram(load_device("wormhole"), 32_000)
    why = refused(only(read_problems(MATMUL, argv=["512"] * 3, sram_limit=32_000)), small)
    assert {name: dict(why.block)[name] for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K")} == dict.fromkeys(
        ("BLOCK_M", "BLOCK_N", "BLOCK_K"), 64
    )
    offers = [change.text for change in why.changes if change.kind == "block"]
    assert offers == ["use BLOCK_M<=32", "use BLOCK_N<=32"]


def test_free_parameters_without_a_shape_that_fits_are_infeasible_not_an_error() -> None:
    tiny = with_sram(load_device("wormhole"), 8_000)
    why = refused(only(read_problems(MATMUL, argv=["512"] * 3, free=["BLOCK_M", "BLOCK_N"], sram_limit=8_000)), tiny)
    assert {name: dict(why.block)[name] for name in ("BLOCK_M", "BLOCK_N")} == {"BLOCK_M": 32, "BLOCK_N": 32}


# -- the command line --------------------------------------------------------------------------------------------------


def run(out: Path, *options: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["solve", KERNELS, "--out", str(out), *options, "--", "2048", "1024"])
    return result.exit_code, result.stdout


def test_json_says_why_for_programs(tmp_path: Path) -> None:
    code, text = run(tmp_path, "--device", "wormhole", "--json")
    (entry,) = json.loads(text)["problems"]
    why: dict[str, Any] = entry["infeasible"]
    assert (code, entry["status"]) == (3, "infeasible")
    assert why["limits"] == ["SRAM capacity of wormhole", "c at block level"]
    assert why["needed_bytes"] == sum(b["bytes"] for b in why["buffers"]) > why["limit_bytes"] == 1_393_312
    assert why["block"] == {"BM": 1024, "BN": 1024, "BK": 32}
    assert why["changes"][0]["parameters"] == {"BM": 128}
    assert why["message"].startswith("c footprint at block level needs 4.2 MB of 1.4 MB: use BM<=128")


def test_people_read_the_same(tmp_path: Path) -> None:
    code, text = run(tmp_path, "--device", "wormhole")
    assert code == 3
    first = "c footprint at block level needs 4.2 MB of 1.4 MB: use BM<=128 on grid 16,2,1"
    assert first in text
    assert first in (Path(__file__).parents[1] / "docs" / "encoding.md").read_text()


def test_smaller_blocks_are_found_for_the_smallest_of_several_devices(tmp_path: Path) -> None:
    _, text = run(tmp_path, "--device", "blackhole", "--device", "amd_xdna2_8x4", "--json")
    for entry in json.loads(text)["problems"]:
        assert any(change["kind"] == "block" for change in entry["infeasible"]["changes"])
