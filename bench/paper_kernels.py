"""The paper's attention, decode and Mamba shapes: seconds to the proved top-3, cost of more plans, gain of the split.

    python bench/paper_kernels.py --out bench/results/paper_kernels.json

Per launch: processor seconds of the solver stage (one thread) for the top-3, and, where that is proved, for the top-5
over the top-1. Decode runs as one kernel (one part), where few blocks leave cores idle: ``unsplit_cycles`` is the best
plan with one core per loop (``--pin LOOP.cores=1``), and ``split_gain`` how much longer that takes. Interrupt at will:
without --fresh it goes on with the first missing row.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path
from typing import Any

from paper_shapes import ATTENTION, DECODE, EXAMPLES, cases
from rich.console import Console
from rich.table import Table
from saved_rows import Row, SavedRows

from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import Solution, solve
from cpplan.frontend import read_problems
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import Problem
from cpplan.version import __version__

KEY = ("device", "family", "shape", "launch")
GOALS = {"FlashAttention": 1.0, "flash decode": 1.0, "Mamba chunk scan": 5.0}
"""Processor seconds that a launch of each family should stay below."""


def launches(device: str) -> list[tuple[str, str, Path, tuple[str, ...]]]:
    """(family, shape, file, command line) of all launches on ``device``."""
    out: list[tuple[str, str, Path, tuple[str, ...]]] = []
    for batch, length in ATTENTION[device]:
        for dim in (64, 128):
            argv = tuple(map(str, (batch, 1, 1, length, dim)))
            out.append(("FlashAttention", f"B{batch}-L{length}-D{dim}", EXAMPLES / "attention.py", argv))
    for batch, length, dim in DECODE[device]:
        argv = tuple(map(str, (batch, 32, 1, length, dim, 1)))
        out.append(("flash decode", f"B{batch}-L{length}-D{dim}", EXAMPLES / "flash_decode.py", argv))
    out += [(c.family, c.shape, c.path, c.argv) for c in cases(device, ("Mamba chunk scan",))]
    return out


def timed(problem: Problem, device: Device, k: int, limit: float, **options: Any) -> tuple[Solution, float]:
    """The top ``k`` and the processor seconds they took."""
    begin = time.process_time()
    solution = solve(problem, device, k=k, time_limit=limit, **options)
    return solution, time.process_time() - begin


def measure(problem: Problem, device: Device, limit: float, place: dict[str, str]) -> Row:
    """One row: top-3, top-5 against top-1, and the best plan that shares no loop where there is one to share."""
    solve(problem, device, k=1, time_limit=0.01)  # routes of the device are computed once per process
    top3, three = timed(problem, device, 3, limit)
    ratio = None
    if top3.status == "optimal":  # where time ran out it says nothing
        (_, five), (_, one) = (timed(problem, device, k, limit) for k in (5, 1))
        ratio = round(five / one, 2)
    row = place | {
        "status": top3.status,
        "gap": round(top3.gap, 5),
        "seconds": round(three, 3),
        "top5_over_top1": ratio,
        "cycles": top3.plans[0].cost.makespan_cycles,
        "bound_by": top3.plans[0].cost.bound_by,
    }
    loops = {f.stacked.reduction.loop for f in problem.families if f.stacked.reduction is not None}
    if place["family"] == "flash decode" and loops:
        pins = [f"{loop}.cores=1" for loop in loops]
        restriction = parse_restriction(problem, device, pins)
        unsplit, _ = timed(problem, device, 1, limit, restriction=restriction)
        cycles = unsplit.plans[0].cost.makespan_cycles
        row |= {"unsplit_cycles": cycles, "split_gain": round(cycles / row["cycles"], 3)}
    return row


def summary(rows: list[Row]) -> dict[str, Any]:
    """Per family: launches, proved, median and worst seconds, and the geometric mean of the split's gain."""
    out: dict[str, Any] = {"planner": __version__}
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        gains = [row["split_gain"] for row in mine if "split_gain" in row]
        out[family] = {
            "launches": len(mine),
            "proved": sum(row["gap"] == 0 for row in mine),
            "median_seconds": statistics.median(row["seconds"] for row in mine),
            "worst_seconds": max(row["seconds"] for row in mine),
            "goal_seconds": GOALS[family],
            "within_goal": sum(row["seconds"] <= GOALS[family] and row["gap"] == 0 for row in mine),
            "worst_gap": max(row["gap"] for row in mine),
            "median_gap": statistics.median(row["gap"] for row in mine),
            "median_top5_over_top1": statistics.median(r["top5_over_top1"] for r in mine if r["top5_over_top1"]),
        }
        if gains:
            out[family]["split_gain_geomean"] = round(math.exp(statistics.fmean(map(math.log, gains))), 3)
    return out


def main() -> None:
    """Run all launches, save after each, print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", default=["wormhole", "blackhole"])
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per solve")
    parser.add_argument("--fresh", action="store_true", help="forget saved rows")
    parser.add_argument("--out", type=Path, default=Path("bench/results/paper_kernels.json"))
    options = parser.parse_args()
    saved, console = SavedRows(options.out, KEY, options.fresh), Console(width=150)
    for name in options.devices:
        device = load_device(name)
        for family, shape, path, argv in launches(name):
            for problem in read_problems(str(path), argv=list(argv)):
                if family == "flash decode" and "part" not in problem.name:
                    continue  # one part: nothing to merge
                place = {"device": name, "family": family, "shape": shape, "launch": problem.name}
                if saved.get(**place) is None:
                    console.print(saved.add(measure(problem, device, options.time_limit, place)))
    found = summary(list(saved.rows.values()))
    saved.save(found)
    table = Table("family", "launches", "proved", "median s", "worst s", "worst gap", "top-5 / top-1", "split gain")
    for family, figures in found.items():
        if family != "planner":
            names = ("launches", "proved", "median_seconds", "worst_seconds", "worst_gap", "median_top5_over_top1")
            table.add_row(family, *(str(figures[n]) for n in names), str(figures.get("split_gain_geomean", "-")))
    console.print(table)


if __name__ == "__main__":
    main()
