"""Captures, lowers, classifies and plans the kernels that files launch; a JSON object per line.

    python bench/corpus_worker.py bench/corpus_calls/liger.py     every top-level function of the file is one case
    python bench/corpus_worker.py --script first.py second.py     each file, run as a script, is one case

Each case runs in a forked process: a kernel that crashes or hangs costs its own case only. Lines have the fields of
``kernel_record``; a case that launches nothing gives one line with an ``error``.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import logging
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.errors import CpplanError
from cpplan.frontend.capture import capture
from cpplan.frontend.launch import Launch
from cpplan.frontend.problems import group_launches, problem_of
from cpplan.frontend.recorder import Recorder
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem

DEVICES = ("wormhole", "blackhole")

ARGUMENTS = {"09-persistent-matmul.py": ("--K_range", "512", "0")}
"""Command lines of scripts. This tutorial checks all its kernels and then calls each 20,000 times for every size of a
range, which is left empty here."""

REAL_TENSORS = ("grouped_gemm.py", "moe_matmul_ogs.py")
"""Scripts whose launches depend on values of tensors."""


def cases_of(path: Path) -> list[str]:
    """Names of the public top-level functions."""
    tree = ast.parse(path.read_text())
    return [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]


def wants_real_tensors(path: Path, case: str | None) -> bool:
    """Whether the file lists the case in REAL_TENSORS, or is a script listed here: values such as sequence lengths are
    then read."""
    if case is None:
        return path.name in REAL_TENSORS
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "REAL_TENSORS":
            return case in ast.literal_eval(node.value)
    return False


def run_case(path: Path, entry: str | None, seen: set[str], options: argparse.Namespace) -> None:
    """Emit one record per kernel of the case that no earlier case launched."""
    begin = time.perf_counter()
    mode = "cpu" if options.mode == "cpu" or wants_real_tensors(path, entry) else "fake"
    try:
        recorder = capture(str(path), entry=entry, mode=mode, argv=ARGUMENTS.get(path.name, ()))
    except CpplanError as error:
        emit({"case": entry or path.stem, "kernel": "", "error": str(error)})
        return
    common = {"case": entry or path.stem, "capture_seconds": round(time.perf_counter() - begin, 2)}
    groups = {identity(g[0]): g for g in reversed(group_launches(recorder.launches))}
    for name, group in groups.items():
        if name not in seen:
            emit(kernel_record(group, options) | common)
    for refusal in recorder.refused:
        name = f"{refusal.kernel} {refusal.source}"
        if name not in {*seen, *groups}:
            record = {"kernel": refusal.kernel, "source": refusal.source, "identity": name}
            emit(record | {"outcome": "refused", "reason": refusal.reason, "stage": "capture"} | common)


def identity(launch: Launch) -> str:
    """Kernels are told apart by their definition."""
    return f"{launch.kernel} {launch.source}"


def kernel_record(launches: list[Launch], options: argparse.Namespace) -> dict[str, Any]:
    """What became of one kernel: classes of its accesses and plans, or the reason of a refusal."""
    first = launches[0]
    record: dict[str, Any] = {"kernel": first.kernel, "source": first.source, "identity": identity(first)}
    begin = time.perf_counter()
    try:
        problem = problem_of(launches)
    except CpplanError as error:
        return record | {"outcome": "refused", "reason": str(error), "stage": "frontend"}
    except Exception as error:
        return record | {"outcome": "traceback", "reason": repr(error), "stage": traceback.format_exc(limit=-3)}
    record |= {"frontend_seconds": round(time.perf_counter() - begin, 3)} | description(problem)
    if options.time_limit <= 0:
        return record | {"outcome": "analysed", "reason": "", "plans": []}
    record["plans"] = [planned_apart(problem, device, options) for device in DEVICES]
    failures = [plan for plan in record["plans"] if not plan.get("cycles")]
    record["outcome"] = failures[0]["status"] if failures else "planned"
    record["reason"] = failures[0].get("reason", "") if failures else ""
    return record


def description(problem: Problem) -> dict[str, Any]:
    """Classes and sizes of the first candidate."""
    program = candidate_program(problem.families[0], 0)
    unclear = {a.note: f"{a.kind} {a.tensor} {a.source}" for a in program.accesses if a.klass != "affine"}
    return {
        "candidates": sum(len(family.blocks) for family in problem.families),
        "grid": {dim.name: int(dim.extent) for dim in program.dims},
        "loops": {loop.name: int(loop.trips) for loop in program.loops},
        "classes": dict(Counter(access.klass for access in program.accesses)),
        "notes": unclear,
    }


def planned_apart(problem: Problem, device: str, options: argparse.Namespace) -> dict[str, Any]:
    """``planned`` in a process of its own, ended at four times the time limit; without a plan then, with five times the
    limit, ended at six times that."""
    result: dict[str, Any] = {}
    for limit, hard in (
        (options.time_limit, 4 * options.time_limit),
        (5 * options.time_limit, 30 * options.time_limit),
    ):
        records, why = forked(lambda limit=limit: emit(planned(problem, device, limit)), hard)  # type: ignore[misc]
        result = {"device": device, "status": "no plan in time", "seconds": hard, "reason": why}
        if records:
            failed = {"device": device, "status": "traceback", "reason": records[0].get("error", "")}
            result = failed if "error" in records[0] else records[0]
        result["limit"] = limit
        if result["status"] != "no plan in time":
            break
    return result


def planned(problem: Problem, device: str, limit: float) -> dict[str, Any]:
    """Status, cycles, gap and seconds of the best plan on one device."""
    begin = time.perf_counter()
    try:
        solution = solve(problem, load_device(device), time_limit=limit)
    except CpplanError as error:
        return {"device": device, "status": "refused", "reason": str(error)}
    except Exception as error:
        return {
            "device": device,
            "status": "traceback",
            "reason": repr(error),
            "stage": traceback.format_exc(limit=-3),
        }
    return {
        "device": device,
        "status": solution.status if solution.plans or solution.status == "infeasible" else "no plan in time",
        "cycles": solution.plans[0].cost.makespan_cycles if solution.plans else 0,
        "gap": round(solution.gap, 4),
        "seconds": round(time.perf_counter() - begin, 2),
        "reason": solution.reason,
    }


def emit(record: dict[str, Any]) -> None:
    """One line on the stream of the parent."""
    os.write(OUTPUT, (json.dumps(record) + "\n").encode())


OUTPUT = 1


def forked(run: Callable[[], None], silence: float) -> tuple[list[dict[str, Any]], str]:
    """What ``run`` emits in a child process, and why the child ended early: it is killed after ``silence`` seconds
    without a line."""
    global OUTPUT
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        OUTPUT, code = writer, 1
        try:
            run()
            code = 0
        except BaseException:
            emit({"error": f"traceback: {traceback.format_exc(limit=-4)}"})
        finally:
            os._exit(code)
    os.close(writer)
    text, deadline, problem = b"", time.monotonic() + silence, ""
    while select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            break
        text, deadline = text + part, time.monotonic() + silence
    else:
        os.kill(child, signal.SIGKILL)
        problem = f"no result within {silence:g} s"
    os.close(reader)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and not problem:
        problem = f"ended by signal {os.WTERMSIG(status)}"
    return [json.loads(line) for line in text.decode().splitlines() if line.endswith("}")], problem


def preload(code: str, path: Path) -> None:
    """Import, once, what the cases import as a capture would have them; each case then finds it loaded."""
    sys.path.insert(0, str(path.parent))
    with Recorder().active():
        exec(compile(code, str(path), "exec"), {"__name__": "cpplan_kernel_file", "__file__": str(path)})


def cases(options: argparse.Namespace) -> list[tuple[Path, str | None]]:
    """(file, function or None for the file itself)."""
    paths = [path.resolve() for path in options.paths]
    if options.script:
        return [(path, None) for path in paths]
    wanted = options.cases.split(",") if options.cases else None
    return [(path, name) for path in paths for name in cases_of(path) if wanted is None or name in wanted]


def load(options: argparse.Namespace) -> list[tuple[Path, str | None]]:
    """The cases, when all that they import is loaded."""
    for path in options.paths[:1] if options.script else options.paths:
        installed = [f"import {name}" for name in ("torch", "triton", "helion") if importlib.util.find_spec(name)]
        preload("\n".join(installed) if options.script else path.read_text(), path.resolve())
    return cases(options)


def parser(description: str | None) -> argparse.ArgumentParser:
    """The part of the command line that says which cases to run."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("paths", type=Path, nargs="+")
    found.add_argument("--script", action="store_true")
    found.add_argument("--cases", default="", help="comma-separated; all when empty")
    found.add_argument("--mode", default="fake")
    found.add_argument("--silence", type=float, default=90.0, help="seconds without a result that end a case")
    return found


def main() -> None:
    """Parse the command line, run the cases, print their records."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--time-limit", type=float, default=5.0, help="seconds of the solver per kernel and device; 0: no plan"
    )
    options = arguments.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    seen: set[str] = set()
    for path, case in load(options):
        records, problem = forked(lambda path=path, case=case: run_case(path, case, seen, options), options.silence)  # type: ignore[misc]
        for record in [*records, *([{"error": problem}] if problem else [])]:
            seen.add(record.get("identity", ""))
            print(json.dumps({"case": case or path.stem, "kernel": ""} | record), flush=True)


if __name__ == "__main__":
    main()
