"""Corpus kernels against Triton's interpreter: the elements that sampled programs touch are those of the tile program.

    python bench/corpus_addresses.py --venv build/corpus --scripts tutorials=../tutorials

Per launch, program and argument, the tiles touched under the interpreter are compared with those that the tile program
gives the program's blocks. "equal": the same tiles. "joined": other tiles, but together the same elements. "covered": a
subset, as where part of a mask is no bound of an axis, or a loop is shorter for this block than the longest.
"wrapped": lanes past an edge read rows that are inside (wrapped or clamped), which a store mask cuts. "within": the
argument has accesses that are not affine too, and the tiles of the affine ones are touched. "wrong": anything else.
Arguments without affine accesses, and launches that the interpreter cannot run, are counted apart.
The environment and the calls are those of bench/corpus.py, sizes included. ``--only NAME`` runs one library anew and
leaves the saved counts of the others.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from corpus import add_sources, environment, records_of, sources

HERE = Path(__file__).parent
TOLD = ("wrong", "not run", "refused", "not captured")
"""Verdicts whose details are kept."""


def check_library(python: Path, library: str, files: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Counts of verdicts by kernel, with the reasons of those that are no comparison."""
    kernels: dict[str, Any] = {}
    arguments = [*files, "--limit", str(options.limit), "--configs", str(options.configs)]
    for record in records_of(python, "corpus_addresses_worker.py", library, arguments):
        verdict = record.get("verdict", "not captured")
        detail = f"{verdict}: {record.get('detail') or record.get('error')}"
        entry = kernels.setdefault(record["kernel"] or f"({record['case']})", {"verdicts": Counter(), "details": []})
        entry["verdicts"][verdict] += 1
        if verdict in TOLD:
            print(library, record["kernel"], detail, file=sys.stderr, flush=True)
            detail = re.sub(r"/[^\s\"]*/(?=[^\s\"/]+\.py)", "", detail)
            entry["details"] += [detail] if detail not in entry["details"] else []
    return dict(sorted(kernels.items()))


def main() -> None:
    """Run the check; write the counts after each library."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sources(parser)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of the interpreter per launch")
    parser.add_argument("--configs", type=int, default=1, help="configurations per tuned launch")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "corpus_addresses.json")
    options = parser.parse_args()
    python = environment(options.venv)
    saved = json.loads(options.out.read_text())["libraries"] if options.out.exists() else {}
    libraries = sources(options)
    for library, files in libraries.items():
        if options.only and library not in options.only.split(","):
            continue
        saved[library] = check_library(python, library, files, options)
        found = {name: saved[name] for name in libraries if name in saved}
        verdicts = (Counter(kernel["verdicts"]) for kernels in found.values() for kernel in kernels.values())
        result = {"total": sum(verdicts, Counter[str]()), "libraries": found}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1) + "\n")
        print(library, json.dumps(result["total"]), flush=True)


if __name__ == "__main__":
    main()
