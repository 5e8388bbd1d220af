"""``cpplan explain``: one plan taken apart, and set against the next best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from cpplan.cli import grid, words
from cpplan.cli.compare import decisions_that_differ, terms, verdict
from cpplan.cli.console import print_json, progress, results, table
from cpplan.cli.options import (
    DeviceOptions,
    LaunchOptions,
    device_options,
    launch_options,
    take_device,
    take_launch,
)
from cpplan.cli.tables import level_table, memory_table, utilisation_table
from cpplan.errors import InfeasibleError, InputError
from cpplan.plan.artifact import read_plan
from cpplan.plan.schema import PlanFile


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@launch_options
@device_options(required=False)
@click.option("--rank", type=click.IntRange(1), help="Which plan of a folder or kernel.  [default: 1]")
@click.option("--against", type=click.Path(path_type=Path, exists=True), help="Compare with this plan file instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def explain(path: Path, rank: int | None, against: Path | None, as_json: bool, **shared: Any) -> None:
    """Show where the time of a plan goes, who reads and who receives, and why the next plan is slower.

    PATH is a plan-N.json file, a folder that `cpplan solve` wrote, or a kernel file, which is then solved first (with
    the options of `cpplan solve`; its first launch on the first --device is explained).

    \b
    Example:
      cpplan explain out/matmul_kernel-blackhole/plan-1.json
      cpplan explain out/matmul_kernel-blackhole --rank 2
      cpplan explain examples/matmul.py --device blackhole --rank 2
    """
    if path.suffix == ".py":
        chosen, other = _solved(take_launch({"path": path, **shared}), take_device(shared), rank or 1)
    else:
        chosen, other = _written(_plan_path(path, rank))
    if against is not None:
        other = read_plan(against)
    if as_json:
        print_json(_as_data(path, chosen, other))
    else:
        _print(results(), chosen, other)


def _written(path: Path) -> tuple[PlanFile, PlanFile | None]:
    """A plan file and the next plan beside it."""
    chosen = read_plan(path)
    following = path.with_name(f"plan-{(chosen.rank or 0) + 1}.json")
    return chosen, read_plan(following) if chosen.rank and following.exists() else None


def _solved(launch: LaunchOptions, devices: DeviceOptions, rank: int) -> tuple[PlanFile, PlanFile | None]:
    """Plans ``rank`` and ``rank + 1`` of a kernel file, solved now."""
    if not devices.device:
        raise InputError(f"{launch.path}: a kernel file is solved first, so say for which --device")
    from cpplan.cli.launches import mention, reading_of
    from cpplan.cli.outcome import plan_files
    from cpplan.encode.solve import solve

    device = devices.load()[0]
    with progress(f"solving {launch.path}") as report:
        reading = reading_of(launch, sram_limit=device.sram.usable)
        mention(reading.refused)
        problem = reading.problems[0]
        solution = solve(problem, device, k=rank + 1, progress=report)
    files = plan_files(problem, device, solution)
    if len(files) < rank:
        found = f"there are {len(files)} plans" if files else solution.reason
        raise InfeasibleError(f"{problem.name} on {device.name} has no plan {rank}: {found}")
    return files[rank - 1], files[rank] if len(files) > rank else None


def _plan_path(path: Path, rank: int | None) -> Path:
    if not path.is_dir():
        if rank is not None:
            raise InputError(f"{path}: --rank goes with a folder of plans or a kernel file, this is one plan")
        return path
    chosen = path / f"plan-{rank or 1}.json"
    if not chosen.exists():
        there = sorted(p.name for p in path.glob("plan-*.json"))
        raise InputError(f"{chosen}: no such plan: the folder has {', '.join(there) or 'no plans'}")
    return chosen


def _as_data(path: Path, chosen: PlanFile, other: PlanFile | None) -> dict[str, Any]:
    runner_up = None
    if other is not None:
        runner_up = {
            "rank": other.rank,
            "verdict": verdict(chosen, other),
            "decisions": [{"name": n, "this": a, "other": b} for n, a, b in decisions_that_differ(chosen, other)],
            "terms": [{"name": n, "this": a, "other": b} for n, a, b in terms(chosen, other)],
        }
    return {
        "schema": 1,
        "path": str(path),
        "kernel": chosen.kernel.name,
        "device": chosen.device.name,
        "rank": chosen.rank,
        "layout": chosen.kernel.layout,
        "cost": msgspec.to_builtins(chosen.cost),
        "accesses": [
            {"access": a.access, "movement": words.movement(a, words.dims(chosen)), "readers": a.readers}
            for a in chosen.decisions.accesses
        ],
        "runner_up": runner_up,
    }


def _print(console: Console, chosen: PlanFile, other: PlanFile | None) -> None:
    cost = chosen.cost
    time = words.microseconds(cost.makespan_cycles, chosen.device.clock_mhz)
    console.print(
        f"{chosen.kernel.name} on {chosen.device.name}, plan {chosen.rank}: {time} us "
        f"({cost.makespan_cycles:,} cycles), bound by {cost.bound_by}"
    )
    console.print(
        f"cores {words.cores(chosen)}, {words.mapping(chosen.decisions)}, block {words.block(chosen.decisions)}, "
        f"waves {words.order(chosen.decisions)}, layout {words.layout(chosen.kernel.layout)}"
    )
    console.print("\nWhere the time goes (cycles per iteration; total: one whole run of the level)")
    console.print(level_table(chosen))
    console.print("\nHow busy everything is")
    console.print(utilisation_table(chosen))
    console.print("\nWhat lies in SRAM and what crosses the DRAM ports")
    console.print(memory_table(chosen))
    _print_movement(console, chosen)
    _print_runner_up(console, chosen, other)


def _print_movement(console: Console, chosen: PlanFile) -> None:
    dims = words.dims(chosen)
    axes = f"{dims[0]} to the right" + (f", {dims[1]} downwards" if len(dims) > 1 else "")
    console.print(f"\nWho reads and who receives ({axes})   {grid.LEGEND}")
    drawings: dict[str, list[str]] = {}
    for access in chosen.decisions.accesses:
        console.print(f"  {access.access}: {access.kind} {access.tensor}, {words.movement(access, dims)}")
        lines = "\n".join(f"    {line}" for line in grid.draw(chosen, access))
        drawings.setdefault(lines, []).append(access.access)
        if drawings[lines] == [access.access]:
            console.print(lines, markup=False)
        else:
            console.print(f"    as {drawings[lines][0]}")


def _print_runner_up(console: Console, chosen: PlanFile, other: PlanFile | None) -> None:
    if other is None:
        console.print("\nNo other plan beside this one: solve with a larger --k to compare.")
        return
    console.print(f"\nWhy not plan {other.rank}: {verdict(chosen, other)}")
    rows = table("decision", f"plan {chosen.rank}", f"plan {other.rank}")
    for name, here, there in decisions_that_differ(chosen, other):
        rows.add_row(name, here, there)
    console.print(rows)
    numbers = table("term", f">plan {chosen.rank}", f">plan {other.rank}", ">difference")
    for name, mine, theirs in terms(chosen, other):
        numbers.add_row(name, f"{mine:,}", f"{theirs:,}", f"{theirs - mine:+,}")
    console.print(numbers)
