"""Processor seconds from kernel file to tile programs, all block shapes included and imports not, for every example.

python bench/frontend_seconds.py --out bench/results/frontend_seconds.json
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import json
import statistics
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cpplan.frontend import read_problems

EXAMPLES = Path(__file__).parent.parent / "examples"


def examples() -> list[Path]:
    """Example files; those written in Helion only where it is installed."""
    has_helion = importlib.util.find_spec("helion") is not None
    return [path for path in sorted(EXAMPLES.glob("*.py")) if has_helion or not path.stem.startswith("helion")]


def measure(path: Path, repeats: int) -> dict[str, object]:
    """Processor time of reading one file at the sizes it has by itself."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        with contextlib.redirect_stderr(io.StringIO()):  # what the file prints
            problems = read_problems(str(path))
        seconds.append(time.process_time() - start)
    families = [family for problem in problems for family in problem.families]
    return {
        "example": path.stem,
        "kernels": len({problem.name for problem in problems}),
        "block_shapes": sum(len(family.blocks) for family in families),
        "first_seconds": round(seconds[0], 3),
        "median_seconds": round(statistics.median(seconds), 3),
    }


def main() -> None:
    """Measure every example and save one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("bench/results/frontend_seconds.json"))
    options = parser.parse_args()
    measure(EXAMPLES / "elementwise.py", 1)  # imports torch and triton
    if importlib.util.find_spec("helion") is not None:
        importlib.import_module("helion.language")
    rows = [measure(path, options.repeats) for path in examples()]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console(width=120).print(table)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
