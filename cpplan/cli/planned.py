"""The plan that a command makes a program of: from a plan file, or of a kernel file that is solved now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cpplan.cli.chosen import Chosen, brought, problem_and_device, solved
from cpplan.cli.options import DeviceOptions, LaunchOptions, RestrictionOptions
from cpplan.device.device import Device
from cpplan.device.formats import check_formats
from cpplan.errors import InputError
from cpplan.plan.plan import Plan
from cpplan.tile.program import Problem, TileProgram


@dataclass(frozen=True)
class Planned:
    """A tile program, a device and a plan; ``name`` is that of the problem."""

    name: str
    program: TileProgram
    device: Device
    plan: Plan


def of_kernel(
    launch: LaunchOptions, devices: DeviceOptions, restricted: RestrictionOptions, which: str, name: str | None = None
) -> Planned:
    """Plan number ``which`` of a launch of a kernel file, or the plan in the file ``which``.

    ``name`` chooses the launch (default: the first). Raises :class:`~cpplan.errors.InputError` for a plan that breaks
    rules, and :class:`~cpplan.errors.InfeasibleError` where there are fewer plans.
    """
    problem, device = _problem(launch, devices, name)
    if which.isdigit() and int(which) > 0:
        (chosen,) = solved(problem, device, restricted, int(which), 1)
    elif Path(which).exists():
        chosen = brought(problem, device, Path(which))
    else:
        raise InputError(f"--plan {which}: give the number of a plan, 1 being the best, or a plan file that exists")
    return _planned(problem, device, chosen)


def of_file(path: Path, devices: DeviceOptions) -> Planned:
    """The plan in ``path``, with the program that ``cpplan solve`` wrote beside it."""
    from cpplan.plan.artifact import read_plan
    from cpplan.plan.check import check_plan
    from cpplan.schedule.mlir import SEPARATOR
    from cpplan.tile.mlir import parse_program

    file = read_plan(path)
    beside = path.with_suffix(".mlir")
    if not beside.exists():
        raise InputError(f"{beside}: not there: it holds the kernel's program, `cpplan solve` writes it beside {path}")
    device = _device(path, file.device.name, file.device.fingerprint, devices)
    program = parse_program(beside.read_text(encoding="utf-8").partition(SEPARATOR)[0])
    found = check_plan(program, device, file.plan())
    if found.violations:
        broken = "\n  ".join(found.violations)
        raise InputError(f"{path}: this is no plan for {file.kernel.name} on {device.name}:\n  {broken}")
    return Planned(file.kernel.name, program, device, found.plan)


def named_device(name: str, devices: DeviceOptions) -> Device:
    """The device that a file calls ``name``, such as ``wormhole[4x3@1,1]``, unless options say otherwise."""
    from cpplan.device.spec import load_device

    if devices.device:
        return devices.load()[0]
    base, cut = re.fullmatch(r"([^\[]*)(?:\[(.*)\])?", name).groups()  # type: ignore[union-attr]
    return load_device(base, cores=cut if cut and re.fullmatch(r"[\dx@,]+", cut) else devices.cores)


def _problem(launch: LaunchOptions, devices: DeviceOptions, name: str | None) -> tuple[Problem, Device]:
    first, device = problem_and_device(launch, devices)
    if name is None or name == first.name:
        return first, device
    from cpplan.cli.launches import reading_of

    problems = reading_of(launch, sram_limit=device.sram.usable, sram_least=device.sram.usable).problems
    for problem in problems:
        if problem.name == name:
            check_formats(problem, device)
            return problem, device
    known = ", ".join(problem.name for problem in problems)
    raise InputError(f"--launch {name}: {launch.path} launches {known}")


def _planned(problem: Problem, device: Device, chosen: Chosen) -> Planned:
    assert chosen.evaluation is not None  # the kernel is known
    return Planned(problem.name, chosen.evaluation.program, device, chosen.evaluation.plan)


def _device(path: Path, name: str, fingerprint: str, devices: DeviceOptions) -> Device:
    """The device of a plan file: loaded by its name unless options say otherwise, and the same as then."""
    device = named_device(name, devices)
    if device.fingerprint != fingerprint:
        raise InputError(
            f"{path}: was planned for {name}, which is not {device.name} as described now: name the device as it was "
            "solved for, with --device, --cores, --disable-core and --derate"
        )
    return device
