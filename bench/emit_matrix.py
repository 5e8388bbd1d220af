"""Every example kernel on both chips, best plans and forced ones: emitted, type-checked, executed, compared.

    python bench/emit_matrix.py --out bench/results/emit_matrix.json

A cell is a kernel, a device, a shape (even: whole blocks; ragged: blocks that hang over) and a plan. It is equal when
the emulated program's results are those of Triton's interpreter within tolerance for two seeds of inputs and of the
order of events. Interrupt at will: without --fresh it goes on with the first missing cell. --again repeats the cells
that are neither equal nor refused as they should be.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections import Counter
from pathlib import Path
from typing import Any

from emit_cells import CASES, EXAMPLES, Case, Planned, plans_of
from rich.console import Console
from rich.table import Table
from saved_rows import Row, SavedRows

from cpplan.device.spec import load_device
from cpplan.errors import CpplanError
from cpplan.version import __version__

KEY = ("kernel", "device", "sizes", "plan")
SHAPES = ("even", "ragged")


def is_good(case: Case, row: Row) -> bool:
    """Whether a cell is as it should be: equal and of the right types, no plan, or refused for the known reason."""
    if row["outcome"] == "refused":
        return bool(case.refused) and case.refused in row["message"]
    if row["outcome"] == "no plan":
        return not case.refused
    return row["outcome"] == "equal" and row["types"] in ("ok", "unknown") and not case.refused


def cells() -> set[tuple[str, str, str]]:
    """Kernel, sizes and plan of every cell that there is."""
    return {(case.name, " ".join(case.sizes(s)), plan) for case in CASES for s in SHAPES for plan in plans_of(case)}


def measured(planned: Planned, name: str) -> Row:
    """One cell; what stops the kernel from being read is its message."""
    try:
        return planned.cell(name)
    except CpplanError as error:
        return {"outcome": "refused", "message": str(error).replace(f"{EXAMPLES.parent}/", "")}


def summary(rows: list[Row]) -> dict[str, Any]:
    """Counts over all cells."""
    ran = [row for row in rows if row["outcome"] in ("equal", "different", "failed")]
    return {
        "planner": __version__,
        "cells": len(rows),
        "outcomes": dict(Counter(row["outcome"] for row in rows)),
        "programs": len(ran),
        "programs_equal": sum(row["outcome"] == "equal" for row in ran),
        "programs_typed": sum(row["types"] == "ok" for row in ran),
        "refused_kernels": sorted({row["kernel"] for row in rows if row["outcome"] == "refused"}),
        "good": sum(row["good"] for row in rows),
    }


def print_table(console: Console, rows: list[Row]) -> None:
    """One line per kernel, device and shape."""
    table = Table("kernel", "device", "shape", "equal", "off at most", "type check", "emulated s", "not equal")
    for kernel, device, shape in dict.fromkeys((r["kernel"], r["device"], r["shape"]) for r in rows):
        mine = [r for r in rows if (r["kernel"], r["device"], r["shape"]) == (kernel, device, shape)]
        equal = [r for r in mine if r["outcome"] == "equal"]
        types = Counter(r["types"] if r["types"] in ("ok", "unknown") else "errors" for r in mine if "types" in r)
        others = [f"{r['plan']}: {r['outcome']} {r['message'][:60]}" for r in mine if r["outcome"] != "equal"]
        table.add_row(
            kernel, device, shape, f"{len(equal)} of {len(mine)}",
            f"{max((r['off'] for r in equal), default=0):.2f}",
            " ".join(f"{count} {word}" for word, count in types.items()),
            f"{max((r['seconds'] for r in equal), default=0):.2f}", "\n".join(others),
        )  # fmt: skip
    console.print(table)


def main() -> None:
    """Measure all missing cells, save after each, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", default=["wormhole", "blackhole"])
    parser.add_argument("--kernels", nargs="+", help="only kernels with these words in their names")
    parser.add_argument("--plans", nargs="+", help="only these plans: 1, 2, 3, pins (all forced ones)")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per solve")
    parser.add_argument("--fresh", action="store_true", help="forget saved cells")
    parser.add_argument("--again", action="store_true", help="repeat saved cells that are not as they should be")
    parser.add_argument("--out", type=Path, default=Path("bench/results/emit_matrix.json"))
    options = parser.parse_args()
    saved, console = SavedRows(options.out, KEY, options.fresh), Console(width=170)
    there = cells()
    saved.rows = {key: r for key, r in saved.rows.items() if (r["kernel"], r["sizes"], r["plan"]) in there}
    for case in CASES:
        if options.kernels and not any(word in case.name for word in options.kernels):
            continue
        if case.file.startswith("helion") and importlib.util.find_spec("helion") is None:
            console.print(f"{case.name}: helion is not installed")
            continue
        for name in options.devices:
            for shape in SHAPES:
                planned = Planned(case, shape, load_device(name), options.time_limit)
                for plan in plans_of(case):
                    word = plan if plan.isdigit() else "pins"
                    if options.plans and word not in options.plans:
                        continue
                    sizes = " ".join(case.sizes(shape))
                    place = {"kernel": case.name, "device": name, "sizes": sizes, "plan": plan}
                    old = saved.get(**place)
                    if old is not None and not (options.again and not old["good"]):
                        continue
                    row = place | {"shape": shape} | measured(planned, plan)
                    saved.add(row | {"good": is_good(case, row)})
                    console.print(
                        *(row.get(field, "") for field in (*KEY, "outcome", "off", "types", "message")), markup=False
                    )
    rows = list(saved.rows.values())
    saved.save(summary(rows))
    print_table(console, rows)
    console.print(summary(rows))


if __name__ == "__main__":
    main()
