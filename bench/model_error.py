"""Hold the exact cost model to public measurements: errors per family, rows used for fitting apart from test rows.

    python bench/model_error.py --out bench/results/model_error.json
    python bench/model_error.py --optimum 20          also solve every DRAM-to-DRAM matmul, 20 s each

A family's error is geometric: exp(mean |log(predicted / measured)|) - 1. docs/calibration.md explains the families.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import gemm_prediction
import micro_patterns
from measurements import Row, load_rows
from rich.console import Console
from rich.table import Table

GOAL = 10.0
"""Largest geometric-mean error aimed at, in percent."""


@dataclass(frozen=True)
class Compared:
    """One row, measured and predicted, in the row's unit (cycles or GB/s)."""

    family: str
    name: str
    fits: bool
    measured: float
    predicted: float

    @property
    def log(self) -> float:
        """Log of predicted over measured."""
        return math.log(self.predicted / self.measured)


@dataclass(frozen=True)
class Error:
    """Errors of a set of rows in percent; ``bias`` is signed, ``worst`` the largest single one."""

    rows: int
    mean: float
    bias: float
    worst: float


def family_of_matmul(row: Row) -> str:
    """Chip, grid, element type, fidelity and configuration."""
    config = "tuned" if row["config"] == "tuned" else "out of the box"
    return f"matmul {row.chip} {row.grid} {row.dtype} {row.fidelity} {config}"


def compare(row: Row) -> Compared | None:
    """``row`` with its prediction, None when the model has no such pattern."""
    if row.kernel == "matmul":
        return Compared(family_of_matmul(row), row.name, row.fits, row.value, gemm_prediction.predict(row).cycles)
    found = micro_patterns.predict(row)
    if found is None:
        return None
    pattern, value = found
    words = [row.kernel, row.chip, pattern]
    if pattern == "many cores":
        words.append("placed" if row["placement"] == "carefully_chosen" or row["channels"] == "1" else "random")
    return Compared(" ".join(words), row.name, row.fits, row.value, value)


def error_of(rows: Iterable[Compared]) -> Error | None:
    """Errors of ``rows``, None when there are none."""
    logs = [row.log for row in rows]
    if not logs:
        return None
    mean, bias, worst = sum(map(abs, logs)) / len(logs), sum(logs) / len(logs), max(map(abs, logs))
    return Error(len(logs), *(round(100 * math.expm1(value), 1) for value in (mean, bias, worst)))


def has_goal(family: str) -> bool:
    """Whether the goal applies to ``family``."""
    return not any(family.endswith(f" {pattern}") for pattern in micro_patterns.OUTSIDE)


def meets_goal(rows: list[Compared]) -> bool:
    """Whether the goal is met on the test rows alone (where there are any) and on all rows."""
    halves = (error_of(r for r in rows if not r.fits), error_of(rows))
    return all(e.mean <= GOAL for e in halves if e is not None)


def by_family(rows: Iterable[Compared]) -> dict[str, list[Compared]]:
    """Rows grouped by family, in the order of first appearance."""
    out: dict[str, list[Compared]] = {}
    for row in rows:
        out.setdefault(row.family, []).append(row)
    return out


def show(families: dict[str, list[Compared]], console: Console) -> None:
    """The table people read."""
    table = Table(title="Cost model against public measurements: geometric-mean error in percent")
    for heading in ("family", "fit rows", "error", "test rows", "error", "all", "bias", "worst", "goal"):
        table.add_column(heading, justify="left" if heading in ("family", "goal") else "right")
    for family, rows in families.items():
        fit, test, every = error_of(r for r in rows if r.fits), error_of(r for r in rows if not r.fits), error_of(rows)
        assert every is not None
        cells = [cell for e in (fit, test) for cell in ((str(e.rows), f"{e.mean:.1f}") if e else ("0", "-"))]
        verdict = ("met" if meets_goal(rows) else "[red]missed[/red]") if has_goal(family) else "none"
        table.add_row(family, *cells, f"{every.mean:.1f}", f"{every.bias:+.1f}", f"{every.worst:.1f}", verdict)
    console.print(table)


def result(families: dict[str, list[Compared]]) -> dict[str, object]:
    """What is saved: errors per family, then every row."""
    errors = {
        family: {
            "goal": GOAL if has_goal(family) else None,
            **{
                half: asdict(e) if (e := error_of(r for r in rows if keep is None or r.fits == keep)) else None
                for half, keep in (("fit", True), ("test", False), ("all", None))
            },
        }
        for family, rows in families.items()
    }
    listed = [
        {
            "name": r.name,
            "half": "fit" if r.fits else "test",
            "measured": r.measured,
            "predicted": round(r.predicted, 1),
        }
        for rows in families.values()
        for r in rows
    ]
    return {"unit": "percent", "families": errors, "rows": listed}


def solve_all(rows: Iterable[Row], seconds: float, console: Console) -> list[dict[str, object]]:
    """Our optimum beside the vendor's template, both under the model, for matmuls between DRAM tensors."""
    table = Table(title="Matmuls between DRAM tensors: predicted cycles, output drain included")
    for heading in ("row", "vendor's template", "our optimum", "ratio", "status"):
        table.add_column(heading)
    out: list[dict[str, object]] = []
    for row in rows:
        if row.kernel != "matmul" or row["in0"] != "DRAM" or row["out"] != "DRAM":
            continue
        ours, theirs, status = gemm_prediction.optimum(row, seconds)
        label = f"{family_of_matmul(row)} {row['M']}x{row['K']}x{row['N']}"
        table.add_row(label, f"{theirs:,}", f"{ours:,}", f"{ours / theirs:.3f}", status)
        out.append({"row": label, "template": theirs, "optimum": ours, "status": status})
    console.print(table)
    return out


def main() -> None:
    """Compare all rows, print the table, save one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="JSON file to write")
    parser.add_argument("--optimum", type=float, metavar="SECONDS", help="also solve, with this limit per row")
    options = parser.parse_args()
    console = Console(width=140)
    rows = list(load_rows())
    families = by_family(found for row in rows if (found := compare(row)) is not None)
    show(families, console)
    saved = result(families)
    if options.optimum:
        saved["optimum"] = solve_all(rows, options.optimum, console)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
