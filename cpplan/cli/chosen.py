"""Plans of a kernel file: solved now, or brought along by the user and checked; each with what a comparison needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cpplan.cli.console import progress
from cpplan.cli.options import DeviceOptions, LaunchOptions, RestrictionOptions
from cpplan.device.device import Device
from cpplan.device.formats import check_formats
from cpplan.errors import InfeasibleError, InputError
from cpplan.plan.artifact import plan_file
from cpplan.plan.check import Evaluation, evaluate_decisions
from cpplan.plan.forms import canonical_form
from cpplan.plan.partial import read_partial
from cpplan.plan.schema import PlanFile
from cpplan.tile.program import Problem


@dataclass(frozen=True)
class Chosen:
    """One plan under its name for people; ``evaluation`` is known when the kernel is."""

    name: str
    file: PlanFile
    evaluation: Evaluation | None = None


def problem_and_device(launch: LaunchOptions, devices: DeviceOptions) -> tuple[Problem, Device]:
    """The first launch of a kernel file, and the first device."""
    if not devices.device:
        raise InputError(f"{launch.path}: a kernel file is solved first, so say for which --device")
    from cpplan.cli.launches import mention, reading_of

    device = devices.load()[0]
    with progress(f"reading {launch.path}"):
        reading = reading_of(launch, sram_limit=device.sram.usable, sram_least=device.sram.usable)
    mention(reading.refused)
    check_formats(reading.problems[0], device)
    return reading.problems[0], device


def solved(problem: Problem, device: Device, restricted: RestrictionOptions, rank: int, count: int) -> list[Chosen]:
    """Plan ``rank`` of ``problem`` and those after it, ``count`` in all if there are so many."""
    from cpplan.cli.outcome import plan_files
    from cpplan.encode.solve import solve

    restriction = restricted.read(problem, device)
    with progress(f"solving {problem.name}") as report:
        solution = solve(problem, device, k=rank + count - 1, progress=report, restriction=restriction)
    if len(solution.plans) < rank:
        found = f"there are {len(solution.plans)} plans" if solution.plans else solution.reason
        raise InfeasibleError(f"{problem.name} on {device.name} has no plan {rank}: {found}")
    files = plan_files(problem, device, solution, restriction)
    return [
        Chosen(
            f"plan {file.rank}",
            file,
            Evaluation(found.program, canonical_form(found.program, device, found.plan), found.cost, ()),
        )
        for file, found in zip(files[rank - 1 :], solution.plans[rank - 1 :], strict=True)
    ]


def brought(problem: Problem, device: Device, path: Path) -> Chosen:
    """The plan that a user's file makes up; raises :class:`InputError` with every rule that it breaks."""
    try:
        evaluation = evaluate_decisions(problem, device, read_partial(path))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from error
    cost = evaluation.cost
    if cost is None or evaluation.violations:
        broken = "\n  ".join(evaluation.violations)
        raise InputError(f"{path}: this is no plan for {problem.name} on {device.name}:\n  {broken}")
    file = plan_file(problem, device, evaluation.program, evaluation.plan, cost, rank=None, certificate=None)
    return Chosen(path.name, file, evaluation)
