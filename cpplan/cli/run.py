"""``cpplan run``: a plan's program executed by the emulation, compared with Triton's interpreter."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpplan.cli.console import print_json, progress, results, table
from cpplan.cli.options import (
    LaunchOptions,
    device_options,
    kernel_file,
    launch_options,
    restriction_options,
    take_device,
    take_launch,
    take_restriction,
)
from cpplan.errors import InputError

if TYPE_CHECKING:
    from cpplan.cli.planned import Planned
    from cpplan.emulate import Stats
    from cpplan.frontend.launch import Launch

DIFFERS = 1
"""Exit code when the program computes something else than the kernel."""


@click.command()
@kernel_file
@launch_options
@device_options(required=False)
@click.option(
    "--plan", "which", metavar="N|FILE", default="1", show_default=True, help="Which plan to run, 1 being the best."
)
@click.option("--launch", metavar="NAME", help="Which of the launches of the file.  [default: the first]")
@restriction_options
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the inputs and of the order of events.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def run(path: Path, which: str, launch: str | None, seed: int, as_json: bool, **shared: Any) -> None:
    """Run a kernel's plan: emit its program, execute it on an emulated chip, compare with Triton's interpreter.

    Inputs are random. Both run every block of the launch, so use small shapes.

    \b
    Example:
      cpplan run examples/matmul.py --device blackhole -- 500 300 200
      cpplan run examples/attention.py --device wormhole --plan 2 --json -- 1 4 2 128 64

    Exit codes: 0 equal within tolerance, 1 not equal, 2 wrong usage or input, or no program can be made.
    """
    from cpplan.cli.planned import of_kernel

    options, devices = take_launch({"path": path, **shared}), take_device(shared)
    planned = of_kernel(options, devices, take_restriction(shared), which, launch)
    found = _run(options, planned, seed)
    if as_json:
        print_json(_record(planned, found))
    else:
        _print(planned, found)
    if not found.equal:
        click.get_current_context().exit(DIFFERS)


@dataclass(frozen=True)
class Compared:
    """One tensor that the kernel writes: largest error, and what is allowed."""

    tensor: str
    error: float
    tolerance: float


@dataclass(frozen=True)
class Ran:
    """The outcome of a run."""

    tensors: tuple[Compared, ...]
    stats: Stats

    @property
    def equal(self) -> bool:
        """Whether every tensor is within its tolerance."""
        return all(item.error <= item.tolerance for item in self.tensors)

    @property
    def worst(self) -> Compared:
        """The tensor that is furthest out, for its tolerance."""
        return max(self.tensors, key=lambda item: item.error / item.tolerance if item.tolerance else item.error)


def _run(options: LaunchOptions, planned: Planned, seed: int) -> Ran:
    from cpplan.emit_ttmetal.compare import largest_error, random_memory, tolerance
    from cpplan.emit_ttmetal.emit import emit
    from cpplan.emit_ttmetal.launch import as_held, device_memory, memory_after
    from cpplan.emulate import run as emulate
    from cpplan.frontend.find_launch import find_launch
    from cpplan.frontend.interpreted import interpret
    from cpplan.schedule.build import build_schedule

    program = planned.program
    schedule = build_schedule(program, planned.device, planned.plan)
    emitted = emit(schedule)
    with contextlib.redirect_stderr(io.StringIO()):  # the file's own words, which planning has shown
        launch = find_launch(
            str(options.path),
            planned.name,
            dict(program.block),
            entry=options.entry,
            kernel=options.kernel,
            args=options.arg,
            constexprs=options.constexpr,
            grid=options.grid,
            mode=options.tensors,
            argv=options.argv,
            gpu=options.gpu,
            multiprocessors=options.multiprocessors,
        )
    _check_aliases(launch, planned)
    memory = random_memory(launch, program, seed)
    with progress(f"interpreting {planned.name}"):
        expected = as_held(program, interpret(launch, memory))
    with progress(f"emulating {planned.name}"):
        pages, stats = emulate(emitted, device_memory(schedule, memory), seed=seed)
    computed = memory_after(schedule, memory, pages)
    written = [tensor for tensor in program.tensors if program.is_written(tensor.name)]
    compared = tuple(
        Compared(t.name, largest_error(computed[t.name], expected[t.name]), tolerance(program, t, expected[t.name]))
        for t in written
    )
    return Ran(compared, stats)


def _check_aliases(launch: Launch, planned: Planned) -> None:
    """Arguments that share memory are separate tensors in the program, so none of them may be written."""
    from cpplan.frontend.interpreted import tensor_arguments

    owners: dict[int, str] = {}
    for name, tensor in tensor_arguments(launch).items():
        other = owners.setdefault(tensor.storage, name) if tensor.storage >= 0 else name
        if other != name and any(planned.program.is_written(n) for n in (name, other)):
            raise InputError(f"{launch.source}: {other} and {name} are one tensor, which {planned.name} writes")


def _record(planned: Planned, found: Ran) -> dict[str, Any]:
    worst = found.worst
    return {
        "schema": 1,
        "kernel": planned.name,
        "device": planned.device.name,
        "equal": found.equal,
        "max_abs_error": worst.error,
        "tolerance": worst.tolerance,
        "tensors": [
            {"tensor": item.tensor, "max_abs_error": item.error, "tolerance": item.tolerance} for item in found.tensors
        ],
        "dram_bytes": {
            name: {"read": moved.read_bytes, "written": moved.written_bytes} for name, moved in found.stats.dram.items()
        },
        "multicasts": found.stats.multicasts,
    }


def _print(planned: Planned, found: Ran) -> None:
    console = results()
    verdict = "equal to Triton's interpreter" if found.equal else "NOT equal to Triton's interpreter"
    console.print(f"{planned.name} on {planned.device.name}, {planned.plan.cores} cores: {verdict}")
    rows = table("tensor", ">largest error", ">tolerance", ">bytes read", ">bytes written")
    by_name = {item.tensor: item for item in found.tensors}
    for name, moved in found.stats.dram.items():
        item = by_name.get(name)
        error, allowed = (f"{item.error:.4g}", f"{item.tolerance:.4g}") if item else ("", "")
        rows.add_row(name, error, allowed, f"{moved.read_bytes:,}", f"{moved.written_bytes:,}")
    console.print(rows)
