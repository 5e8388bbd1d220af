"""Bytes of code of emitted kernels, against what a core has room for.

    python bench/code_sizes.py --out bench/results/code_sizes.json

Every kernel is compiled as the vendor's JIT would do it, with its headers, but by clang 19 instead of its compiler. The
vector unit's instructions are left out, since only the vendor's compiler knows them: a ``math`` thread with vector
functions is larger than what is counted here (``vector`` says how many calls that concerns).

Limits: the runtime keeps the code of all processors of a core, with arguments, semaphores and buffer settings, in
69 KiB of L1 by default and refuses programs that take more; on Wormhole the NCRISC kernel has to fit 16 KiB of memory
of its own (source: dev_mem_map.h; the 69 KiB from the facts about the runtime of ttnn 0.81.1).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from emit_cells import CASES, Planned
from rich.console import Console
from saved_rows import Row, SavedRows
from vendor.compiler import CLANG, CODE_FLAGS

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.program import ComputeConfig, Kernel, Program
from cpplan.errors import CpplanError
from cpplan.typecheck.units import Unit, units, write_generated
from cpplan.typecheck.wheel import headers

KEY = ("kernel", "device", "sizes", "plan")
CONFIG_BYTES = 70_656
NCRISC_BYTES = 16_384
TENSIX = re.compile(r'asm sideeffect "\.ttinsn \$0", "n"\(i32 [^)]*\)')
"""An instruction of the matrix unit, also where the stand-in of vector functions leaves its operand open."""
VECTOR = re.compile(r"^ *(\w+_tile(?:_to_cb)?)(?:<[^;]*>)?\(", re.MULTILINE)
MATRIX = ("copy_tile", "pack_tile", "transpose_tile", "reduce_tile")


def thread_bytes(unit: Unit, folder: Path) -> int:
    """Bytes of code and data of one processor's kernel."""
    middle, final = folder / f"{unit.thread}.ll", folder / f"{unit.thread}.o"
    command = [CLANG, *unit.flags, *CODE_FLAGS, "-S", "-emit-llvm", "-o", str(middle), str(unit.wrapper)]
    subprocess.run(command, capture_output=True, check=True)
    middle.write_text(TENSIX.sub('asm sideeffect ".word 0", ""()', middle.read_text()))
    target = [flag for flag in unit.flags if flag.startswith(("--target", "-march", "-mabi"))]
    command = [CLANG, *target, "-O2", "-fno-pic", "-w", "-x", "ir", "-c", "-o", str(final), str(middle)]
    subprocess.run(command, capture_output=True, check=True)
    shown = subprocess.run(["riscv64-unknown-elf-size", str(final)], capture_output=True, text=True, check=True).stdout
    text, data = shown.splitlines()[1].split()[:2]
    return int(text) + int(data)


def kernel_bytes(program: Program, kernel: Kernel) -> dict[str, int]:
    """Bytes of each processor of a kernel."""
    formats = {index: buffer.format for index, buffer in program.kernel_buffers(kernel).items()}
    with tempfile.TemporaryDirectory(prefix="cpplan-sizes-") as scratch:
        folder = Path(scratch)
        source = folder / "kernel" / f"{kernel.name}.cpp"
        source.parent.mkdir()
        source.write_text(kernel.source)
        write_generated(folder, source, formats, kernel.compute or ComputeConfig(), program.arch)
        return {unit.thread: thread_bytes(unit, folder) for unit in units(headers(), folder, kernel, program.arch)}


def measured(program: Program) -> Row:
    """Sizes of all processors, and whether they fit."""
    sizes = {thread: count for kernel in program.kernels for thread, count in kernel_bytes(program, kernel).items()}
    calls = [call for kernel in program.kernels if kernel.compute for call in VECTOR.findall(kernel.source)]
    fits = sum(sizes.values()) <= CONFIG_BYTES
    fits &= program.arch != "wormhole" or sizes.get("ncrisc", 0) <= NCRISC_BYTES
    row: dict[str, Any] = {"bytes": sizes, "total": sum(sizes.values()), "fits": fits}
    return row | {"vector": sum(call not in MATRIX for call in calls)}


def main() -> None:
    """Measure all missing programs: the best plan of every case for its ragged sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", default=["wormhole", "blackhole"])
    parser.add_argument("--kernels", nargs="+", help="only kernels with these words in their names")
    parser.add_argument("--fresh", action="store_true", help="forget saved rows")
    parser.add_argument("--out", type=Path, default=Path("bench/results/code_sizes.json"))
    options = parser.parse_args()
    saved, console = SavedRows(options.out, KEY, options.fresh), Console(width=150)
    for case in CASES:
        if not case.ranks or (options.kernels and not any(word in case.name for word in options.kernels)):
            continue
        for name in options.devices:
            place = {"kernel": case.name, "device": name, "sizes": " ".join(case.sizes("ragged")), "plan": "1"}
            if saved.get(**place) is not None:
                continue
            try:
                program = Planned(case, "ragged", load_device(name)).made("1").program
            except CpplanError as error:
                console.print(f"{case.name} on {name}: {error}", markup=False)
                continue
            row = saved.add(place | measured(program))
            console.print(*(row[field] for field in (*KEY, "bytes", "total", "vector", "fits")), markup=False)
    rows = list(saved.rows.values())
    saved.save({"programs": len(rows), "largest": max(r["total"] for r in rows), "fit": sum(r["fits"] for r in rows)})


if __name__ == "__main__":
    main()
