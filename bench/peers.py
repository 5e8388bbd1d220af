"""cpplan beside AccelForge and ZigZag: the same GEMMs on the same machine, mapped in one run.

    python bench/peers.py --fresh --out bench/results/peers.json

Two objectives. *Latency*: latency first, then DRAM traffic. *Traffic*: DRAM traffic alone. What makes the problems the
same, and what does not, is in docs/peers.md. The peers are installed into an environment of their own, build/peers
(Python 3.12 or newer, from PyPI). Every row is a process of its own with one thread; its first mapping is reported
apart (imports are not timed, but compilation and caches are), then the median of the repetitions. Interrupt at will:
without --fresh it goes on with the first missing row.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from saved_rows import Row, SavedRows

from cpplan.device.spec import load_device

BENCH = Path(__file__).parent
HOME = BENCH.parent / "build" / "peers"
REQUIREMENTS = BENCH / "peers-requirements.txt"
GRID = BENCH / "data" / "peer_grid.mlir"
KEY = ("shape", "objective", "mapper", "setting")
SHAPES = ((2048, 2048, 2048), (4096, 4096, 4096), (16384, 256, 16384), (5376, 288, 288), (16384, 16384, 16384))
RIVAL = ("accelforge", "same space")
"""The setting whose space equals cpplan's."""
DEFAULTS = ("elements, process pool", "as documented")
"""The settings in which AccelForge maps as it does when it is told nothing."""
MAPPERS = (
    ("cpplan", "free blocks"),
    RIVAL,
    ("accelforge", "no split"),
    ("accelforge", "divisors"),
    ("accelforge", "elements"),
    *(("accelforge", setting) for setting in DEFAULTS),
    ("zigzag", "loma"),
    ("enumeration", "rules"),
    ("enumeration", "brute force"),
    ("enumeration", "equal or better"),
)
SCRIPTS = {"accelforge": "peers_accelforge.py", "zigzag": "peers_zigzag.py"}
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


def machine() -> dict[str, Any]:
    """What the other mappers are told of the machine, read from the spec that cpplan plans on."""
    device = load_device(str(GRID))
    mac = device.unit("matrix").cost("mac.HiFi4")
    assert mac is not None
    return {
        "cores": [dim.extent for dim in device.dims],
        "sram_bytes": device.sram.usable,
        "dram_bytes_per_cycle": int(device.dram.bank_read_rate * device.dram.banks),
        "cycles_per_tile_mac": int(mac),
    }


def peer_python(given: str | None) -> Path:
    """The interpreter of the peers' environment, which is made when it is missing or outdated."""
    inside, stamp = HOME / "bin" / "python", HOME / "requirements"
    if inside.exists() and stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return inside
    base = next((p for p in candidates(given) if is_new_enough(p)), None)
    if base is None:
        sys.exit("AccelForge needs Python 3.12 or newer: name one with --peer-python")
    shutil.rmtree(HOME, ignore_errors=True)
    subprocess.run([base, "-m", "venv", str(HOME)], check=True)
    subprocess.run([str(inside), "-m", "pip", "install", "-q", "-r", str(REQUIREMENTS)], check=True)
    stamp.write_text(REQUIREMENTS.read_text())
    return inside


def candidates(given: str | None) -> Iterator[str]:
    """Interpreters to try."""
    if given is not None:
        yield given
        return
    yield sys.executable
    names = [f"python3.{minor}" for minor in (12, 13, 14)]
    yield from filter(None, map(shutil.which, names))
    for name in names:
        yield from map(str, sorted((Path.home() / ".pyenv" / "versions").glob(f"*/bin/{name}")))


def is_new_enough(python: str) -> bool:
    """Whether ``python`` starts and is of version 3.12 or newer."""
    code = "import sys; sys.exit(sys.version_info < (3, 12))"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def measure(python: Path, request: dict[str, Any], key: Row, limit: float) -> Row:
    """One row: all repetitions of one mapper on one problem, as many as the limit allows."""
    mapper = key["mapper"]
    script = BENCH / SCRIPTS.get(mapper, "peers_cpplan.py")
    interpreter = str(python) if mapper in SCRIPTS else sys.executable
    command = [interpreter, str(script), json.dumps(request)]
    late = False
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env={**os.environ, **ONE_THREAD}, cwd=BENCH.parent
        )
        output, problem = done.stdout, done.stderr.strip().splitlines()[-1:] if done.returncode else []
    except subprocess.TimeoutExpired as expired:
        output, problem, late = (expired.stdout or b"").decode(), [f"stopped after {limit:.0f} s"], True
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    row: Row = {**key, "repeats": max(0, len(answers) - 1), "stopped": late, "problem": " ".join(problem)}
    if not answers:
        return row
    last = {name: value for name, value in answers[-1].items() if name not in ("wall", "processor")}
    later = answers[1:] or answers
    for field in ("wall", "processor"):
        if answers[-1].get(field) is not None:
            row[f"first_{field}_seconds"] = round(answers[0][field], 3)
            row[f"{field}_seconds"] = round(statistics.median(a[field] for a in later), 3)
    return row | last


def rows(saved: SavedRows, python: Path, options: argparse.Namespace) -> Iterator[Row]:
    """All rows, measured where they are missing or broke off with an error."""
    for shape, objective, (mapper, setting) in itertools.product(options.shapes, ("latency", "traffic"), MAPPERS):
        if objective == "traffic" and (mapper == "enumeration" or setting == "as documented"):
            continue
        key: Row = {"shape": list(shape), "objective": objective, "mapper": mapper, "setting": setting}
        row = saved.get(**key)
        if row is None or (row["problem"] and "dram_bytes" not in row and not row["stopped"]):
            row = missing(saved, python, key, options)
        if row is not None:
            yield saved.add(row)


def missing(saved: SavedRows, python: Path, key: Row, options: argparse.Namespace) -> Row | None:
    """The row of ``key``; None when it depends on a row that has no answer."""
    request = {**key, "machine": machine(), "repeats": options.repeats}
    request["solver_seconds"] = options.time_limit / (options.repeats + 2)
    ours = saved.get(**{**key, "mapper": "cpplan", "setting": "free blocks"}) or {}
    theirs = saved.get(**{**key, "mapper": RIVAL[0], "setting": RIVAL[1]}) or {}
    if key["setting"] == "brute force":
        if "block" not in ours:
            return None
        request["block"] = ours["block"]
    if key["setting"] == "equal or better":
        if "dram_bytes" not in theirs:
            return None
        if equals(ours, theirs):
            return {**ours, **key, "problem": "the fastest plan itself"}
        request |= {field: theirs[field] for field in ("latency_cycles", "dram_bytes")}
    return measure(python, request, key, options.time_limit)


def equals(ours: Row, theirs: Row) -> bool:
    """Whether a plan of ours is as good as a mapping of theirs in both of their measures."""
    return "dram_bytes" in ours and all(
        ours[mine] <= theirs[other]
        for mine, other in (("peer_latency_cycles", "latency_cycles"), ("dram_bytes", "dram_bytes"))
    )


def checks(saved: SavedRows, shapes: list[tuple[int, int, int]]) -> list[Row]:
    """Per shape, what must hold between cpplan's answers and the rival's proved optima."""
    out = []
    for shape in shapes:
        found = {
            (objective, mapper): saved.get(shape=list(shape), objective=objective, mapper=mapper, setting=setting) or {}
            for objective in ("latency", "traffic")
            for mapper, setting in (("cpplan", "free blocks"), RIVAL)
        }
        ours, theirs = found["latency", "cpplan"], found["latency", "accelforge"]
        least, bound = found["traffic", "cpplan"], found["traffic", "accelforge"]
        if not all("dram_bytes" in row for row in (ours, theirs, least, bound)):
            continue
        match = saved.get(shape=list(shape), objective="latency", mapper="enumeration", setting="equal or better") or {}
        out.append({
            "shape": list(shape),
            "makespan_not_below_peer_latency": ours["latency_cycles"] >= theirs["latency_cycles"],
            "traffic_not_below_peer_optimum": min(ours["dram_bytes"], least["dram_bytes"]) >= bound["dram_bytes"],
            "least_traffic_equal": least["dram_bytes"] == bound["dram_bytes"],
            "peer_latency_equal": ours["peer_latency_cycles"] == theirs["latency_cycles"],
            "plan_equal_in_both": "dram_bytes" in match,
            "fill_and_drain": round(ours["latency_cycles"] / ours["peer_latency_cycles"] - 1, 4),
            "times_faster": {objective: times_faster(saved, shape, objective) for objective in ("latency", "traffic")},
        })  # fmt: skip
    return out


def times_faster(saved: SavedRows, shape: tuple[int, int, int], objective: str) -> dict[str, dict[str, float]]:
    """Per setting of AccelForge, how many times longer it takes: the first mapping of a process, and the repeated one.

    Processor time where both sides have it, else time on the clock.
    """
    ours = saved.get(shape=list(shape), objective=objective, mapper="cpplan", setting="free blocks") or {}
    out: dict[str, dict[str, float]] = {}
    for setting in (RIVAL[1], *DEFAULTS):
        theirs = saved.get(shape=list(shape), objective=objective, mapper=RIVAL[0], setting=setting) or {}
        clock = "processor" if "processor_seconds" in theirs else "wall"
        fields = {"first": f"first_{clock}_seconds", "repeated": f"{clock}_seconds"}
        if all(field in ours and field in theirs for field in fields.values()):
            out[setting] = {n: round(theirs[f] / max(ours[f], 0.001), 2) for n, f in fields.items()}
    return out


def show(console: Console, saved: SavedRows, shapes: list[tuple[int, int, int]]) -> None:
    """All rows as one table per objective."""
    for objective in ("latency", "traffic"):
        table = Table("M,N,K", "mapper", "first s", "median s", "processor s", "latency cycles", "DRAM MB", "note")
        for row in saved.rows.values():
            if row["objective"] != objective or tuple(row["shape"]) not in shapes:
                continue
            seconds = [row.get(f) for f in ("first_wall_seconds", "wall_seconds", "processor_seconds")]
            latency, traffic = row.get("latency_cycles"), row.get("dram_bytes")
            table.add_row(
                ",".join(map(str, row["shape"])), f"{row['mapper']}, {row['setting']}",
                *("-" if s is None else f"{s:.2f}" for s in seconds),
                "-" if latency is None or objective == "traffic" else f"{latency:,.0f}",
                "-" if traffic is None else f"{traffic / 1e6:,.3f}", row["problem"] or row.get("refused", ""),
            )  # fmt: skip
        console.print(f"objective: {objective}", table)


def main() -> None:
    """Measure, save, print; exit code 1 when cpplan contradicts a proved optimum of the rival."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", type=shape_of, default=list(SHAPES), metavar="M,N,K")
    parser.add_argument("--repeats", type=int, default=5, help="timed repetitions after the first mapping")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds per row, all repetitions together")
    parser.add_argument("--peer-python", help="interpreter of version 3.12 or newer for the peers")
    parser.add_argument("--fresh", action="store_true", help="measure rows again that are there already")
    parser.add_argument("--out", type=Path, default=Path("bench/results/peers.json"))
    options = parser.parse_args()
    console = Console(width=150)
    python = peer_python(options.peer_python)
    saved = SavedRows(options.out, KEY, options.fresh)
    for row in rows(saved, python, options):
        name = f"{row['shape']} {row['objective']} {row['mapper']}, {row['setting']}"
        console.print(name, row.get("processor_seconds"), row.get("dram_bytes"), row["problem"])
    found = checks(saved, options.shapes)
    saved.save({"machine": machine(), "repeats": options.repeats, "checks": found})
    show(console, saved, options.shapes)
    console.print(found)
    broken = ("makespan_not_below_peer_latency", "traffic_not_below_peer_optimum")
    sys.exit(1 if any(not check[name] for check in found for name in broken) else 0)


def shape_of(text: str) -> tuple[int, int, int]:
    """ "M,N,K" as numbers."""
    m, n, k = map(int, text.split(","))
    return m, n, k


if __name__ == "__main__":
    main()
