"""The emitter's own checks: each damage to a sound program is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pytest
from gemm import gemm

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.checks import check_emitted
from cpplan.emit_ttmetal.emit import ComputeKernel, assemble
from cpplan.emit_ttmetal.program import ComputeConfig, Kernel, Program
from cpplan.errors import InternalError
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.schedule.build import build_schedule

NOTHING = ComputeKernel("void kernel_main() {}", ComputeConfig())


@lru_cache
def program() -> Program:
    """A 256x256x128 matmul on 4x2 cores: A goes along rows, in the second from its middle, B down the columns."""
    plan = Plan(
        (("BM", 128), ("BN", 64), ("BK", 64)),
        ((Split("n", 4),), (Split("m", 2),)),
        (),
        (
            Placement("a", "k", 2, (4, 1), "multicast", 1, "diagonal"),
            Placement("b", "k", 2, (1, 2), "multicast", 0, "first"),
            Placement("c", "", 1, (1, 1)),
        ),
    )
    schedule = build_schedule(gemm(256, 256, 128, (128, 64, 64)), load_device("wormhole"), plan)
    return assemble(schedule, NOTHING)


def kernel(name: str, change: Callable[[Kernel], Kernel]) -> Program:
    kernels = tuple(change(k) if k.name == name else k for k in program().kernels)
    return replace(program(), kernels=kernels)


def argument(name: str, position: int, change: Callable[[int], int]) -> Program:
    """The program with word ``position`` of the part in a shared stream changed on all cores."""

    def changed(k: Kernel) -> Kernel:
        found = re.search(r"part_at\((\d+)\)", k.source)
        assert found is not None
        at = int(found[1]) + position
        args = {}
        for core, words in k.runtime_args.items():
            word = words[at]
            assert isinstance(word, int)
            args[core] = (*words[:at], change(word), *words[at + 1 :])
        return replace(k, runtime_args=args)

    return kernel(name, changed)


def swapped_corners(k: Kernel) -> Kernel:
    found = re.search(r"part_at\((\d+)\)", k.source)
    assert found is not None
    at = int(found[1]) + 4
    args = {
        core: (*words[:at], *words[at + 2 : at + 4], *words[at : at + 2], *words[at + 4 :])
        for core, words in k.runtime_args.items()
    }
    return replace(k, runtime_args=args)


def first_buffer(**changes: object) -> Program:
    first, *rest = program().buffers
    return replace(program(), buffers=(replace(first, **changes), *rest))  # type: ignore[arg-type]


def test_a_sound_program_passes() -> None:
    check_emitted(program())


DAMAGED: dict[str, tuple[Callable[[], Program], str]] = {
    "a buffer is missing on a core": (lambda: first_buffer(cores=program().cores[1:]), "not configured on core"),
    "a buffer holds one and a half blocks": (lambda: first_buffer(pages=12), "no multiple of the blocks"),
    "two buffers overlap": (lambda: first_buffer(address=program().buffers[1].address), "overlap"),
    "a buffer lies below the region": (lambda: first_buffer(address=0), "outside of"),
    "a buffer has an index too many": (lambda: first_buffer(index=32), "32 exist"),
    "a buffer is there twice": (lambda: first_buffer(index=1), "configured 2 times"),
    "an argument is missing": (
        lambda: kernel("move_noc0", lambda k: replace(k, runtime_args={c: a[:-1] for c, a in k.runtime_args.items()})),
        "reads 11 run-time arguments",
    ),
    "an address is missing": (
        lambda: kernel("move_noc0", lambda k: replace(k, common_runtime_args=())), "common run-time arguments of 0",
    ),
    "too many arguments": (
        lambda: kernel("compute", lambda k: replace(k, runtime_args=dict.fromkeys(k.cores, (0,) * 342))),
        "more than 341",
    ),
    "both kernels on one processor": (
        lambda: kernel("move_noc0", lambda k: replace(k, processor="riscv0")), "share processor riscv0",
    ),
    "both kernels on one NoC": (lambda: kernel("move_noc0", lambda k: replace(k, noc=1)), "use NoC 1"),
    "corners in the wrong order on NoC 0": (
        lambda: argument("move_noc0", 7, lambda y: 1), "meets corner"),
    "corners in the wrong order on NoC 1": (lambda: kernel("move_noc1", swapped_corners), "meets corner"),
    "a sender inside that does not know": (lambda: argument("move_noc1", 1, lambda _: 0), "inside the rectangle"),
    "a sender outside that does not know": (lambda: argument("move_noc0", 1, lambda _: 1), "outside the rectangle"),
    "a receiver too many": (lambda: argument("move_noc1", 8, lambda n: n + 1), "4 receivers, the rectangle has 3"),
    "nobody reads": (lambda: argument("move_noc0", 0, lambda _: 0), "reads for the group"),
    "a semaphore too many": (
        lambda: replace(program(), semaphores=(*program().semaphores, replace(program().semaphores[0], id=16))),
        "semaphore 16 does not exist",
    ),
    "a semaphore is missing": (
        lambda: replace(program(), semaphores=program().semaphores[1:]), "semaphore 0 does not exist on core",
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_found(damage: str) -> None:
    damaged, words = DAMAGED[damage]
    with pytest.raises(InternalError, match=words):
        check_emitted(damaged())
