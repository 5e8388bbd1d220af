"""Host emulation of the TT-Metalium device API: kernels, unchanged, on an emulated chip (docs/emulation.md)."""

from cpplan.emulate.execute import Stats, Traffic, run
from cpplan.emulate.faults import (
    Deadlock,
    EmulationError,
    KernelCompileError,
    KernelFault,
    ProgramFault,
    ToolMissing,
)

__all__ = [
    "Deadlock",
    "EmulationError",
    "KernelCompileError",
    "KernelFault",
    "ProgramFault",
    "Stats",
    "ToolMissing",
    "Traffic",
    "run",
]
