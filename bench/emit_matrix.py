"""Every example kernel on both chips, best plans and forced ones: emitted, type-checked, executed, compared.

    python bench/emit_matrix.py --home ~/.cache/cpplan/vendor --out bench/results/emit_matrix.json

A cell is a kernel, a device, a shape (even: whole blocks; ragged: blocks that hang over) and a plan. It is equal when
the emulated program's results are those of Triton's interpreter within tolerance for two seeds of inputs and of the
order of events. With --home, a folder that vendor_setup.sh made, ``ttnn.generic_op`` is handed its descriptors, too.
Interrupt at will: without --fresh it goes on with the first missing cell, which with --home are those that were not
handed over, and with Helion installed those that want it. --again repeats the cells that are not as they should be.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from emit_cells import CASES, ROOT, Case, Planned, plans_of
from emit_descriptors import ACCEPTED, UNTRIED, Runtime
from rich.console import Console
from rich.table import Table
from saved_rows import Row, SavedRows

from cpplan.device.spec import load_device
from cpplan.errors import CpplanError
from cpplan.version import __version__

KEY = ("kernel", "device", "sizes", "plan")
SHAPES = ("even", "ragged")
NO_HELION = "helion is not installed: pip install 'cpplan[helion]'"


def is_good(case: Case, row: Row) -> bool:
    """Whether a cell is as it should be: equal, of the right types and accepted, no plan, or refused for the known
    reason."""
    if row["outcome"] == "refused":
        return bool(case.refused) and case.refused in row["message"]
    if row["outcome"] == "no plan":
        return not case.refused
    checked = row.get("types") in ("ok", "unknown") and row.get("descriptors") in (ACCEPTED, UNTRIED)
    return row["outcome"] == "equal" and checked and not case.refused


def is_missing(row: Row | None, again: bool, handed_over: bool) -> bool:
    """Whether a cell is to be measured (again)."""
    if row is None or (again and not row["good"]):
        return True
    if row["outcome"] == "not run":
        return has_helion()
    return handed_over and "types" in row and row.get("descriptors", UNTRIED) == UNTRIED


def has_helion() -> bool:
    """Whether kernels in Helion can be read."""
    return importlib.util.find_spec("helion") is not None


def cells() -> set[tuple[str, str, str]]:
    """Kernel, sizes and plan of every cell that there is."""
    return {(case.name, " ".join(case.sizes(s)), plan) for case in CASES for s in SHAPES for plan in plans_of(case)}


def measured(planned: Planned, name: str, runtime: Runtime | None) -> Row:
    """One cell; what stops the kernel from being read is its message."""
    if planned.case.file.startswith("helion") and not has_helion():
        return {"outcome": "not run", "message": NO_HELION}
    try:
        row = planned.cell(name, runtime=runtime)
    except CpplanError as error:
        row = {"outcome": "refused", "message": str(error)}
    return row | {"message": row["message"].replace(f"{ROOT}/", "")}


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
        "programs_accepted": sum(row["descriptors"] == ACCEPTED for row in ran),
        "refused_kernels": sorted({row["kernel"] for row in rows if row["outcome"] == "refused"}),
        "good": sum(row["good"] for row in rows),
    }


def print_table(console: Console, rows: list[Row]) -> None:
    """One line per kernel, device and shape."""
    table = Table(
        "kernel", "device", "shape", "equal", "off at most", "type check", "descriptors", "emulated s", "not equal"
    )
    for kernel, device, shape in dict.fromkeys((r["kernel"], r["device"], r["shape"]) for r in rows):
        mine = [r for r in rows if (r["kernel"], r["device"], r["shape"]) == (kernel, device, shape)]
        equal = [r for r in mine if r["outcome"] == "equal"]
        types = Counter(r["types"] if r["types"] in ("ok", "unknown") else "errors" for r in mine if "types" in r)
        given = Counter(
            r["descriptors"] if r["descriptors"] in (ACCEPTED, UNTRIED) else "refused" for r in mine if "types" in r
        )
        others = [f"{r['plan']}: {r['outcome']} {r['message'][:60]}" for r in mine if r["outcome"] != "equal"]
        table.add_row(
            kernel, device, shape, f"{len(equal)} of {len(mine)}",
            f"{max((r['off'] for r in equal), default=0):.2f}",
            " ".join(f"{count} {word}" for word, count in types.items()),
            " ".join(f"{count} {word}" for word, count in given.items()),
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
    parser.add_argument("--home", type=Path, help="folder given to vendor_setup.sh: hand all programs over")
    parser.add_argument("--fresh", action="store_true", help="forget saved cells")
    parser.add_argument("--again", action="store_true", help="repeat saved cells that are not as they should be")
    parser.add_argument("--out", type=Path, default=Path("bench/results/emit_matrix.json"))
    options = parser.parse_args()
    saved, console = SavedRows(options.out, KEY, options.fresh), Console(width=170)
    there = cells()
    saved.rows = {key: r for key, r in saved.rows.items() if (r["kernel"], r["sizes"], r["plan"]) in there}
    with ExitStack() as stack:
        for name in options.devices:
            runtime = stack.enter_context(closing(Runtime(options.home.resolve(), name))) if options.home else None
            for place, planned in wanted(name, options):
                if is_missing(saved.get(**place), options.again, runtime is not None):
                    row = place | {"shape": planned.shape} | measured(planned, place["plan"], runtime)
                    saved.add(row | {"good": is_good(planned.case, row)})
                    shown = (*KEY, "outcome", "off", "types", "descriptors", "message")
                    console.print(*(row.get(field, "") for field in shown), markup=False)
    rows = list(saved.rows.values())
    saved.save(summary(rows))
    print_table(console, rows)
    console.print(summary(rows))


def wanted(name: str, options: argparse.Namespace) -> Iterator[tuple[dict[str, str], Planned]]:
    """Key and plans of the cells of one device that ``options`` choose."""
    for case in CASES:
        if options.kernels and not any(word in case.name for word in options.kernels):
            continue
        for shape in SHAPES:
            planned = Planned(case, shape, load_device(name), options.time_limit)
            for plan in plans_of(case):
                if not options.plans or (plan if plan.isdigit() else "pins") in options.plans:
                    yield dict(zip(KEY, (case.name, name, " ".join(case.sizes(shape)), plan), strict=True)), planned


if __name__ == "__main__":
    main()
