"""``cpplan check-api``: an emitted program's kernels against the vendor's headers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from cpplan.cli.console import print_json, progress, results
from cpplan.cli.options import DeviceOptions, device_options, take_device
from cpplan.errors import InputError

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.program import Program
    from cpplan.schedule.schedule import Schedule
    from cpplan.typecheck import Diagnostic

WRONG = 1
"""Exit code when a kernel does not compile."""


@click.command("check-api")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@device_options(required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def check_api(path: Path, as_json: bool, **shared: Any) -> None:
    """Type-check the kernels of a program against the vendor's device headers, for Wormhole and for Blackhole.

    PATH is a folder that `cpplan emit` wrote, with kernels as they are there now, or a plan-N.json file that `cpplan
    solve` wrote. The headers come from a pinned wheel on PyPI and are fetched once (100 MB); offline, set
    CPPLAN_TTNN_WHEEL to the path of the wheel.

    \b
    Example:
      cpplan check-api program
      cpplan check-api out/matmul_kernel-blackhole/plan-1.json --json

    Exit codes: 0 all kernels pass, 1 errors, 2 wrong usage or input, or no headers.
    """
    from cpplan.emit_ttmetal.program import Arch
    from cpplan.typecheck import check
    from cpplan.typecheck.wheel import VERSION

    devices = take_device(shared)
    name, program = _written(path, devices) if path.is_dir() else _planned(path, devices)
    with progress(f"checking {name}"):
        found = {arch: check(program, arch) for arch in get_args(Arch)}
    if as_json:
        print_json(_record(name, program, VERSION, found))
    else:
        _print(name, VERSION, program, found)
    if any(found.values()):
        click.get_current_context().exit(WRONG)


def _planned(path: Path, devices: DeviceOptions) -> tuple[str, Program]:
    """The program of a plan file."""
    from cpplan.cli.planned import of_file
    from cpplan.emit_ttmetal.emit import emit
    from cpplan.schedule.build import build_schedule

    if path.suffix == ".py":
        raise InputError(
            f"{path} is a kernel file, and what is checked is a program. Write one with `cpplan emit {path} --device "
            "NAME` and give its folder, or give a plan-N.json that `cpplan solve` wrote"
        )
    planned = of_file(path, devices)
    return planned.name, emit(build_schedule(planned.program, planned.device, planned.plan))


def _written(folder: Path, devices: DeviceOptions) -> tuple[str, Program]:
    """The program in a folder: its schedule says how kernels are configured, their text is that of the files."""
    from cpplan.emit_ttmetal.emit import emit

    schedule = _schedule(folder / "schedule.mlir", devices)
    program = emit(schedule)
    kernels = tuple(
        replace(kernel, source=_read(folder / "kernels" / f"{kernel.name}.cpp")) for kernel in program.kernels
    )
    return schedule.program.name, replace(program, kernels=kernels)


def _schedule(path: Path, devices: DeviceOptions) -> Schedule:
    from cpplan.cli.planned import named_device
    from cpplan.schedule.parse import parse_schedule

    text = _read(path)
    device = re.search(r'\bsym_name = "[^"]*", device = "([^"]*)"', text)
    if device is None:
        raise InputError(f"{path}: names no device, so it is no schedule that `cpplan emit` wrote")
    return parse_schedule(text, named_device(device[1], devices))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"{path}: {why}: give a folder that `cpplan emit` wrote") from error


def _record(name: str, program: Program, version: str, found: dict[Any, tuple[Diagnostic, ...]]) -> dict[str, Any]:
    return {
        "schema": 1,
        "kernel": name,
        "chip": program.arch,
        "headers": f"ttnn {version}",
        "files": [kernel.name for kernel in program.kernels],
        "errors": {
            arch: [
                {"file": e.kernel, "line": e.line, "message": e.message, "thread": e.thread, "header": e.header}
                for e in errors
            ]
            for arch, errors in found.items()
        },
    }


def _print(name: str, version: str, program: Program, found: dict[Any, tuple[Diagnostic, ...]]) -> None:
    console = results()
    files = ", ".join(kernel.name for kernel in program.kernels)
    console.print(f"{name} for {program.arch} against the headers of ttnn {version}: {files}")
    for arch, errors in found.items():
        count = len(errors)
        console.print(f"  {arch}: {count or 'no'} error{'s' * (count != 1)}")
        for error in errors:
            console.print(f"    {error}")
