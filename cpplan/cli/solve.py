"""``cpplan solve``: the k best plans of every launch on every device, printed and written to a folder."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import click

from cpplan.cli.console import print_json, progress, remark, results
from cpplan.cli.options import (
    device_options,
    kernel_file,
    launch_options,
    restriction_options,
    take_device,
    take_launch,
    take_restriction,
)

EXIT_CODES = {"optimal": 0, "feasible": 1, "infeasible": 3}


@click.command()
@kernel_file
@launch_options
@device_options(required=True)
@restriction_options
@click.option(
    "--from",
    "start",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="PLAN",
    help="Start from this plan.json, brought onto the device: the answer is never worse.",
)
@click.option("--allow-opaque", is_flag=True, help="Plan data-dependent accesses as private transfers, no reuse.")
@click.option("--k", type=click.IntRange(1), default=1, show_default=True, help="How many plans.")
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop with a gap then.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Threads of the solver.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the solver.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out"), show_default=True, help="Result folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def solve(
    start: Path | None,
    allow_opaque: bool,
    k: int,
    time_limit: float | None,
    workers: int,
    seed: int,
    out: Path,
    as_json: bool,
    **shared: Any,
) -> None:
    """Find the k best dataflow plans of the kernel launches that PATH makes, with proof.

    PATH is an ordinary Python file with Triton kernels. It is run to see what it launches (arguments after -- go to
    it); no kernel is executed and no GPU is needed. With --kernel it is only imported. Launches that cannot be planned
    are named on stderr, and the others planned.

    \b
    Example:
      cpplan solve examples/matmul.py --device blackhole --k 3
      cpplan solve examples/matmul.py --device wormhole --time-limit 10 --json -- 2048 2048 2048
      cpplan solve kernel.py --device blackhole --kernel add --arg x=bf16[1048576] --arg n=1048576 \\
          --constexpr BLOCK=1024,4096 --grid 'cdiv(n, BLOCK)'
      cpplan solve examples/matmul.py --device blackhole --pin a_ptr.broadcast=row --forbid BLOCK_K=32
      cpplan solve examples/matmul.py --device blackhole --format a_ptr=bfp8_b --format b_ptr=bfp8_b
      cpplan solve examples/matmul.py --device blackhole --disable-core 4,4 --time-limit 2 \\
          --from out/matmul_kernel-blackhole/plan-1.json

    \b
    Exit codes: 0 optimal, 1 feasible with a gap, 2 wrong usage or input, or nothing to plan, 3 no plan fits.
    """
    from cpplan.api import without_opaque
    from cpplan.cli.launches import mention, reading_of, with_refused
    from cpplan.cli.outcome import Outcome, print_outcome
    from cpplan.cli.start import Start, Started
    from cpplan.device.formats import check_formats
    from cpplan.encode.solve import solve as run_solver

    launch, devices, restricted = take_launch(shared), take_device(shared).load(), take_restriction(shared)
    with progress(f"reading {launch.path}"):
        room = [device.sram.usable for device in devices]
        reading = reading_of(launch, sram_limit=max(room), sram_least=min(room))
    if not allow_opaque:
        reading = without_opaque(str(launch.path), reading)
    mention(reading.refused)
    begun = None if start is None else Start.read(start, reading.problems)
    pairs = list(itertools.product(reading.problems, devices))
    for problem, device in pairs:
        check_formats(problem, device)
    restrictions = [restricted.read(problem, device) for problem, device in pairs]
    outcomes: list[Outcome] = []
    for (problem, device), restriction in zip(pairs, restrictions, strict=True):
        with progress(f"{problem.name} on {device.name}") as report:
            solution = run_solver(
                problem,
                device,
                k=k,
                time_limit=time_limit,
                workers=workers,
                seed=seed,
                progress=report,
                restriction=restriction,
                old=None if begun is None else begun.of(problem),
            )
        started = None if begun is None or begun.of(problem) is None else Started.on(begun, device, solution)
        outcome = Outcome.write(out, problem, device, solution, restriction, started)
        outcomes.append(outcome)
        if as_json and solution.reason:
            remark(solution.reason)
        if not as_json:
            print_outcome(results(), outcome)
    if as_json:
        record = {"schema": 1, "problems": [outcome.record() for outcome in outcomes]}
        print_json(with_refused(record, reading.refused))
    click.get_current_context().exit(max(EXIT_CODES[outcome.status] for outcome in outcomes))
