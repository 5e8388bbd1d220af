"""Runs a program on the emulated chip."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.emit_ttmetal.program import Program
from cpplan.emulate.check import check_program
from cpplan.emulate.compiler import kernel_objects, machine_binary
from cpplan.emulate.description import describe
from cpplan.emulate.faults import Deadlock, KernelFault, ProgramFault
from cpplan.errors import InternalError

Pages = NDArray[np.uint8]


@dataclass(frozen=True)
class Traffic:
    """Bytes of one tensor that crossed the DRAM ports."""

    read_bytes: int
    written_bytes: int


@dataclass(frozen=True)
class Stats:
    """What moved. ``multicast_bytes`` counts what senders issued, ``delivered_bytes`` what all receivers got.

    ``changed_semaphores`` lists (id, cores) whose value ends elsewhere than it started: harmless, since each launch
    sets them anew, unless the kernels are to be looped.
    """

    dram: Mapping[str, Traffic]
    unicast_bytes: int
    multicast_bytes: int
    delivered_bytes: int
    multicasts: int
    atomics: int
    matmul_tiles: int
    changed_semaphores: tuple[tuple[int, int], ...]


def run(
    program: Program,
    tensors: Mapping[str, NDArray[Any]],
    seed: int = 0,
    limit_seconds: float = 600,
    include: tuple[Path, ...] = (),
) -> tuple[dict[str, Pages], Stats]:
    """All tensors' pages after the program, as uint8 arrays (pages, bytes of a page), and what moved.

    ``tensors`` gives contents by name: any array with as many bytes as the tensor; tensors left out start as "never
    written", and reading such bytes is a fault. Seed 0 lands every transfer as late as it may land and runs cores in
    order; other seeds draw the order of everything that hardware leaves open. ``include`` lists folders of headers that
    kernels bring along. Raises EmulationError.
    """
    check_program(program)
    objects = kernel_objects(program, include)
    with tempfile.TemporaryDirectory(prefix="cpplan-emulate-") as scratch:
        files = _write_tensors(program, tensors, Path(scratch))
        (Path(scratch) / "program").write_text(describe(program, objects, files, seed))
        report = _execute(Path(scratch), limit_seconds)
        if report["kind"] != "done":
            raise _fault(program, report)
        return _read_tensors(program, files), _stats(report)


def _write_tensors(program: Program, tensors: Mapping[str, NDArray[Any]], folder: Path) -> dict[str, tuple[Path, bool]]:
    unknown = tensors.keys() - {tensor.name for tensor in program.tensors}
    if unknown:
        raise ProgramFault(f"contents given for {', '.join(sorted(unknown))}, which the program does not have")
    files = {}
    for i, tensor in enumerate(program.tensors):
        path = folder / f"tensor{i}"
        files[tensor.name] = (path, tensor.name in tensors)
        if tensor.name in tensors:
            data = np.ascontiguousarray(tensors[tensor.name])
            if data.nbytes != tensor.pages * tensor.page_bytes:
                raise ProgramFault(
                    f"tensor {tensor.name}: {data.nbytes} bytes given for {tensor.pages} pages of {tensor.page_bytes}"
                )
            data.tofile(path)
    return files


def _read_tensors(program: Program, files: Mapping[str, tuple[Path, bool]]) -> dict[str, Pages]:
    return {
        tensor.name: np.fromfile(files[tensor.name][0], np.uint8).reshape(tensor.pages, tensor.page_bytes)
        for tensor in program.tensors
    }


def _execute(scratch: Path, limit_seconds: float) -> dict[str, Any]:
    command = [str(machine_binary()), str(scratch / "program")]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit_seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"kind": "time", "message": f"not finished after {limit_seconds:g} seconds"}
    try:
        report: dict[str, Any] = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise InternalError(
            f"the emulated machine ended with status {result.returncode} and no report: {result.stderr[-2000:]}"
        ) from error
    return report


def _fault(program: Program, report: Mapping[str, Any]) -> KernelFault:
    kind = str(report["kind"])
    if kind == "internal":
        raise InternalError(f"the emulated machine: {report['message']}")
    core = tuple(report["core"]) if "core" in report else None
    line = _source_line(program, report)
    return (Deadlock if kind == "deadlock" else KernelFault)(kind, report["message"], core, report.get("kernel"), line)


def _source_line(program: Program, report: Mapping[str, Any]) -> int | None:
    """Line of the kernel's own source behind a call, through all headers and functions that only pass a call on."""
    if "object" not in report:
        return None
    command = ["addr2line", "-i", "-e", report["object"], *map(hex, report["offsets"])]
    try:
        places = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return None
    source = Path(report["object"]).name.replace(".kernel.so", ".cpp")
    text = next((k.source for k in program.kernels if k.name == report.get("kernel")), "").split("\n")
    for place in places:
        file, _, line = place.split(" (")[0].rpartition(":")
        if Path(file).name == source and line.isdigit() and not _passes_on("".join(text[int(line) - 1 : int(line)])):
            return int(line)
    return None


def _passes_on(line: str) -> bool:
    """Whether a line belongs to a function that exists so that a call is not inlined."""
    return "__attribute__((noinline))" in line or line.lstrip().startswith("::")


def _stats(report: Mapping[str, Any]) -> Stats:
    return Stats(
        dram={name: Traffic(read, written) for name, (read, written) in report["tensors"].items()},
        unicast_bytes=report["unicast_bytes"],
        multicast_bytes=report["multicast_bytes"],
        delivered_bytes=report["delivered_bytes"],
        multicasts=report["multicasts"],
        atomics=report["atomics"],
        matmul_tiles=report["matmul_tiles"],
        changed_semaphores=tuple((id, cores) for id, cores in report["semaphores"]),
    )
