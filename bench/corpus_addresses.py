"""Corpus kernels against Triton's interpreter: the elements that sampled programs touch are those of the tile program.

    build/corpus/bin/python bench/corpus_addresses.py --out bench/results/corpus_addresses.json

Per launch, program and tensor, the elements touched under the interpreter are compared with the union of the tiles that
the tile program gives that block. "equal": the same set. "covered": a subset, as where a loop is shorter for this block
than the longest. "wrapped": lanes past an edge read other rows, which a store mask cuts. Anything else is "wrong".
Kernels that the interpreter cannot run, and tensors with accesses that are not affine or that alias another argument,
are counted apart. Sizes are reduced, since the interpreter is slow.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SMALL = {
    "liger.py": {"ROWS, HIDDEN, VOCABULARY": "64, 512, 2048", "11008": "704", "8192": "1024"},
    "mamba.py": {"BATCH, LENGTH, HEADS, DIM, STATE, GROUPS, CHUNK": "2, 512, 4, 64, 128, 1, 128", "4096": "64"},
    "fla_core.py": {"BATCH, LENGTH, HEADS, DIM": "2, 256, 2, 64"},
    "flag_gems_ops.py": {"ROWS, COLUMNS": "128, 256", "32000": "512"},
    "unsloth_kernels.py": {"ROWS, HIDDEN, VOCABULARY": "64, 512, 2048", "2048": "64", "11008": "704", "4096": "64"},
}
"""Constants and numbers of the files of calls that are replaced."""

Key = tuple[str, str, tuple[int, ...]]
"""Kernel, its constexprs, grid: the same in both processes."""


def small_copy(calls: Path, folder: Path) -> Path:
    """The file of calls with its sizes reduced, beside its helper module."""
    text = calls.read_text()
    for name, values in SMALL[calls.name].items():
        if name.isdigit():
            text = re.sub(rf"\b{name}\b", values, text)
        else:
            text = re.sub(rf"^{re.escape(name)} = .*$", f"{name} = {values}", text, flags=re.MULTILINE)
    (folder / "packages.py").write_text((calls.parent / "packages.py").read_text())
    target = folder / calls.name
    target.write_text(text)
    return target


def plain(values: dict[str, Any]) -> str:
    """Constexprs as text; types and functions by name."""
    items = {n: getattr(v, "value", v) for n, v in values.items()}
    return repr(sorted((n, v if isinstance(v, (int, float, bool, str)) else str(v)) for n, v in items.items()))


def interpreted(path: Path, case: str, samples: int) -> None:
    """Print one JSON line per launch of ``case``: its key, and elements by parameter and program."""
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path[:0] = [str(HERE.parent / "tests"), str(path.parent)]
    import numpy as np
    import triton.language as tl
    from frontend.interpreter_addresses import AddressLog
    from triton.runtime import autotuner, driver, interpreter

    from cpplan.frontend.stub_driver import StubDriver
    from cpplan.frontend.torch_stub import DeviceMode, patch_cuda

    log = AddressLog(samples)
    log.install()

    def run(function: Any, /, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> None:
        log.entries = []
        bound = dict(zip(function.arg_names, args, strict=False)) | kwargs
        constexpr = {n for n, kind in function.fn.__annotations__.items() if "constexpr" in str(kind)}
        try:
            log.launch(function, args, {n: v for n, v in kwargs.items() if n in function.arg_names}, grid)
            problem = ""
        except Exception as error:
            problem = f"{type(error).__name__}: {error}".splitlines()[0][:150]
        extents = [int(extent) for extent in log.extents]
        record = {"kernel": function.fn.__name__, "constexprs": plain({n: bound[n] for n in constexpr & bound.keys()})}
        print(json.dumps(record | {"grid": extents, "problem": problem, "touched": log.entries}), flush=True)

    def first_config(tuner: Any, /, *args: Any, **kwargs: Any) -> Any:
        config = tuner.configs[0]
        values = {**kwargs, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(tuner.arg_names, args, strict=False)), **values})
        return tuner.fn.run(*args, **values)

    def bfloat16(builder: Any, value: float) -> Any:  # values are held as the upper half of a float32
        bits = np.array([value], dtype=np.float32).view(np.uint32) >> 16
        return interpreter.TensorHandle(bits.astype(np.uint16), tl.bfloat16)

    driver.set_active(StubDriver())
    interpreter.InterpretedFunction.run = run
    interpreter.InterpreterBuilder.get_bf16 = bfloat16
    autotuner.Autotuner.run = first_config
    patch_cuda(setattr)
    with DeviceMode(fake=False):
        names: dict[str, Any] = {"__name__": "cpplan_kernel_file", "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), names)
        names[case]()


def touched_sets(path: Path, case: str, samples: int, limit: float) -> Iterator[dict[str, Any]]:
    """Launches of a case under the interpreter, in a process of its own."""
    command = [sys.executable, __file__, "--interpret", str(path), case, "--samples", str(samples)]
    with contextlib.suppress(subprocess.TimeoutExpired):
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        yield from (json.loads(line) for line in result.stdout.splitlines() if line.startswith("{"))


def check_case(path: Path, case: str, samples: int, limit: float) -> Iterator[tuple[str, str, str]]:
    """(kernel, verdict, detail) per launch, program and tensor."""
    from cpplan.errors import CpplanError
    from cpplan.frontend.build import build
    from cpplan.frontend.capture import capture_launches

    try:
        launches = capture_launches(str(path), entry=case, mode="cpu")
    except CpplanError as error:
        yield case, "not captured", str(error)
        return
    known: dict[Key, Any] = {}
    for launch in launches:
        named = {n: v for n, v in launch.constexprs.items() if n in launch.function.fn.__annotations__}
        known.setdefault((launch.kernel, plain(named), launch.grid), launch)
    seen: set[Key] = set()
    for record in touched_sets(path, case, samples, limit):
        key = (record["kernel"], record["constexprs"], tuple(record["grid"]))
        if key in seen:
            continue
        seen.add(key)
        if record["problem"] or key not in known:
            yield record["kernel"], "not run", record["problem"] or "another configuration was captured"
            continue
        try:
            built = build(known[key])
        except CpplanError as error:
            yield record["kernel"], "refused", str(error)
            continue
        except Exception as error:
            yield record["kernel"], "traceback", repr(error)
            continue
        yield from compared(known[key], built, record["touched"])


def compared(launch: Any, built: Any, touched: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Verdict per tensor and program."""
    import numpy as np

    seen: dict[tuple[str, tuple[int, ...]], set[int]] = {}
    for name, program, offsets in touched:
        seen.setdefault((name, tuple(program)), set()).update(offsets)
    storages = Counter(v.storage for v in launch.arguments.values() if hasattr(v, "storage"))
    columns = built.coordinates.columns
    for (name, program), elements in seen.items():
        accesses = [a for a in built.program.accesses if a.tensor == name]
        shared = storages[getattr(launch.arguments.get(name), "storage", -1)] != 1
        if shared or not accesses or any(a.klass != "affine" for a in accesses):
            yield launch.kernel, "not affine or aliased", name
        elif columns and len(columns[0]) != np.prod(launch.grid):
            yield launch.kernel, "persistent", name  # a program is several blocks
        else:
            block = int(np.ravel_multi_index(program, launch.grid))
            dims = {d.name: int(c[block]) for d, c in zip(built.program.dims, columns, strict=True)}
            expected = predicted(built.program, accesses, dims)
            yield launch.kernel, verdict(elements, expected, built.program, accesses), f"{name} {program}"


def predicted(program: Any, accesses: list[Any], dims: dict[str, int]) -> set[int]:
    """Elements of all tiles that one block reads or writes."""
    from frontend.test_addresses import elements

    found: set[int] = set()
    for access in accesses:
        path = program.loop_path(access.loop)
        trips = [next(loop.trips for loop in program.loops if loop.name == name) for name in path]
        for iteration in product(*(range(n) for n in trips)):
            found |= elements(access, BuiltLike(program), dims | dict(zip(path, iteration, strict=True)))
    return found


class BuiltLike:
    """What ``elements`` looks at."""

    def __init__(self, program: Any) -> None:
        self.program = program


def verdict(touched: set[int], expected: set[int], program: Any, accesses: list[Any]) -> str:
    """How two sets of elements relate."""
    masked = any(any(access.masked) for access in accesses)
    if touched == expected:
        return "equal"
    if touched <= expected and (masked or any(loop.total_trips for loop in program.loops)):
        return "covered"
    return "wrapped" if expected <= touched and masked else "wrong"


def main() -> None:
    """Run the check over the files of calls and write the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpret", nargs=2, metavar=("PATH", "CASE"))
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the interpreter per case")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "corpus_addresses.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.interpret:
        interpreted(Path(options.interpret[0]), options.interpret[1], options.samples)
        return
    sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
    from corpus_worker import cases_of

    result: dict[str, Any] = {}
    for name in SMALL:
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = small_copy(HERE / "corpus_calls" / name, Path(folder))
            for case in cases_of(path):
                for kernel, found, detail in check_case(path, case, options.samples, options.limit):
                    label = f"{name.removesuffix('.py')} {kernel}"
                    entry = result.setdefault(label, {"verdicts": Counter(), "details": []})
                    entry["verdicts"][found] += 1
                    if found in ("wrong", "not run", "not captured", "refused", "traceback"):
                        entry["details"].append(f"{found}: {detail}")
                        print(case, kernel, found, detail, file=sys.stderr, flush=True)
    total = sum((entry["verdicts"] for entry in result.values()), Counter())
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"total": total, "kernels": result}, indent=1) + "\n")
    print(json.dumps(total))


if __name__ == "__main__":
    main()
