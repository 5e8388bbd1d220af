"""Kernels of public packages, unmodified: captured, lowered, classified and planned on Wormhole and Blackhole.

    python bench/corpus.py --venv build/corpus --out bench/results/corpus.json

The packages of bench/corpus-requirements.txt and bench/corpus-packages.txt are installed into the virtual environment
(made when it does not exist); nothing of them is part of this repository. bench/corpus_calls holds small calls of their
public functions. Triton's tutorials and Helion's examples are not on the package index: give folders that hold them
with --scripts, and each of their files is run as a script.

    python bench/corpus.py --venv build/corpus --scripts tutorials=../tutorials --scripts helion=../helion/examples

A run that was interrupted goes on with ``--resume`` at the first library that it had not finished; ``--only NAME`` runs
one library anew. ``python bench/corpus_tables.py`` then writes the table of docs/frontend.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import corpus_tables

HERE = Path(__file__).parent
CALLS = {
    "liger-kernel": "liger.py",
    "mamba-ssm": "mamba.py",
    "fla-core": "fla_core.py",
    "flag-gems": "flag_gems_ops.py",
    "unsloth": "unsloth_kernels.py",
}
BUILD_ENVIRONMENT = {"MAMBA_SKIP_CUDA_BUILD": "TRUE", "MAMBA_FORCE_BUILD": "TRUE"}
"""mamba-ssm: install the Python files without compiling its extension."""


def environment(folder: Path) -> Path:
    """The Python of the corpus environment, made and filled when it is missing."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, "-r", HERE / "corpus-requirements.txt"], check=True)
        subprocess.run([*install, HERE.parent], check=True)
        packages = [*install, "--no-deps", "--no-build-isolation", "-r", HERE / "corpus-packages.txt"]
        subprocess.run(packages, check=True, env=os.environ | BUILD_ENVIRONMENT)
    return python


def records_of(python: Path, worker: str, library: str, arguments: list[str]) -> Iterator[dict[str, Any]]:
    """Lines of one worker as they come; a worker that dies leaves one record that says so."""
    paths = os.environ | {"PYTHONPATH": str(HERE.parent), "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryFile("w+") as messages:  # a pipe that nobody empties would stop the worker
        command = [str(python), str(HERE / worker), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, text=True, env=paths)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield {"library": library} | json.loads(line)
        if process.wait():
            messages.seek(0)
            yield {"library": library, "case": "", "kernel": "", "error": messages.read()[-400:]}


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Options that say what belongs to the corpus."""
    parser.add_argument("--venv", type=Path, required=True)
    parser.add_argument("--scripts", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--only", default="", help="names of libraries, comma-separated")


def sources(options: argparse.Namespace) -> dict[str, list[str]]:
    """Files of each library, as a worker takes them."""
    found = {library: [str(HERE / "corpus_calls" / file)] for library, file in CALLS.items()}
    for text in options.scripts:
        name, _, folder = text.partition("=")
        scripts = [str(path) for path in sorted(Path(folder).glob("*.py")) if not path.name.startswith("_")]
        found[name] = [*scripts, "--script", "--silence", "300"]
    return found


def run_library(python: Path, library: str, files: list[str], options: argparse.Namespace) -> None:
    """Run one worker, show its records, and keep them in the folder of parts when it has come to its end."""
    begin, records = time.monotonic(), []
    arguments = [*files, "--time-limit", str(options.time_limit)]
    for record in records_of(python, "corpus_worker.py", library, arguments):
        records.append(record)
        print(row(record), flush=True)
    part = {
        "time_limit_seconds": options.time_limit,
        "seconds": round(time.monotonic() - begin),
        "kernels": without_places(records, options),
    }
    options.parts.mkdir(parents=True, exist_ok=True)
    (options.parts / f"{library}.json").write_text(json.dumps(part))


def merged(libraries: Iterable[str], folder: Path, versions: list[str]) -> dict[str, Any]:
    """The result of all libraries that have been run."""
    parts = {name: json.loads(path.read_text()) for name in libraries if (path := folder / f"{name}.json").exists()}
    records = [record for part in parts.values() for record in part["kernels"]]
    return {
        "time_limit_seconds": {name: part["time_limit_seconds"] for name, part in parts.items()},
        "seconds": {name: part["seconds"] for name, part in parts.items()},
        "versions": versions,
        "summary": summary(records),
        "kernels": records,
    }


def without_places(records: list[dict[str, Any]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The records with files named as they are called inside their package, wherever that was installed."""
    text = json.dumps(records)
    folders = [argument.partition("=")[2] for argument in options.scripts]
    for folder in (*(str(Path(f).resolve()) for f in folders), str(HERE.parent)):
        text = text.replace(json.dumps(folder + "/")[1:-1], "")
    text = re.sub(r"/[^\s\"]*/site-packages/", "", text)
    return json.loads(text.replace(str(Path.home()), "~"))  # type: ignore[no-any-return]


def row(record: dict[str, Any]) -> str:
    """One line of the table."""
    if record.get("error"):
        outcome, reason = "case failed", record["error"].strip().splitlines()[-1]
    else:
        outcome, reason = record["outcome"], record.get("reason", "")
    classes = " ".join(f"{name}:{count}" for name, count in sorted(record.get("classes", {}).items()))
    seconds = record.get("frontend_seconds", 0) + sum(plan.get("seconds", 0) for plan in record.get("plans", []))
    name = record["kernel"] or f"({record['case']})"
    return f"{record['library']:<13}{name:<52.52}{outcome:<17}{classes:<32}{seconds:>7.2f}  {reason[:110]}"


def summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts over all kernels, over those whose accesses are all affine, and the refusals by reason."""
    kernels = [record for record in records if record["kernel"]]
    affine = [r for r in kernels if set(r.get("classes", {})) == {"affine"}]
    known = [r for r in kernels if "classes" in r]
    return {
        "kernels": len(kernels),
        "outcomes": dict(Counter(r["outcome"] for r in kernels)),
        "affine": len(affine),
        "affine_outcomes": dict(Counter(r["outcome"] for r in affine)),
        "partial": sum("partial" in r["classes"] and "opaque" not in r["classes"] for r in known),
        "opaque": sum("opaque" in r["classes"] for r in known),
        "accesses": dict(sum((Counter(r["classes"]) for r in known), Counter())),
        "tracebacks": sum(
            r.get("outcome") == "traceback" or "traceback" in r.get("error", "")
            or any(plan["status"] == "traceback" for plan in r.get("plans", []))
            for r in records
        ),
        "failed_cases": {f"{r['library']} {r['case']}": r["error"].strip()[-200:] for r in records if r.get("error")},
        "median_frontend_seconds": sorted(r["frontend_seconds"] for r in known)[len(known) // 2] if known else 0,
    }  # fmt: skip


def main() -> None:
    """Install, run the libraries, print the table, write JSON and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sources(parser)
    parser.add_argument("--resume", action="store_true", help="keep libraries that an earlier run has finished")
    parser.add_argument("--parts", type=Path, default=HERE.parent / "build" / "corpus-parts", help="one file a library")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=2.0,
        help="seconds per kernel and device, five times as many for those without a plan then; 0: no plans",
    )
    parser.add_argument("--out", type=Path, default=HERE / "results" / "corpus.json")
    options = parser.parse_args()
    python = environment(options.venv)
    freeze = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    versions = [line for line in freeze.splitlines() if "==" in line]
    libraries = sources(options)
    for library, files in libraries.items():
        finished = options.resume and (options.parts / f"{library}.json").exists()
        if not finished and (not options.only or library in options.only.split(",")):
            run_library(python, library, files, options)
    result = merged(libraries, options.parts, versions)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["summary"] | {"seconds": result["seconds"]}, indent=1))
    print(corpus_tables.corpus(result))


if __name__ == "__main__":
    main()
