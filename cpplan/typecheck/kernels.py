"""Type check of kernels against the vendor's headers with libclang; results are kept by content."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cpplan.emit_ttmetal.program import Arch, ComputeConfig, DataFormat, Kernel, Processor, Program
from cpplan.typecheck.errors import TypeCheckUnavailable
from cpplan.typecheck.units import STUBS, Unit, host_headers, units, write_generated
from cpplan.typecheck.wheel import VERSION, cache_folder, headers

ERROR = 3
"""Least severity of libclang that stops a compilation."""

# clang before 19 refuses "#pragma GCC unroll 0", which the vendor's headers use.
IGNORED = "must be positive"


@dataclass(frozen=True)
class Diagnostic:
    """One error. ``line`` counts in the kernel's own source; None when no part of the kernel is involved.

    ``thread`` is brisc, ncrisc, unpack, math or pack; ``header`` names the vendor's file when the error sits in one, as
    for a static assertion behind a call.
    """

    kernel: str
    line: int | None
    message: str
    thread: str
    header: str | None = None

    def __str__(self) -> str:
        place = self.kernel if self.line is None else f"{self.kernel}:{self.line}"
        return f"{place}: {self.message} ({self.thread}{'' if self.header is None else f', in {self.header}'})"


def check(program: Program, arch: Arch | None = None) -> tuple[Diagnostic, ...]:
    """Errors of all kernels of a program, in order; ``arch`` other than the program's checks it for the other chip."""
    found: list[Diagnostic] = []
    for kernel in program.kernels:
        formats = {index: buffer.format for index, buffer in program.kernel_buffers(kernel).items()}
        found += _check_kernel(kernel, arch or program.arch, formats)
    return tuple(found)


def check_kernel(
    source: str,
    processor: Processor,
    arch: Arch = "wormhole",
    compile_args: tuple[int, ...] = (),
    formats: Mapping[int, DataFormat] | None = None,
    defines: Mapping[str, str] | None = None,
    compute: ComputeConfig | None = None,
    name: str = "kernel",
) -> tuple[Diagnostic, ...]:
    """Errors of one kernel; ``formats`` gives its buffers' formats by index. Raises TypeCheckUnavailable."""
    kernel = Kernel(
        name, source, processor, (), compile_args=compile_args, defines=dict(defines or {}), compute=compute
    )
    return _check_kernel(kernel, arch, formats or {})


def _check_kernel(kernel: Kernel, arch: Arch, formats: Mapping[int, DataFormat]) -> tuple[Diagnostic, ...]:
    root = headers()
    kept = cache_folder() / "typecheck" / f"{_key(kernel, arch, formats)}.json"
    try:
        return tuple(Diagnostic(**item) for item in json.loads(kept.read_text()))
    except (OSError, ValueError, TypeError):
        pass  # not checked yet, or a damaged file: check again
    with tempfile.TemporaryDirectory(prefix="cpplan-typecheck-") as scratch:
        source = Path(scratch) / "kernel" / f"{kernel.name}.cpp"
        source.parent.mkdir()
        source.write_text(kernel.source)
        write_generated(Path(scratch), source, formats, kernel.compute or ComputeConfig(), arch)
        parses = units(root, Path(scratch), kernel, arch)
        with ThreadPoolExecutor(max_workers=min(len(parses), os.cpu_count() or 1)) as pool:
            results = pool.map(lambda unit: _parse(unit, source, kernel.name), parses)
        found = _distinct([diagnostic for result in results for diagnostic in result])
    _keep(kept, found)
    return found


def _parse(unit: Unit, source: Path, kernel: str) -> list[Diagnostic]:
    clang = _libclang()
    try:
        parsed = clang.Index.create().parse(str(unit.wrapper), args=list(unit.flags))
    except clang.TranslationUnitLoadError as error:
        raise TypeCheckUnavailable(f"libclang cannot read {unit.wrapper}: {error}") from error
    errors = [d for d in parsed.diagnostics if d.severity >= ERROR and IGNORED not in d.spelling]
    return [_diagnostic(error, unit.thread, source, kernel) for error in errors]


def _diagnostic(error: Any, thread: str, source: Path, kernel: str) -> Diagnostic:
    line = next((place.line for place in _places(error) if place.file and Path(place.file.name) == source), None)
    file = Path(error.location.file.name) if error.location.file else None
    header = None if file is None or file == source else file.name
    return Diagnostic(kernel, line, error.spelling, thread, header)


def _places(error: Any) -> list[Any]:
    """Where an error is and what led to it: notes name the instantiations and calls behind it."""
    return [error.location, *(child.location for child in error.children)]


def _distinct(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The three compute threads see most errors alike: the first of them speaks."""
    seen: dict[tuple[int | None, str], Diagnostic] = {}
    for diagnostic in found:
        seen.setdefault((diagnostic.line, diagnostic.message), diagnostic)
    return tuple(seen.values())


def _keep(path: Path, found: tuple[Diagnostic, ...]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            json.dump([asdict(diagnostic) for diagnostic in found], file)
        os.replace(file.name, path)
    except OSError:
        pass  # the result stands; only the next check has to parse again


def _key(kernel: Kernel, arch: Arch, formats: Mapping[int, DataFormat]) -> str:
    parts = (
        VERSION,
        _own_hash(),
        [str(place) for place in host_headers()],
        arch,
        kernel.processor,
        kernel.noc,
        kernel.name,
    )
    content = (kernel.source, kernel.compile_args, sorted(kernel.defines.items()), sorted(formats.items()))
    return hashlib.sha256(repr((parts, content, kernel.compute)).encode()).hexdigest()[:32]


@functools.cache
def _own_hash() -> str:
    """Changes with the flags, the generated files and the stubs."""
    digest = hashlib.sha256()
    for path in [*sorted(Path(__file__).parent.glob("*.py")), *sorted(STUBS.rglob("*.h"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _libclang() -> Any:
    try:
        import clang.cindex as cindex
    except ImportError as error:
        raise TypeCheckUnavailable("the type check needs libclang: pip install 'cpplan[emit]'") from error
    return cindex
