"""Provably optimal dataflow plans for tile kernels on spatial accelerators."""

from cpplan.api import solve
from cpplan.errors import CpplanError
from cpplan.version import __version__

__all__ = ["CpplanError", "__version__", "solve"]
