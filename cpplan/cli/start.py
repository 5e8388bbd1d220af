"""``solve --from``: the plan file that a solve starts from, and what became of it on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cpplan.cli.against import sentence
from cpplan.device.device import Device
from cpplan.encode.solve import RankedPlan, Solution
from cpplan.errors import InputError
from cpplan.plan.artifact import read_plan
from cpplan.plan.changes import decisions, differing
from cpplan.plan.repair import OldPlan
from cpplan.tile.program import Problem


@dataclass(frozen=True)
class Start:
    """A plan file that solves of the launch called ``kernel`` start from."""

    path: Path
    kernel: str
    old: OldPlan

    @staticmethod
    def read(path: Path, problems: Sequence[Problem]) -> Start:
        """Read the file; raises :class:`InputError` when it is about none of ``problems``."""
        file = read_plan(path)
        names = [problem.name for problem in problems]
        if file.kernel.name not in names:
            raise InputError(
                f"--from {path}: the plan is for kernel {file.kernel.name}, to be planned are {', '.join(names)}: "
                "give a plan of one of them"
            )
        return Start(path, file.kernel.name, OldPlan(file.plan(), tuple(dim.name for dim in file.device.array)))

    def of(self, problem: Problem) -> OldPlan | None:
        """The plan to start ``problem`` from."""
        return self.old if problem.name == self.kernel else None


@dataclass(frozen=True)
class Started:
    """What became of the plan that a solve started from: None when nothing near it is legal on the device."""

    path: Path
    plan: RankedPlan | None
    changes: tuple[str, ...]

    @staticmethod
    def on(start: Start, device: Device, solution: Solution) -> Started:
        """The plan of ``start`` as ``solution`` began with it."""
        names = tuple(dim.name for dim in device.dims)
        changes: list[str] = []
        if solution.start is not None and names == start.old.dims:
            one, other = start.old.plan, solution.start.plan
            before, after = decisions(device, one), decisions(device, other)
            changes = [sentence(c, before[c], after.get(c), names) for c in differing(device, one, other)]
        return Started(start.path, solution.start, tuple(changes))

    def record(self) -> dict[str, Any]:
        """For programs: cycles of the plan on the device, and what had to change."""
        cycles = None if self.plan is None else self.plan.cost.makespan_cycles
        return {"path": str(self.path), "makespan_cycles": cycles, "changes": list(self.changes)}

    def message(self, solution: Solution) -> str:
        """For people, in one or two lines."""
        if self.plan is None:
            return f"nothing near {self.path} is a plan for this launch and device"
        began, now = self.plan.cost.makespan_cycles, solution.plans[0].cost.makespan_cycles
        better = f"{1 - now / began:.1%} fewer now" if now < began else "nothing better found"
        changed = f"\nchanged in it: {'; '.join(self.changes)}" if self.changes else ""
        return f"started from {self.path}: {began:,} cycles on this device, {better}{changed}"
