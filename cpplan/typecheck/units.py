"""Translation units: the wheel's own wrapper per processor, with the flags and generated files of the vendor's JIT."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cpplan.emit_ttmetal.program import DRAM_BANKS, Arch, ComputeConfig, DataFormat, Kernel, Processor
from cpplan.typecheck.descriptors import descriptors
from cpplan.typecheck.errors import TypeCheckUnavailable

STUBS = Path(__file__).parent / "headers"
TARGET_FLAGS = ("--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32")
LANGUAGE_FLAGS = ("-x", "c++", "-std=c++20", "-nostdinc++", "-nostdlibinc", "-fno-exceptions", "-D_GNU_SOURCE")
# Warnings are the vendor's business; only what stops a compilation counts.
WARNING_FLAGS = ("-w", "-ferror-limit=0", "-Wno-missing-template-arg-list-after-template-kw")

THREADS: Mapping[Processor, tuple[str, ...]] = {
    "riscv0": ("brisc",),
    "riscv1": ("ncrisc",),
    "compute": ("unpack", "math", "pack"),
}


@dataclass(frozen=True)
class Chip:
    """Names of one architecture in the wheel's folders, and constants that the JIT passes."""

    kernels: str
    folder: str
    macro: str
    extra: tuple[str, ...]
    l1_banks: int
    pcie: tuple[int, int]


CHIPS: Mapping[Arch, Chip] = {
    "wormhole": Chip("wormhole_b0", "wormhole", "ARCH_WORMHOLE", ("ROUTING_FW_ENABLED",), 64, (0, 3)),
    "blackhole": Chip("blackhole", "blackhole", "ARCH_BLACKHOLE", (), 130, (19, 24)),
}


@dataclass(frozen=True)
class Unit:
    """One parse: the wrapper's path and the compiler's arguments."""

    thread: str
    wrapper: Path
    flags: tuple[str, ...]


def write_generated(
    folder: Path, source: Path, formats: Mapping[int, DataFormat], compute: ComputeConfig, arch: Arch
) -> None:
    """The files that the wrappers include, for a kernel whose text lies at ``source``."""
    (folder / "chlkc_descriptors.h").write_text(descriptors(formats, compute, arch))
    (folder / "defines_generated.h").write_text("#pragma once\n")
    (folder / "kernel_includes.hpp").write_text(f'#include "{source}"\n')
    for thread in THREADS["compute"]:
        text = f'#define TRISC_{thread.upper()}\n#include "defines_generated.h"\nvoid kernel_main();\n'
        (folder / f"chlkc_{thread}.cpp").write_text(f'{text}#include "{source}"\n')


DEFAULT_NOC: Mapping[str, int] = {"ncrisc": 0, "brisc": 1}


def units(root: Path, folder: Path, kernel: Kernel, arch: Arch) -> tuple[Unit, ...]:
    """The parses of a kernel: one for a data-movement processor, three for compute."""
    base = [*LANGUAGE_FLAGS, *TARGET_FLAGS, *WARNING_FLAGS]
    for place in (STUBS, *host_headers()):
        base += ["-isystem", str(place)]
    base += [f"-I{place}" for place in (folder, *_vendor_folders(root, arch))]
    base += [f"-D{macro}" for macro in _common_macros(arch, kernel.compile_args)]
    base += [f"-D{name}={value}" for name, value in kernel.defines.items()]
    return tuple(_unit(root, thread, kernel.noc, base) for thread in THREADS[kernel.processor])


def _unit(root: Path, thread: str, noc: int | None, base: list[str]) -> Unit:
    source = root / "tt_metal" / "hw" / "firmware" / "src" / "tt-1xx"
    if thread in DEFAULT_NOC:
        network = DEFAULT_NOC[thread] if noc is None else noc
        own = [f"COMPILE_FOR_{thread.upper()}", f"PROCESSOR_INDEX={int(thread == 'ncrisc')}", f"NOC_INDEX={network}"]
        wrapper = source / f"{thread}k.cc"
    else:
        number = THREADS["compute"].index(thread)
        own = [f"COMPILE_FOR_TRISC={number}", f"PROCESSOR_INDEX={number + 2}", f"UCK_CHLKC_{thread.upper()}"]
        wrapper = source / "trisck.cc"
    return Unit(thread, wrapper, (*base, *(f"-D{macro}" for macro in [*own, "NOC_MODE=0"])))


def _vendor_folders(root: Path, arch: Arch) -> list[Path]:
    chip, metal = CHIPS[arch], root / "tt_metal"
    llk = metal / "tt-llk" / f"tt_llk_{chip.kernels}"
    hardware = metal / "hw" / "inc" / "internal" / "tt-1xx"
    kernels = metal / "hw" / "ckernels" / chip.kernels / "metal"
    return [
        root,
        root / "ttnn",
        root / "ttnn" / "cpp",
        metal / "hw" / "inc",
        metal / "tt-llk" / "common",
        metal / "tt-llk" / "tools" / "include",
        metal / "hostdevcommon" / "api",
        metal / "api",
        *(kernels / name for name in ("common", "llk_io", "llk_api", "llk_api/llk_sfpu")),
        hardware,
        *(hardware / chip.folder / name for name in ("", f"{chip.kernels}_defines", "noc")),
        *(llk / name for name in ("common/inc", "llk_lib", "llk_lib/hal")),
        metal / "hw" / "firmware" / "src" / "tt-1xx",
    ]


def _common_macros(arch: Arch, args: tuple[int, ...]) -> list[str]:
    chip = CHIPS[arch]
    macros = ["KERNEL_BUILD", "TENSIX_FIRMWARE", "LOCAL_MEM_EN=0", "PROGRAMMABLE_CORE_TYPE=0", chip.macro, *chip.extra]
    macros += [
        f"PCIE_NOC_X={chip.pcie[0]}",
        f"PCIE_NOC_Y={chip.pcie[1]}",
        "DISPATCH_MESSAGE_ADDR=0",
        'FULL_KERNEL_NAME="k"',
    ]
    macros += [*_banks("DRAM", DRAM_BANKS[arch]), *_banks("L1", chip.l1_banks)]
    if args:
        macros.append("KERNEL_COMPILE_TIME_ARGS=" + ",".join(str(word & 0xFFFFFFFF) for word in args))
    return macros


def _banks(kind: str, count: int) -> list[str]:
    power = count & (count - 1) == 0
    shape = f"LOG_BASE_2_OF_NUM_{kind}_BANKS={count.bit_length() - 1}" if power else f"IS_NOT_POW2_NUM_{kind}_BANKS=1"
    return [shape, f"NUM_{kind}_BANKS={count}"]


@functools.cache
def host_headers() -> tuple[Path, ...]:
    """The host's C++ and C headers as g++ searches them, its own builtin headers last."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise TypeCheckUnavailable("the type check borrows the C++ standard headers of g++, which is not on PATH")
    command = [compiler, "-x", "c++", "-E", "-v", "/dev/null"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stderr
    listing = text.partition("#include <...> search starts here:")[2].partition("End of search list")[0]
    places = [Path(line.strip()).resolve() for line in listing.splitlines() if line.strip()]
    if not places:
        raise TypeCheckUnavailable("g++ -v lists no header folders")
    builtin = [place for place in places if "gcc" in place.parts and place.name == "include"]
    return tuple([place for place in places if place not in builtin] + builtin)
