"""Emitted programs under the vendor's own software: its runtime and JIT, and a simulator of its chips' instructions.

    bench/vendor_setup.sh ~/.cache/cpplan/vendor
    python bench/vendor_checks.py --home ~/.cache/cpplan/vendor --out bench/results/vendor_checks.json

Level 3 hands the best plans of the examples to ``ttnn.generic_op`` on devices without hardware, and damaged programs,
which have to be refused. Level 4 executes plans as operations of TT-Lang and compares results and traffic. Level 5
executes GEMMs, firmware included, and compares with float32. What that proves is in docs/emitter.md. Interrupt at will:
without --fresh it goes on with the first missing row.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from saved_rows import Row, SavedRows
from vendor.cases import CASES, Case
from vendor.chips import CHIPS

BENCH = Path(__file__).parent
KEY = ("level", "name", "device", "damage")
LEAST_CORRELATION = 0.9999
LIMITS = {3: 300, 5: 600}
"""Seconds for one program, by level."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def absent(home: Path, levels: Collection[int]) -> list[str]:
    """What of the set-up is missing for these levels, in words; empty if all is there."""
    if set(levels) == {4}:
        simulator = home / "ttlang" / "bin" / "tt-lang-sim"
        return [] if simulator.exists() else [f"{simulator} (bench/vendor_setup.sh makes it)"]
    if 4 in levels:
        return absent(home, {4}) + absent(home, set(levels) - {4})
    tools = ("clang++-19", "riscv64-unknown-elf-ld", "g++")
    files = (
        home / "env" / "bin" / "python",
        home / "metal" / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++",
    )
    return [f"{tool} (not on PATH)" for tool in tools if shutil.which(tool) is None] + [
        f"{path} (bench/vendor_setup.sh makes it)" for path in files if not path.exists()
    ]


def packages(home: Path) -> Path:
    """Where the vendor's wheel and the simulator are installed."""
    return home / "env" / "lib" / "python3.12" / "site-packages"


def settings(home: Path, scratch: Path, device: str) -> dict[str, str]:
    """Environment for a device without hardware: the runtime reads all of this from variables."""
    description = scratch / f"{device}.yaml"
    description.write_text(CHIPS[device].text())
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "TT_METAL_RUNTIME_ROOT": str(home / "metal"),
        "TT_METAL_CACHE": str(scratch / "kernels"),
        "TT_METAL_LOGS_PATH": str(scratch),
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(description),
        **ONE_THREAD,
    }


def simulated(home: Path, scratch: Path, device: str, program: Path) -> dict[str, str]:
    """Environment for executing on the simulator."""
    return settings(home, scratch, device) | {
        "TT_METAL_SLOW_DISPATCH_MODE": "1",
        "TT_METAL_SIMULATOR": str(packages(home) / "framework" / "sim" / CHIPS[device].simulator),
        "WOLFPINE_PYTHON": str(home / "env" / "bin" / "python"),
        "CPPLAN_VENDOR_CODE": "1",
        "CPPLAN_VENDOR_FIRMWARE": str(firmware(home, scratch, device, program)),
    }


def firmware(home: Path, scratch: Path, device: str, program: Path) -> Path:
    """The wheel's ready-made firmware for as many memory banks as the simulated chip has.

    The runtime's cache of kernels is called like it, on a device without hardware of the same grid: that has fast
    dispatch, while the simulator needs slow dispatch. Whether the banks are as many is checked where the firmware is
    handed over (compiler.py). Any program will do to find out; the answer is kept beside the set-up.
    """
    kept = home / f"ready-firmware-{device}"
    built = packages(home) / "ttnn" / "tt_metal" / "pre-compiled"
    if not kept.exists():
        cache = scratch / "dispatch"
        outcome(on_device(home, program), settings(home, scratch, device) | {"TT_METAL_CACHE": str(cache)}, LIMITS[3])
        names = [path.name.removeprefix("tt-metal-cache") for path in cache.glob("tt-metal-cache*")]
        found = [name for name in names if name and (built / name).is_dir()]
        if len(found) != 1:
            sys.exit(f"error: the wheel has no firmware for {device} (the runtime's cache holds {names})")
        kept.write_text(found[0])
    return built / kept.read_text()


def on_device(home: Path, program: Path) -> list[str]:
    """The command that hands over a program."""
    return [str(home / "env" / "bin" / "python"), str(BENCH / "vendor" / "on_device.py"), str(program)]


@functools.cache
def emitted(arguments: tuple[str, ...]) -> tempfile.TemporaryDirectory[str]:
    """The program that these arguments of cpplan make; ends with its message if there is none."""
    folder = tempfile.TemporaryDirectory(prefix="cpplan-vendor-program-")
    at = arguments.index("--")
    command = [sys.executable, "-m", "cpplan", *arguments[:at], "--out", folder.name, *arguments[at:]]
    result = subprocess.run(command, cwd=BENCH.parent, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"error: {' '.join(command)} failed: {result.stderr.strip()}")
    return folder


def outcome(command: list[str], environment: Mapping[str, str], limit: int) -> Row:
    """The JSON line that on_device.py prints, or what happened instead."""
    try:
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"accepted": False, "error": f"no end within {limit} seconds"}
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if lines:
        found: Row = json.loads(lines[-1])
        return found
    output = result.stdout + result.stderr
    told = dict.fromkeys(line.partition("error: ")[2].strip() for line in output.splitlines() if "error: " in line)
    reason = " / ".join(told)[:400] or result.stderr.strip()[-400:]
    return {"accepted": False, "error": f"exit code {result.returncode}: {reason}"}


def as_expected(case: Case, row: Mapping[str, Any]) -> bool:
    """Sound programs are accepted, and right where executed; damaged ones are refused with the runtime's reason, or at
    level 4 are noticed in one way or another."""
    if case.level == 4:
        return (row["accepted"] and row["equal"] and not row["differences"]) == (case.damage is None)
    if case.damage is not None:
        return not row["accepted"] and any(word in row["error"] for word in ("TT_THROW", "TT_FATAL", "error:"))
    return bool(row["accepted"]) and (case.level < 5 or row["pcc"] >= LEAST_CORRELATION)


def checked(case: Case, home: Path) -> Row:
    """One program, emitted and handed over."""
    identity = {"level": case.level, "name": case.name, "device": case.device, "damage": case.damage}
    if case.level == 4:
        from vendor.level4 import checked_operation  # Triton and the planner in this process

        row = checked_operation(case, home)
        return {**identity, "command": "cpplan " + " ".join(case.emit()), **row, "as_expected": as_expected(case, row)}
    with tempfile.TemporaryDirectory(prefix="cpplan-vendor-") as name:
        scratch = Path(name)
        program = Path(emitted(case.emit()).name)
        command = on_device(home, program)
        command += ["--damage", case.damage] if case.damage else []
        command += ["--gemm"] if case.level == 5 else []
        if case.level == 5:
            environment = simulated(home, scratch, case.device, program)
        else:
            environment = settings(home, scratch, case.device)
        row = outcome(command, environment, LIMITS[case.level])
        if "error" in row:
            row["error"] = row["error"].replace(str(program), "").replace(str(scratch), "").replace(str(home), "")
    return {**identity, "command": "cpplan " + " ".join(case.emit()), **row, "as_expected": as_expected(case, row)}


def rows(saved: SavedRows, home: Path, levels: Collection[int], devices: Collection[str]) -> Iterator[Row]:
    """All rows of these levels and devices, run unless they are saved already."""
    for case in CASES:
        if case.level not in levels or case.device not in devices:
            continue
        row = saved.get(level=case.level, name=case.name, device=case.device, damage=case.damage)
        yield row or saved.add(checked(case, home))


def shown(row: Row) -> str:
    """One line for the terminal."""
    what = f"damaged: {row['damage']}" if row["damage"] else "sound"
    result = "accepted" if row["accepted"] else f"refused: {row['error'][:110]}"
    figures = f", correlation {row['pcc']:.6f}" if "pcc" in row else ""
    if "equal" in row:
        result = "equal results" if row["equal"] else "other results"
        figures = f", {'; '.join(row['differences'])[:110] or 'traffic as planned'}"
    mark = "ok  " if row["as_expected"] else "FAIL"
    return f"{mark} level {row['level']}  {row['device']:16} {row['name']} ({what}): {result}{figures}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="folder given to vendor_setup.sh")
    parser.add_argument("--level", type=int, choices=(3, 4, 5), action="append", help="default: all")
    parser.add_argument("--device", choices=CHIPS, action="append", help="default: all")
    parser.add_argument("--out", type=Path, default=Path("out/vendor_checks.json"))
    parser.add_argument("--fresh", action="store_true", help="forget saved rows")
    options = parser.parse_args()
    home = options.home.resolve()
    levels = options.level or (3, 4, 5)
    if missing := absent(home, levels):
        sys.exit("error: the set-up is incomplete: " + "; ".join(missing))
    failed = 0
    saved = SavedRows(options.out, KEY, options.fresh)
    for row in rows(saved, home, levels, options.device or tuple(CHIPS)):
        print(shown(row), flush=True)
        failed += not row["as_expected"]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
