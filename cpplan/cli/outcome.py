"""What one solve leaves behind: a folder of plans with their certificate, a record for programs, a table for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from rich.console import Console

from cpplan.cli import words
from cpplan.cli.start import Started
from cpplan.cli.tables import movement_table, plan_table
from cpplan.device.device import Device
from cpplan.encode.infeasible import Infeasible
from cpplan.encode.solve import Solution
from cpplan.plan.artifact import plan_file, write_plan
from cpplan.plan.files import write_file
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.schema import CertificateReference, PlanFile
from cpplan.schedule.plan_text import print_plan
from cpplan.tile.program import Problem

CERTIFICATE = "certificate.json"


@dataclass(frozen=True)
class Outcome:
    """The answer to one (problem, device) pair, already on disk under ``folder``."""

    folder: Path
    kernel: str
    device: str
    array: str
    solution: Solution
    plans: tuple[PlanFile, ...]
    restricted: bool = False
    started: Started | None = None

    @property
    def status(self) -> str:
        """optimal, feasible or infeasible."""
        return self.solution.status

    @staticmethod
    def write(
        out: Path,
        problem: Problem,
        device: Device,
        solution: Solution,
        restriction: Restriction = FREE,
        started: Started | None = None,
    ) -> Outcome:
        """Write plans and certificate to ``out/KERNEL-DEVICE``; plans of an earlier run there are removed first."""
        folder = out / re.sub(r"[^A-Za-z0-9_.@,=-]+", "_", f"{problem.name}-{device.name}").strip("_")
        for old in folder.glob("plan-*"):
            if re.fullmatch(r"plan-\d+\.(json|mlir)", old.name):
                old.unlink()
        write_file(folder / CERTIFICATE, _pretty(solution.certificate))
        files = plan_files(problem, device, solution, restriction)
        for file, ranked in zip(files, solution.plans, strict=True):
            write_plan(folder / f"plan-{file.rank}.json", file)
            text = print_plan(ranked.program, device, ranked.plan, ranked.cost)
            write_file(folder / f"plan-{file.rank}.mlir", text)
        array = "x".join(str(dim.extent) for dim in device.dims)
        return Outcome(folder, problem.name, device.name, array, solution, files, bool(restriction), started)

    def record(self) -> dict[str, Any]:
        """One entry of ``problems`` in the output of ``solve --json``, with ``infeasible`` only where nothing fits, and
        ``start`` only with ``--from``."""
        why = self.solution.infeasible
        return {
            "kernel": self.kernel,
            "device": self.device,
            "status": self.solution.status,
            "bound_cycles": self.solution.bound_cycles,
            "gap": self.solution.gap,
            "solve_seconds": self.solution.solve_seconds,
            "certificate": str(self.folder / CERTIFICATE),
            "plans": [self._plan_record(file) for file in self.plans],
            **({"infeasible": _why(why)} if why else {}),
            **({"start": self.started.record()} if self.started else {}),
        }

    def _plan_record(self, file: PlanFile) -> dict[str, Any]:
        cost = file.cost
        return {
            "rank": file.rank,
            "makespan_cycles": cost.makespan_cycles,
            "bound_by": cost.bound_by,
            "dram_bytes": cost.dram_bytes,
            "noc_bytes": cost.noc_bytes,
            "sram_bytes": cost.sram_bytes,
            "sram_limit_bytes": cost.sram_limit_bytes,
            "cores": cost.cores,
            "path": str(self.folder / f"plan-{file.rank}.json"),
        }


def plan_files(
    problem: Problem, device: Device, solution: Solution, restriction: Restriction = FREE
) -> tuple[PlanFile, ...]:
    """The plans of a solution, best first, as they are written to files."""
    status: Literal["optimal", "feasible"] = "optimal" if solution.status == "optimal" else "feasible"
    reference = CertificateReference(CERTIFICATE, status, solution.bound_cycles)
    return tuple(
        plan_file(
            problem,
            device,
            found.program,
            found.plan,
            found.cost,
            rank=found.rank,
            certificate=reference,
            restriction=restriction,
        )
        for found in solution.plans
    )


def print_outcome(console: Console, outcome: Outcome) -> None:
    """The answer as people read it."""
    solution = outcome.solution
    console.print(
        f"{outcome.kernel} on {outcome.device} ({outcome.array})   {_verdict(solution, outcome.restricted)}   "
        f"{solution.solve_seconds:.2f} s",
        markup=False,
    )
    if outcome.solution.reason:
        console.print(outcome.solution.reason, markup=False)
    if outcome.plans and outcome.started:
        console.print(outcome.started.message(solution))
    if outcome.plans:
        console.print()
        console.print(plan_table(outcome.plans, [solution.gap] * len(outcome.plans)))
        console.print()
        console.print(movement_table(outcome.plans))
        console.print(f"\n{words.LEGEND}", markup=False)
        console.print(f"layout in memory: {words.layouts(outcome.plans)}", markup=False)
    console.print(f"written to {outcome.folder}/\n", markup=False)


def _verdict(solution: Solution, restricted: bool) -> str:
    if solution.status == "optimal":
        return f"optimal, proved: nothing in the space{' that was left' * restricted} is better"
    if solution.status == "feasible":
        return f"feasible, time limit reached: gap {solution.gap:.1%}, bound {solution.bound_cycles:,} cycles"
    return f"infeasible: no plan {'is left' if restricted else 'fits'}"


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _why(why: Infeasible) -> dict[str, Any]:
    """The reason for programs: limits to blame, demand against bound, what would fit."""
    record: dict[str, Any] = msgspec.to_builtins(why)
    record["block"] = dict(why.block)
    for change, entry in zip(why.changes, record["changes"], strict=True):
        entry["parameters"] = dict(change.parameters)
    return {"message": why.message, **record}
