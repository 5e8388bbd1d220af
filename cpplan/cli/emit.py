"""``cpplan emit``: a plan as a TT-Metalium program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpplan.cli.console import print_json, results
from cpplan.cli.options import (
    device_options,
    launch_options,
    restriction_options,
    take_device,
    take_launch,
    take_restriction,
)
from cpplan.errors import InputError

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.program import Program
    from cpplan.schedule.schedule import Schedule


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@launch_options
@device_options(required=False)
@click.option(
    "--plan", "which", metavar="N|FILE", default="1", show_default=True, help="Which plan of a kernel file to emit."
)
@click.option("--launch", metavar="NAME", help="Which of the launches of a kernel file.  [default: the first]")
@restriction_options
@click.option(
    "--target",
    type=click.Choice(["ttmetal", "ttlang"]),
    default="ttmetal",
    show_default=True,
    help="C++ kernels and a host script, or one operation in TT-Lang.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the program.  [default: beside the plan]")
@click.option("--explain", "is_explained", is_flag=True, help="Show what the program consists of, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def emit(
    path: Path, which: str, launch: str | None, target: str, out: Path | None, is_explained: bool, as_json: bool,
    **shared: Any,
) -> None:  # fmt: skip
    """Make a TT-Metalium program of a plan: C++ kernels and a Python host script for ttnn.generic_op.

    PATH is a plan-N.json file that `cpplan solve` wrote, or a kernel file, which is then solved first (with the options
    of `cpplan solve`, on the first --device). Written are kernels/*.cpp, host.py and schedule.mlir; with --target
    ttlang operation.py, for tt-lang-sim, and schedule.mlir.

    \b
    Example:
      cpplan emit out/matmul_kernel-blackhole/plan-1.json --out program
      cpplan emit examples/matmul.py --device blackhole --plan 2 --out program -- 1024 1024 1024
      cpplan emit examples/matmul.py --device blackhole --target ttlang --out program -- 1024 1024 1024
    """
    from cpplan.cli.emitted import explain
    from cpplan.cli.planned import of_file, of_kernel
    from cpplan.emit_ttmetal.emit import emit as emit_program
    from cpplan.emit_ttmetal.files import program_files
    from cpplan.plan.files import write_file
    from cpplan.schedule.build import build_schedule

    options, devices = take_launch({"path": path, **shared}), take_device(shared)
    restricted = take_restriction(shared)
    if path.suffix == ".py":
        planned = of_kernel(options, devices, restricted, which, launch)
    elif which != "1" or launch is not None:
        raise InputError(f"{path}: --plan and --launch go with a kernel file, this is one plan")
    else:
        planned = of_file(path, devices)
    schedule = build_schedule(planned.program, planned.device, planned.plan)
    folder = out or _beside(path, planned.name, planned.device.name)
    if target == "ttlang":
        _operation(planned.name, schedule, folder, is_explained, as_json)
        return
    program = emit_program(schedule)
    texts = program_files(schedule, program)
    for name, text in texts.items():
        write_file(folder / name, text)
    if as_json:
        print_json(_record(folder, texts, schedule, program))
        return
    console = results()
    console.print(f"{planned.name} on {planned.device.name}: written to {folder}/")
    for name, text in texts.items():
        console.print(f"  {name}: {text.count(chr(10))} lines")
    if is_explained:
        explain(console, schedule, program)


def _operation(name: str, schedule: Schedule, folder: Path, is_explained: bool, as_json: bool) -> None:
    """``--target ttlang``."""
    from cpplan.emit_ttlang.operation import emit_operation
    from cpplan.plan.files import write_file
    from cpplan.schedule.mlir import print_schedule

    if is_explained:
        raise InputError("--explain tells of C++ programs: the operation.py of --target ttlang explains itself")
    texts = {"operation.py": emit_operation(schedule).source, "schedule.mlir": print_schedule(schedule)}
    for file, text in texts.items():
        write_file(folder / file, text)
    if as_json:
        record = {"kernel": schedule.program.name, "device": schedule.device.name, "folder": str(folder)}
        print_json({"schema": 1, **record, "files": list(texts), "cores": schedule.plan.cores})
        return
    results().print(f"{name} on {schedule.device.name}: written to {folder}/")
    for file, text in texts.items():
        results().print(f"  {file}: {text.count(chr(10))} lines")


def _beside(path: Path, name: str, device: str) -> Path:
    """Default folder of a program."""
    if path.suffix != ".py":
        return path.with_suffix("")
    return Path("out") / re.sub(r"[^A-Za-z0-9_.@,=-]+", "_", f"{name}-{device}").strip("_") / "program"


def _record(folder: Path, texts: dict[str, str], schedule: Schedule, program: Program) -> dict[str, Any]:
    return {
        "schema": 1,
        "kernel": schedule.program.name,
        "device": schedule.device.name,
        "folder": str(folder),
        "files": list(texts),
        "cores": len(program.cores),
        "sram_bytes": sum(buffer.size for buffer in program.buffers),
        "buffers": [
            {"index": b.index, "name": b.name, "format": b.format, "pages": b.pages, "page_bytes": b.page_bytes}
            for b in program.buffers
        ],
        "semaphores": len(program.semaphores),
    }
