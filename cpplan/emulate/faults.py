"""What can go wrong with an emulated program, as errors whose message names core, kernel and line.

EmulationError
├── ProgramFault        the description itself breaks a rule of the chip (buffers, cores, arguments)
├── KernelCompileError  the host compiler rejects a kernel
├── KernelFault         a kernel breaks a rule at run time; ``kind`` says which
│   └── Deadlock        no kernel can go on; the message lists who waits for what
├── ToolMissing         no C++ compiler on this machine
└── CacheUnusable       compiled objects cannot be kept
"""

from __future__ import annotations

from cpplan.errors import CpplanError


class EmulationError(CpplanError):
    """Base of all findings of the emulation."""


class ProgramFault(EmulationError):
    """The program description cannot be loaded onto the chip."""


class KernelCompileError(EmulationError):
    """A kernel does not compile; the message holds the compiler's lines about it."""


class ToolMissing(EmulationError):
    """The emulation needs g++ and did not find it."""


class CacheUnusable(EmulationError):
    """The cache folder cannot be written."""


class KernelFault(EmulationError):
    """A rule of the device API broken at run time.

    ``kind`` is one of the words of docs/emulation.md ("barrier", "lap", "dst", ...); ``core`` is logical; ``line``
    counts from 1 in the kernel's own source, or is None when the fault has no single call (a transfer landed late).
    """

    def __init__(
        self, kind: str, message: str, core: tuple[int, int] | None, kernel: str | None, line: int | None
    ) -> None:
        self.kind, self.core, self.kernel, self.line = kind, core, kernel, line
        super().__init__(_sentence(kind, message, core, kernel, line))


class Deadlock(KernelFault):
    """Every kernel waits for something that never comes."""


def _sentence(kind: str, message: str, core: tuple[int, int] | None, kernel: str | None, line: int | None) -> str:
    where = "" if kernel is None else f"{kernel}{'' if line is None else f':{line}'}: "
    on = "" if core is None else f"core {core}: "
    return f"{where}{on}{message} [{kind}]"
