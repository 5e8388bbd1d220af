"""``cpplan explain``: one plan taken apart, and set against the next best."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from cpplan.cli import grid, words
from cpplan.cli.against import changes_as_data, changes_between, closest, print_changes
from cpplan.cli.chosen import Chosen, brought, problem_and_device, solved
from cpplan.cli.compare import busy, decisions_that_differ, terms, verdict
from cpplan.cli.console import print_json, results, table
from cpplan.cli.options import (
    DeviceOptions,
    LaunchOptions,
    RestrictionOptions,
    device_options,
    launch_options,
    restriction_options,
    take_device,
    take_launch,
    take_restriction,
)
from cpplan.cli.tables import level_table, memory_table, utilisation_table
from cpplan.errors import InputError
from cpplan.plan.artifact import read_plan
from cpplan.plan.changes import Step
from cpplan.plan.schema import PlanFile

PLAN_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@launch_options
@device_options(required=False)
@click.option("--rank", type=click.IntRange(1), help="Which plan of a folder or kernel.  [default: 1]")
@restriction_options
@click.option("--plan", type=PLAN_FILE, help="Check, score and explain this plan of a kernel file.")
@click.option("--against", type=PLAN_FILE, help="Compare with this plan instead; of a kernel file, change by change.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def explain(
    path: Path, rank: int | None, plan: Path | None, against: Path | None, as_json: bool, **shared: Any
) -> None:
    """Show where the time of a plan goes, who reads and who receives, and why the next plan is slower.

    PATH is a plan-N.json file, a folder that `cpplan solve` wrote, or a kernel file, which is then solved first (with
    the options of `cpplan solve`; its first launch on the first --device is explained).

    A plan of your own for a kernel file is checked, scored and explained with --plan. With --against it is set against
    the optimum: all differences in cost, then the decisions to change, always the one that recovers most.

    \b
    Example:
      cpplan explain out/matmul_kernel-blackhole/plan-1.json
      cpplan explain out/matmul_kernel-blackhole --rank 2
      cpplan explain examples/matmul.py --device blackhole --rank 2
      cpplan explain examples/matmul.py --device blackhole --plan my_plan.json
      cpplan explain examples/matmul.py --device blackhole --against my_plan.json
    """
    launch, devices = take_launch({"path": path, **shared}), take_device(shared)
    restricted = take_restriction(shared)
    if path.suffix == ".py":
        shown = _of_kernel(launch, devices, restricted, rank or 1, plan, against)
    elif plan is not None or restricted != RestrictionOptions():
        raise InputError(f"{path}: --plan, --pin, --forbid and --pin-file go with a kernel file, this is a plan")
    else:
        shown = _of_files(_plan_path(path, rank), against)
    if as_json:
        print_json(_as_data(path, shown))
    else:
        _print(results(), shown)


@dataclass(frozen=True)
class Shown:
    """A plan and what it is set against.

    Where the kernel is known, ``compared`` is the plan's mirror image that is closest to ``other``, and ``steps`` lead
    from ``other`` to it.
    """

    chosen: Chosen
    other: Chosen | None
    compared: Chosen
    steps: tuple[Step, ...] = ()


def _of_kernel(
    launch: LaunchOptions,
    devices: DeviceOptions,
    restricted: RestrictionOptions,
    rank: int,
    plan: Path | None,
    against: Path | None,
) -> Shown:
    problem, device = problem_and_device(launch, devices)
    other = None if against is None else brought(problem, device, against)
    if plan is not None:
        found = [brought(problem, device, plan)]
    else:
        found = solved(problem, device, restricted, rank, 1 if other else 2)
    chosen, *following = found
    if other is None:
        return Shown(chosen, following[0] if following else None, chosen)
    compared = closest(problem, device, chosen, other)
    return Shown(chosen, other, compared, tuple(changes_between(problem, device, other, compared)))


def _of_files(path: Path, against: Path | None) -> Shown:
    """A plan file, and the plan to compare with or the next one beside it."""
    file = read_plan(path)
    chosen = Chosen(f"plan {file.rank}" if file.rank else path.name, file)
    following = path.with_name(f"plan-{(file.rank or 0) + 1}.json")
    if against is not None:
        file = read_plan(against)
        name = f"plan {file.rank}" if against.parent == path.parent else against.name
        return Shown(chosen, Chosen(name, file), chosen)
    other = Chosen(f"plan {following.stem[5:]}", read_plan(following)) if following.exists() else None
    return Shown(chosen, other, chosen)


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


def _as_data(path: Path, shown: Shown) -> dict[str, Any]:
    chosen = shown.chosen.file
    runner_up = None
    if shown.other is not None:
        mine, other = shown.compared.file, shown.other.file
        runner_up = {
            "rank": other.rank,
            "verdict": verdict(mine, other),
            "decisions": [{"name": n, "this": a, "other": b} for n, a, b in decisions_that_differ(mine, other)],
            "terms": [{"name": n, "this": a, "other": b} for n, a, b in terms(mine, other)],
            "busy": [{"name": n, "this": a, "other": b} for n, a, b in busy(mine, other)],
            "changes": changes_as_data(shown.steps, shown.other, words.dims(chosen)),
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


def _print(console: Console, shown: Shown) -> None:
    chosen = shown.chosen.file
    cost = chosen.cost
    time = words.microseconds(cost.makespan_cycles, chosen.device.clock_mhz)
    console.print(
        f"{chosen.kernel.name} on {chosen.device.name}, {shown.chosen.name}: {time} us "
        f"({cost.makespan_cycles:,} cycles), bound by {cost.bound_by}",
        markup=False,
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
    _print_comparison(console, shown)


def _print_movement(console: Console, chosen: PlanFile) -> None:
    dims = words.dims(chosen)
    axes = f"{dims[0]} to the right" + (f", {dims[1]} downwards" if len(dims) > 1 else "")
    console.print(f"\nWho reads and who receives ({axes})   {grid.legend(chosen)}")
    drawings: dict[str, list[str]] = {}
    for access in chosen.decisions.accesses:
        console.print(f"  {access.access}: {access.kind} {access.tensor}, {words.movement(access, dims)}")
        lines = "\n".join(f"    {line}" for line in grid.draw(chosen, access))
        drawings.setdefault(lines, []).append(access.access)
        if drawings[lines] == [access.access]:
            console.print(lines, markup=False)
        else:
            console.print(f"    as {drawings[lines][0]}")


def _print_comparison(console: Console, shown: Shown) -> None:
    if shown.other is None:
        if shown.chosen.file.rank is None:
            console.print("\nTo set it against the optimum: --against instead of --plan.")
        else:
            console.print("\nNo other plan beside this one: solve with a larger --k to compare.")
        return
    chosen, other = shown.compared.file, shown.other.file
    names = shown.compared.name, shown.other.name
    console.print(f"\nWhy not {names[1]}: {verdict(chosen, other)}", markup=False)
    rows = table("decision", *names)
    for name, here, there in decisions_that_differ(chosen, other):
        rows.add_row(name, here, there)
    console.print(rows)
    numbers = table("term", *(f">{name}" for name in names), ">difference")
    for name, mine, theirs in terms(chosen, other):
        numbers.add_row(name, f"{mine:,}", f"{theirs:,}", f"{theirs - mine:+,}")
    for name, share, others in busy(chosen, other):
        numbers.add_row(f"{name} busy", f"{share:.1%}", f"{others:.1%}", f"{others - share:+.1%}")
    console.print(numbers)
    print_changes(console, shown.steps, shown.other, shown.compared)
