"""Stands where the vendor's JIT looks for its RISC-V compiler, which no package registry has.

The JIT calls it with g++'s options. A kernel is parsed by clang 19 with the same headers and macros; errors come back
as the compiler's. Afterwards, without ``CPPLAN_VENDOR_CODE``, an object is left that does nothing: enough for a device
that executes nothing. With it, real RV32IM code is made: instructions of the matrix unit, which only the vendor's
assembler knows, become data words. The vendor's firmware is never compiled: in ``CPPLAN_VENDOR_FIRMWARE`` lies the
wheel's own, which has to be made for as many memory banks as the runtime counts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cpplan.typecheck.units import LANGUAGE_FLAGS, STUBS, TARGET_FLAGS, WARNING_FLAGS, host_headers

HERE = Path(__file__).parent
CLANG = "clang++-19"
LINKER, SYMBOLS = "riscv64-unknown-elf-ld", "riscv64-unknown-elf-nm"
BANK_TABLES = {"dram_bank_to_noc_xy": "NUM_DRAM_BANKS", "l1_bank_to_noc_xy": "NUM_L1_BANKS"}
"""Tables of the firmware that the runtime fills, one behind the other, with four bytes a bank (of two NoCs), and the
macros that say how many banks it does that for. With another number, kernels find their banks at wrong addresses."""
CODE_FLAGS = (
    "-O2", "-mrelax", "-fno-pic", "-ffast-math", "-fno-rtti", "-fno-builtin", "-fno-jump-tables",
    "-fno-threadsafe-statics", "-fno-use-cxa-atexit", "-fno-asynchronous-unwind-tables",
)  # fmt: skip
TENSIX = re.compile(r'asm sideeffect "\.ttinsn \$0", "n"\(i32 (-?\d+)\)')
# What the vendor's loader insists on: an entry, data, zeroed data and a relocation.
DOES_NOTHING = """
.section .start, "ax"
.globl _start
_start:
    lui a0, %hi(word)
    addi a0, a0, %lo(word)
    ret
.data
word: .word 1
.bss
.space 4
"""


@dataclass(frozen=True)
class Call:
    """The options of one call that matter here."""

    kept: tuple[str, ...]
    sources: tuple[str, ...]
    objects: tuple[str, ...]
    output: str
    dependencies: str | None
    script: str | None
    symbols: tuple[str, ...]


def understood(arguments: list[str]) -> Call:
    """Options of g++, sorted; those about code generation and warnings are dropped."""
    kept: list[str] = []
    sources: list[str] = []
    objects: list[str] = []
    symbols: list[str] = []
    output, dependencies, script = "a.out", None, None
    rest = iter(arguments)
    for argument in rest:
        if argument == "-o":
            output = next(rest)
        elif argument == "-MF":
            dependencies = next(rest)
        elif argument in ("-include", "-isystem"):
            kept += [argument, next(rest)]
        elif argument.startswith(("-I", "-D", "-U")):
            kept.append(argument)
        elif argument.startswith("-T"):
            script = argument[2:]
        elif argument.startswith("-Wl,"):
            symbols += [a for a in argument[4:].split(",") if a.startswith(("--just-symbols", "--defsym"))]
        elif argument.endswith(".o"):
            objects.append(argument)
        elif argument.endswith((".cc", ".cpp", ".c", ".S")):
            sources.append(argument)
    return Call(tuple(kept), tuple(sources), tuple(objects), output, dependencies, script, tuple(symbols))


def version_text() -> str:
    """The line by which the vendor's runtime recognises the compiler that its firmware was built with."""
    text = (Path(os.environ["TT_METAL_RUNTIME_ROOT"]) / "tt_metal" / "sfpi-version").read_text()
    fields = dict(re.findall(r"^(\w+)='(.*)'$", text, re.MULTILINE))
    release = f"{fields['sfpi_version']}[{fields['sfpi_build']}]"
    return (
        f"riscv-tt-elf-g++ (tenstorrent/sfpi:{release}) 15.1.0\n"
        "Copyright (C) 2025 Free Software Foundation, Inc.\n"
        "This is free software; see the source for copying conditions.  There is NO\n"
        "warranty; not even for MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.\n\n"
    )


def front_end() -> list[str]:
    """clang with the type check's flags; our headers come before those of the host."""
    command = [CLANG, *TARGET_FLAGS, *LANGUAGE_FLAGS, *WARNING_FLAGS]
    for place in (HERE / "headers", STUBS, *host_headers()):
        command += ["-isystem", str(place)]
    return command


def executed(command: list[str], text: str | None = None) -> int:
    """Exit code; the tool's errors go on to the JIT, which shows them."""
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    sys.stderr.write(result.stderr)
    return result.returncode


def does_nothing(output: str) -> int:
    """An object that returns at once."""
    return executed([CLANG, *TARGET_FLAGS, "-c", "-x", "assembler", "-", "-o", output], DOES_NOTHING)


def code(source: str, kept: tuple[str, ...], output: str) -> int:
    """Machine code of one file, by way of LLVM's intermediate text."""
    middle = f"{output}.ll"
    failed = executed([*front_end(), *CODE_FLAGS, "-S", "-emit-llvm", "-o", middle, *kept, source])
    if failed:
        return failed
    text = Path(middle).read_text()
    Path(middle).write_text(TENSIX.sub(lambda m: f'asm sideeffect ".word {word(int(m[1]))}", ""()', text))
    flags = [flag for flag in CODE_FLAGS if flag.startswith(("-O", "-m", "-fno-pic", "-fno-jump"))]
    return executed([CLANG, *TARGET_FLAGS, *flags, "-w", "-x", "ir", "-c", "-o", output, middle])


def word(instruction: int) -> int:
    """How an instruction of the matrix unit stands among those of RISC-V: rotated left by two bits."""
    value = instruction & 0xFFFFFFFF
    return (value << 2 | value >> 30) & 0xFFFFFFFF


def compiled(call: Call) -> int:
    """One source file, checked or compiled."""
    source = call.sources[0]
    if "-DFW_BUILD" in call.kept:
        failed = does_nothing(call.output)
    elif "CPPLAN_VENDOR_CODE" in os.environ:
        failed = code(source, call.kept, call.output)
    else:
        failed = executed([*front_end(), "-fsyntax-only", *call.kept, source]) or does_nothing(call.output)
    if not failed and call.dependencies is not None:
        Path(call.dependencies).write_text(f"{call.output}: {source}\n")
    if "-DFW_BUILD" in call.kept:
        Path(f"{call.output}.macros").write_text("\n".join(call.kept))
    return failed


def banks_wanted(flags: Iterable[str]) -> dict[str, int]:
    """Banks by table as the runtime counts them, from the macros of a compilation."""
    macros = dict(flag[2:].split("=", 1) for flag in flags if flag.startswith("-D") and "=" in flag)
    return {table: int(macros[macro]) for table, macro in BANK_TABLES.items() if macro in macros}


def banks_found(symbols: str) -> dict[str, int]:
    """Banks by table that a firmware was made for, from what ``nm -S`` says of it."""
    fields = [line.split() for line in symbols.splitlines()]
    return {row[3]: int(row[1], 16) // 4 for row in fields if len(row) == 4 and row[3] in BANK_TABLES}


def wrong_banks(wanted: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """Tables of a firmware that are of another size than the runtime fills, in words."""
    return [
        f"{table} of the firmware has {found[table]} banks, the runtime fills it with {count}"
        for table, count in wanted.items()
        if found.get(table, count) != count
    ]


def firmware_problems(call: Call, file: Path) -> list[str]:
    """Why ``file`` of the wheel cannot stand for the firmware that the runtime wants to link."""
    flags = [
        path.read_text().splitlines() for path in map(Path, (f"{o}.macros" for o in call.objects)) if path.exists()
    ]
    symbols = subprocess.run([SYMBOLS, "-S", str(file)], capture_output=True, text=True, check=True).stdout
    return wrong_banks(banks_wanted(flag for group in flags for flag in group), banks_found(symbols))


def linked(call: Call) -> int:
    """A kernel; or the firmware, which is not built but taken from the wheel."""
    firmware = os.environ.get("CPPLAN_VENDOR_FIRMWARE")
    if firmware and "/firmware/" in call.output:
        processor = Path(call.output).name.split(".")[0]
        file = Path(firmware) / processor / f"{processor}.elf"
        problems = firmware_problems(call, file)
        if problems:
            sys.stderr.write("".join(f"error: {problem}\n" for problem in problems))
            return 1
        shutil.copy(file, call.output)
        return 0
    # The wheel's own objects hold what only the vendor's linker plug-in reads; one is plain.
    plain = "wh-iram-start.o" if "CPPLAN_VENDOR_CODE" in os.environ else None
    objects = [o for o in call.objects if "/hw/lib/" not in o or Path(o).name == plain]
    if "CPPLAN_VENDOR_CODE" in os.environ:
        start, memory = f"{call.output}.start.o", f"{call.output}.memory.o"
        root = Path(os.environ["TT_METAL_RUNTIME_ROOT"]) / "tt_metal" / "hw"
        freestanding = [CLANG, *TARGET_FLAGS, "-O1", "-fno-builtin", "-x", "c", "-c", str(HERE / "freestanding.c")]
        failed = code(str(root / "toolchain" / "substitutes.cpp"), start_flags(root, call), start)
        failed = failed or executed([*freestanding, "-o", memory])
        if failed:
            return failed
        objects += [start, memory]
    script = [] if call.script is None else ["-T", call.script]
    command = [LINKER, "-m", "elf32lriscv", "--emit-relocs", "-z", "max-page-size=16", *call.symbols, *script]
    return executed([*command, "-o", call.output, *objects])


def start_flags(hardware: Path, call: Call) -> tuple[str, ...]:
    """Folders and macros for the vendor's start-up file, which the JIT takes ready-made from the wheel."""
    chip = "blackhole" if "blackhole" in f"{call.script} {' '.join(call.objects)}" else "wormhole"
    inside = hardware / "inc" / "internal" / "tt-1xx"
    defines = "blackhole_defines" if chip == "blackhole" else "wormhole_b0_defines"
    folders = (hardware / "inc", inside, inside / chip, inside / chip / defines)
    return (*(f"-I{folder}" for folder in folders), f"-DARCH_{chip.upper()}")


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        sys.stdout.write(version_text())
        return 0
    if "c++-header" in arguments:
        return 1  # no precompiled headers: the JIT goes on without
    call = understood(arguments)
    return compiled(call) if "-c" in arguments or "-E" in arguments else linked(call)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
