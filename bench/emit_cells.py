"""Cells of the emission matrix: a plan of an example kernel made a program, checked, executed and compared."""

from __future__ import annotations

import contextlib
import io
import math
import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from emit_descriptors import UNTRIED, Runtime

from cpplan.device.device import Device, Forward
from cpplan.emit_ttmetal.compare import largest_error, random_memory, tolerance
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.launch import as_held, device_memory, memory_after
from cpplan.emit_ttmetal.program import Program
from cpplan.emulate import Stats, run
from cpplan.encode.solve import RankedPlan, solve
from cpplan.errors import CpplanError, InfeasibleError
from cpplan.frontend import read_launches
from cpplan.frontend.find_launch import find_launch
from cpplan.frontend.interpreted import interpret
from cpplan.frontend.launch import Launch
from cpplan.plan.terms import parse_restriction
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.program import Problem
from cpplan.typecheck import TypeCheckUnavailable, check
from cpplan.typecheck.wheel import cached_headers

ROOT = Path(__file__).parents[1]
TOP = ("1", "2", "3")
Cell = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One launch of an example file; ``pins`` lists restrictions whose best plan is a cell too.

    ``launch`` is "" for a file's only launch; ``refused`` is part of the message where no program can be made. Without
    ``ranks`` the best plans are no cells, since another case has them. ``formats`` are those of ``--format``.
    """

    name: str
    file: str
    even: str
    ragged: str
    launch: str = ""
    pins: tuple[str, ...] = ()
    refused: str = ""
    ranks: bool = True
    formats: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The kernel file: an example, or one of another folder."""
        return ROOT / f"{self.file if '/' in self.file else f'examples/{self.file}'}.py"

    def sizes(self, shape: str) -> tuple[str, ...]:
        """Command line of the file for the shape ``even`` or ``ragged``."""
        return tuple((self.even if shape == "even" else self.ragged).split())


SPLITS = ("combine=tree", "combine=ring", "combine=none *.depth=1")
SOFTMAX = ("combine=tree", "combine=none *.depth=1")  # states of more than a sum go no ring
DECODE = ("2 8 2 512 64 2", "2 6 2 300 64 2")
UNEVEN = ("1 8 2 1024 64 3", "1 6 2 1000 64 3")
CACHED = ("k_ptr=bfp8_b", "v_ptr=bfp8_b")
STATE = ("1 256 2 32 1 32 64", "1 200 2 48 1 32 64")
CASES = (
    Case("matmul", "matmul", "256 256 256", "500 300 200", pins=(
        "k.cores=2 combine=tree", "k.cores=4 combine=ring", "k.cores=3 combine=tree", "a_ptr.broadcast=row",
        "b_ptr.broadcast=column", "*.depth=1", "b_ptr.level=launch",
    )),
    Case("matmul, forwarded", "matmul", "256 256 256", "500 300 200", pins=(
        "a_ptr.broadcast=forward", "b_ptr.broadcast=forward", "a_ptr.broadcast=forward b_ptr.broadcast=forward",
        "a_ptr.broadcast=forward b_ptr.broadcast=multicast", "a_ptr.broadcast=forward k.cores=2 combine=tree",
    ), ranks=False),
    Case("matmul, fp32", "bench/data/plain_gemm", "256 256 256 float32", "100 90 70 float32", pins=(
        "k.cores=2 combine=tree", "k.cores=2 combine=ring", "a_ptr.broadcast=row", "combine=none *.depth=1",
    )),
    Case("matmul, leaky ReLU and bias", "matmul_bias_activation", "128 128 128", "70 100 72", pins=SPLITS),
    Case("batched matmul", "batched_matmul", "4 64 64 64", "3 70 50 40", pins=SPLITS),
    Case("persistent matmul", "persistent_matmul", "256 256 128", "200 144 80"),
    Case("split-k matmul", "split_k_matmul", "64 128 1024", "50 100 1000", pins=(
        "part.cores=1", "part.cores=2", "part.cores=3 *.depth=1", "part.cores=2 step.cores=2 combine=tree",
        "c_ptr.noc=0 c_ptr_old.noc=0 part.cores=2", "c_ptr.noc=0 c_ptr_old.noc=1 part.cores=4",
    )),
    Case("attention, causal", "attention", "1 2 2 256 64", "1 2 2 150 32", "attention_kernel"),
    Case("attention", "attention", "1 2 2 256 64", "1 2 2 150 32", "attention_kernel_2", pins=SOFTMAX),
    Case("attention, causal, shared heads", "attention", "1 4 2 128 64", "1 6 2 100 64", "attention_kernel"),
    Case("attention, shared heads", "attention", "1 4 2 128 64", "1 6 2 100 64", "attention_kernel_2", pins=SOFTMAX),
    Case("decode, parts", "flash_decode", *DECODE, "decode_part_kernel", pins=SOFTMAX),
    Case("decode, uneven parts", "flash_decode", *UNEVEN, "decode_part_kernel", pins=SOFTMAX),
    Case("decode, a key head each", "flash_decode", "1 4 4 512 64 2", "1 3 3 300 32 3", "decode_part_kernel",
         pins=("combine=none *.depth=1",)),
    Case("decode, combine", "flash_decode", *DECODE, "decode_combine_kernel"),
    Case("mamba chunk scan", "mamba_chunk_scan", "1 256 2 32 1 32 128", "1 200 2 48 1 32 128", pins=SPLITS),
    Case("mamba chunk decay", "mamba_chunk_state", *STATE, "chunk_decay_kernel"),
    Case("mamba chunk state", "mamba_chunk_state", *STATE, "chunk_state_kernel", pins=SPLITS),
    Case("softmax", "softmax", "64 128", "33 100"),
    Case("layer norm", "layer_norm", "64 2048", "33 1300"),
    Case("rms norm and residual", "rms_norm_residual", "64 128", "33 100"),
    Case("swiglu", "swiglu", "64 128", "33 100"),
    Case("add and gelu", "elementwise", "64 128", "33 100"),
    Case("helion matmul", "helion_matmul", "128 128 128", "100 72 96"),
    Case("matmul, bfp8", "matmul", "256 256 256", "500 300 200", formats=("a_ptr=bfp8_b", "b_ptr=bfp8_b"), pins=(
        "k.cores=3 combine=tree", "k.cores=4 combine=ring", "a_ptr.broadcast=row combine=none",
    )),
    Case("matmul, bfp8 weights", "matmul", "256 256 256", "500 300 200", formats=("b_ptr=bfp8_b",)),
    Case("matmul, bfp8 and its results", "matmul", "256 256 256", "500 320 200",
         formats=("a_ptr=bfp8_b", "b_ptr=bfp8_b", "c_ptr=bfp8_b")),
    Case("matmul, bfp4 weights", "matmul", "256 256 256", "500 300 200", formats=("b_ptr=bfp4_b",)),
    Case("attention, bfp8 keys and values", "attention", "1 2 2 256 64", "1 2 2 150 32", "attention_kernel_2",
         formats=CACHED),
    Case("decode, uneven parts, bfp8 keys and values", "flash_decode", *UNEVEN, "decode_part_kernel", formats=CACHED,
         pins=("combine=none *.depth=1",)),
    Case("swiglu, bfp8", "swiglu", "64 128", "33 112", formats=("x_ptr=bfp8_b", "y_ptr=bfp8_b")),
)  # fmt: skip


def plans_of(case: Case) -> tuple[str, ...]:
    """Names of the plans of a case: ranks, then restrictions."""
    return (*(TOP if case.ranks else ()), *case.pins)


@dataclass(frozen=True)
class Ran:
    """One emulated run: the largest error in units of what is allowed, what moved, and how long it took."""

    off: float
    stats: Stats
    seconds: float


@dataclass(frozen=True)
class Made:
    """A plan with its program, and the launch that it stands for."""

    plan: RankedPlan
    schedule: Schedule
    program: Program
    launch: Launch

    def run(self, seed: int) -> Ran:
        """The program on the emulated chip against Triton's interpreter; ``seed`` is that of inputs and events."""
        program = self.plan.program
        memory = random_memory(self.launch, program, seed)
        expected = as_held(program, interpret(self.launch, memory))
        begin = time.perf_counter()
        pages, stats = run(self.program, device_memory(self.schedule, memory), seed=seed)
        seconds = time.perf_counter() - begin
        computed = memory_after(self.schedule, memory, pages)
        off = 0.0
        for tensor in program.tensors:
            if program.is_written(tensor.name):
                wrong = largest_error(computed[tensor.name], expected[tensor.name])
                allowed = tolerance(program, tensor, expected[tensor.name])
                off = max(off, wrong / allowed if allowed else math.inf if wrong else 0.0)
        return Ran(off, stats, seconds)


@dataclass(frozen=True)
class Planned:
    """One shape of a case on a device, whose solves take at most ``seconds`` each.

    Raises :class:`~cpplan.errors.CpplanError` where the file cannot be read for these sizes.
    """

    case: Case
    shape: str
    device: Device
    seconds: float = 10.0

    @cached_property
    def problem(self) -> Problem:
        """The launch as the solver sees it."""
        usable = self.device.sram.usable
        argv = list(self.case.sizes(self.shape))
        with contextlib.redirect_stderr(io.StringIO()):  # the file's own words
            reading = read_launches(
                str(self.case.path), argv=argv, sram_limit=usable, sram_least=usable, formats=self.case.formats
            )
        wanted = self.case.launch or reading.problems[0].name
        return next(problem for problem in reading.problems if problem.name == wanted)

    @cached_property
    def best(self) -> tuple[RankedPlan, ...]:
        """The best plans."""
        return solve(self.problem, self.device, k=len(TOP), time_limit=self.seconds).plans

    def device_of(self, name: str) -> Device:
        """The device; for plans that forward, described as one whose neighbours pass tiles on, as well as by multicast.

        The specs of the chips list no such links, since multicast does their work.
        """
        if "=forward" not in name or self.device.multicast is None:
            return self.device
        links = Forward(tuple(dim.name for dim in self.device.dims), self.device.multicast.transfer)
        return replace(self.device, forward=links)

    def plan(self, name: str) -> RankedPlan:
        """The plan called ``name``; raises InfeasibleError where there is none."""
        if name.isdigit():
            if len(self.best) < int(name):
                raise InfeasibleError(f"no plan {name}: there are {len(self.best)}")
            return self.best[int(name) - 1]
        device = self.device_of(name)
        restriction = parse_restriction(self.problem, device, name.split())
        solution = solve(self.problem, device, k=1, time_limit=self.seconds, restriction=restriction)
        if not solution.plans:
            raise InfeasibleError(solution.reason)
        return solution.plans[0]

    def made(self, name: str) -> Made:
        """The plan called ``name`` as a program; raises CpplanError where there is none."""
        plan = self.plan(name)
        schedule = build_schedule(plan.program, self.device_of(name), plan.plan)
        program = emit(schedule)
        path, argv = str(self.case.path), self.case.sizes(self.shape)
        with contextlib.redirect_stderr(io.StringIO()):
            launch = find_launch(path, self.problem.name, dict(plan.program.block), argv=argv)
        return Made(plan, schedule, program, launch)

    def cell(self, name: str, seeds: tuple[int, ...] = (0, 1), runtime: Runtime | None = None) -> Cell:
        """What became of the plan called ``name``.

        ``outcome`` is equal, different, refused, failed or "no plan"; ``types`` is ok, unknown (no headers cached) or
        the errors; ``descriptors`` is accepted, not tried (no ``runtime``) or the runtime's complaint; ``off`` the
        largest error in units of what is allowed, over all ``seeds``.
        """
        try:
            made = self.made(name)
        except InfeasibleError as error:
            return {"outcome": "no plan", "message": str(error)}
        except CpplanError as error:
            return {"outcome": "refused", "message": str(error)}
        combine = made.plan.plan.combine
        found = {
            "message": "",
            "cores": len(made.program.cores),
            "combine": combine.method if combine else "",
            "types": type_errors(made.program),
            "descriptors": runtime.verdict(made.schedule, made.program) if runtime else UNTRIED,
        }
        try:
            runs = [made.run(seed) for seed in seeds]
        except CpplanError as error:
            return found | {"outcome": "failed", "message": str(error)}
        off = max(item.off for item in runs)
        return found | {
            "outcome": "equal" if off <= 1 else "different",
            "off": round(off, 3),
            "multicasts": runs[0].stats.multicasts,
            "seconds": round(min(item.seconds for item in runs), 3),
        }


def type_errors(program: Program) -> str:
    """ok, unknown without the vendor's headers in the cache, or the errors."""
    if cached_headers() is None:
        return "unknown"
    try:
        errors = check(program)
    except TypeCheckUnavailable:  # no libclang
        return "unknown"
    return "; ".join(map(str, errors)) or "ok"
