"""cpplan against TileLoom's rules on the paper's shapes: same exact cost model, same block shapes.

    python bench/tileloom_rules.py --out bench/results/tileloom_rules.json

Per launch: the best plan that the rules reach over the example's own configurations (bench/rules.py), and cpplan's.
The rules do not choose networks and reading cores, so there are two opponents: ``rules`` with the vendor's fixed
choice, and ``rules with streams`` to which cpplan's choice of networks and readers is given for free. Every plan of
either is a plan of cpplan's space, so cpplan may never be worse. Interrupt at will: it goes on with the first missing
row.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import math
import sys
import time
from pathlib import Path

from paper_shapes import FAMILIES, Case, cases
from rich.console import Console
from rich.table import Table
from rules import RulesAnswer, best_by_rules
from saved_rows import Row, SavedRows

from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.frontend import read_problems
from cpplan.plan.space import violations
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram
from cpplan.version import __version__

KEY = ("device", "family", "shape")
OPPONENTS = {"rules": False, "rules_with_streams": True}
"""Name of each opponent, and whether it gets to choose networks and readers."""


def problem_of(case: Case) -> Problem:
    """The problem that ``case`` names."""
    with contextlib.redirect_stderr(io.StringIO()):  # what the file prints
        found = read_problems(str(case.path), argv=case.argv)
    (problem,) = [
        p
        for p in found
        if p.name.rstrip("_0123456789") == case.kernel and all(dict(p.arguments).get(n) == v for n, v in case.having)
    ]
    return problem


def measure(device_name: str, case: Case, limit: float) -> Row:
    """One row: both opponents and cpplan."""
    device = load_device(device_name)
    problem = problem_of(case)
    programs = [candidate_program(f, i) for f in problem.families for i in range(len(f.blocks))]
    row: Row = {"device": device_name, "family": case.family, "shape": case.shape, "blocks": len(programs)}
    best = None
    for name, streams_free in OPPONENTS.items():
        answer = best_by_rules(programs, device, streams_free=streams_free, incumbent=best)
        if answer.key is not None and answer.plan is not None:
            best = answer.key, answer.plan  # the second opponent has every plan of the first
        check(answer, programs, device_name)
        row |= {
            "candidates": answer.candidates,
            f"{name}_cycles": answer.key[0] if answer.key else None,
            f"{name}_dram_bytes": answer.key[1] if answer.key else None,
            f"{name}_plans": answer.plans,
            f"{name}_seconds": round(answer.seconds, 3),
        }
    start = time.process_time()
    solution = solve(problem, device, k=1, time_limit=limit)
    best = solution.plans[0].cost if solution.plans else None
    return row | {
        "cpplan": __version__,
        "status": solution.status,
        "gap": round(solution.gap, 5),
        "cpplan_cycles": best.makespan_cycles if best else None,
        "cpplan_dram_bytes": best.dram_bytes if best else None,
        "bound_by": best.bound_by if best else None,
        "cpplan_seconds": round(solution.solve_seconds, 3),
        "cpplan_processor_seconds": round(time.process_time() - start, 3),
    }


def check(answer: RulesAnswer, programs: list[TileProgram], device_name: str) -> None:
    """The opponent's plan is a plan of the space and costs what its key says."""
    if answer.plan is None:
        return
    device = load_device(device_name)
    program = next(p for p in programs if p.block == answer.plan.block)
    assert evaluate(program, device, answer.plan).key == answer.key
    assert not violations(program, device, answer.plan)


def gain(row: Row, opponent: str) -> float | None:
    """How many times faster cpplan's plan is predicted to be; None where one side has no plan."""
    theirs, ours = row[f"{opponent}_cycles"], row["cpplan_cycles"]
    return theirs / ours if theirs and ours else None


def summary(rows: list[Row]) -> dict[str, Row]:
    """Per device and family: geometric mean and range of the gain, and where cpplan is worse."""
    out: dict[str, Row] = {}
    for row in rows:
        out.setdefault(f"{row['device']}, {row['family']}", {"launches": 0, "proved": 0, "worse": []})
    for name, entry in out.items():
        mine = [r for r in rows if f"{r['device']}, {r['family']}" == name]
        entry |= {"launches": len(mine), "proved": sum(r["status"] == "optimal" for r in mine)}
        for opponent in OPPONENTS:
            gains = [g for r in mine if (g := gain(r, opponent)) is not None]
            entry["worse"] += [f"{r['shape']} ({opponent})" for r in mine if (gain(r, opponent) or 1) < 1]
            entry[f"{opponent}_without_plan"] = sum(r[f"{opponent}_cycles"] is None for r in mine)
            if gains:
                mean = math.exp(sum(map(math.log, gains)) / len(gains))
                entry[opponent] = {"mean": round(mean, 3), "least": round(min(gains), 3), "most": round(max(gains), 3)}
    return out


def show(console: Console, families: dict[str, Row]) -> None:
    """The summary as a table."""
    table = Table("device, family", "launches", "proved", *(f"gain over {n}" for n in OPPONENTS), "no plan", "worse")
    for name, entry in families.items():
        gains = [
            f"{entry[o]['mean']:.2f} ({entry[o]['least']:.2f} to {entry[o]['most']:.2f})" if o in entry else "-"
            for o in OPPONENTS
        ]
        counts = [str(entry["launches"]), str(entry["proved"])]
        table.add_row(name, *counts, *gains, str(entry["rules_without_plan"]), ", ".join(entry["worse"]) or "none")
    console.print(table)


def main() -> None:
    """Measure what is missing, save after every row, print the summary; exit code 1 when cpplan is worse somewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", default=["wormhole", "blackhole"])
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=FAMILIES)
    parser.add_argument("--shapes", type=int, default=100, help="only the first so many shapes per family")
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per launch for cpplan")
    parser.add_argument("--fresh", action="store_true", help="measure rows again that are there already")
    parser.add_argument("--out", type=Path, default=Path("bench/results/tileloom_rules.json"))
    options = parser.parse_args()
    console = Console(width=150)
    saved = SavedRows(options.out, KEY, options.fresh)
    for device in options.devices:
        for case in itertools.chain.from_iterable(
            itertools.islice(cases(device, (family,)), options.shapes) for family in options.families
        ):
            if saved.get(device=device, family=case.family, shape=case.shape) is not None:
                continue
            row = saved.add(measure(device, case, options.time_limit))
            gains = [f"{g:.3f}" if (g := gain(row, o)) else "no plan" for o in OPPONENTS]
            console.print(f"{device} {case.family} {case.shape}: {' / '.join(gains)}", row["status"], row["gap"])
    families = summary(list(saved.rows.values()))
    saved.save({"time_limit": options.time_limit, "families": families})
    show(console, families)
    sys.exit(1 if any(entry["worse"] for entry in families.values()) else 0)


if __name__ == "__main__":
    main()
