"""The command line: ``cpplan COMMAND``. Each command is one file, imported when it is used."""

from __future__ import annotations

import click

from cpplan.cli.lazy import LazyGroup
from cpplan.version import __version__

__all__ = ["main"]

COMMANDS = {
    "check-api": ("cpplan.cli.check_api:check_api", "Type-check a program's kernels against the vendor's headers."),
    "emit": ("cpplan.cli.emit:emit", "Make a TT-Metalium program of a plan: C++ kernels and a host script."),
    "explain": ("cpplan.cli.explain:explain", "Show where a plan's time goes and why the next one is slower."),
    "hw": ("cpplan.device.commands:hw", "List, show and check hardware specs."),
    "inspect": ("cpplan.cli.inspect:inspect", "Show the tile program of a kernel: accesses, classes, reuse."),
    "run": ("cpplan.cli.run:run", "Execute a plan's program in emulation and compare with Triton's interpreter."),
    "solve": ("cpplan.cli.solve:solve", "Find the k best plans of a kernel, with proof."),
}
"""Command name -> (where its click command is, one line for the overview)."""


@click.group(cls=LazyGroup, commands_at=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="cpplan")
def main() -> None:
    """Provably optimal dataflow plans for Triton kernels on spatial accelerators.

    \b
    Example:
      cpplan solve examples/matmul.py --device blackhole --k 3
      cpplan explain out/matmul_kernel-blackhole/plan-1.json

    \b
    Exit codes:
      0  optimal, or the command did what it was asked
      1  feasible: the time limit came before the proof, the gap is reported
      2  the command or its input cannot be used as given
      3  infeasible: no plan fits the device
    """
