"""Provably optimal dataflow plans for tile kernels on spatial accelerators."""

from cpplan.api import evaluate, solve
from cpplan.errors import CpplanError
from cpplan.version import __version__

__all__ = ["CpplanError", "__version__", "evaluate", "solve"]
