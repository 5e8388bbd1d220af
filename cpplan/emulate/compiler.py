"""Compiles the machine once and each kernel once, into a cache that is keyed by content and compiler."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cpplan.emit_ttmetal.program import Kernel, Program
from cpplan.emulate.cache import cached
from cpplan.emulate.faults import KernelCompileError, ToolMissing
from cpplan.emulate.kernel_config import config_header

DEVICE = Path(__file__).parent / "device"
COMMON_FLAGS = ("-std=c++20", "-fno-strict-aliasing", "-ffp-contract=fast")
MACHINE_FLAGS = (*COMMON_FLAGS, "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-rdynamic")
# Device pointers are 32 bits wide, so kernels cast between them and integers: an error for C++ unless permissive.
KERNEL_FLAGS = (*COMMON_FLAGS, "-O1", "-g1", "-fPIC", "-shared", "-fpermissive", "-w")
TIMEOUT_SECONDS = 300


@functools.cache
def compiler() -> str:
    """Path of g++; raises ToolMissing."""
    found = shutil.which("g++")
    if found is None:
        raise ToolMissing("emulating kernels needs g++ (version 11 or later), which is not on PATH; install it")
    return found


@functools.cache
def machine_binary() -> Path:
    """The compiled machine."""
    key = _key("machine", *MACHINE_FLAGS, _device_hash(), _cpu())
    return cached(key, "machine", _compile_machine)


def kernel_object(program: Program, kernel: Kernel, include: tuple[Path, ...] = ()) -> Path:
    """The shared object of one kernel; raises KernelCompileError with the compiler's lines."""
    header = config_header(program, kernel)
    key = _key("kernel", *KERNEL_FLAGS, _headers_hash(), *map(str, include), kernel.name, header, kernel.source)
    name = f"{_file_stem(kernel)}.kernel.so"
    return cached(key, name, lambda folder: _compile_kernel(folder, name, kernel, header, include))


def kernel_objects(program: Program, include: tuple[Path, ...] = ()) -> dict[int, Path]:
    """Objects of all kernels of a program, by position; distinct ones compile side by side."""
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return dict(enumerate(pool.map(lambda kernel: kernel_object(program, kernel, include), program.kernels)))


def _compile_machine(folder: Path) -> None:
    sources = sorted(str(path) for path in (DEVICE / "machine").glob("*.cpp"))
    result = _run([compiler(), *MACHINE_FLAGS, f"-I{DEVICE}", *sources, "-ldl", "-o", str(folder / "machine")])
    if result.returncode != 0:
        raise ToolMissing(f"g++ cannot compile the emulated machine:\n{result.stderr[:4000]}")


def _compile_kernel(folder: Path, name: str, kernel: Kernel, header: str, include: tuple[Path, ...]) -> None:
    source = f"{_file_stem(kernel)}.cpp"
    (folder / "kernel_config.h").write_text(header)
    (folder / source).write_text(kernel.source)
    wrapper = (
        f'#include "emulation/{"compute" if kernel.processor == "compute" else "kernel"}.h"\n'
        f'void kernel_main();\n#include "{source}"\nextern "C" void emu_kernel_entry() {{ kernel_main(); }}\n'
    )
    (folder / "entry.cpp").write_text(wrapper)
    places = [f"-I{place}" for place in (folder, DEVICE, *include)]
    result = _run([compiler(), *KERNEL_FLAGS, *places, str(folder / "entry.cpp"), "-o", str(folder / name)])
    if result.returncode != 0:
        lines = [line for line in result.stderr.splitlines() if "error" in line] or result.stderr.splitlines()
        text = "\n".join(lines[:20]).replace(f"{folder}/", "").replace(f"{DEVICE}/", "")
        raise KernelCompileError(f"{kernel.name} does not compile for the emulation:\n{text}")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)


def _file_stem(kernel: Kernel) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in kernel.name) or "kernel"


def _key(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in (_compiler_version(), *parts):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:24]


@functools.cache
def _device_hash() -> str:
    return _hash_of(DEVICE.rglob("*"))


@functools.cache
def _headers_hash() -> str:
    return _hash_of(path for path in DEVICE.rglob("*.h") if path.parent.name != "machine")


def _hash_of(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file():
            digest.update(str(path.relative_to(DEVICE)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _compiler_version() -> str:
    return _run([compiler(), "--version"]).stdout.splitlines()[0]


@functools.cache
def _cpu() -> str:
    """What -march=native depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
