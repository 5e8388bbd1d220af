"""Provably optimal dataflow plans for tile kernels on spatial accelerators."""

from cpplan.errors import CpplanError

__all__ = ["CpplanError", "__version__"]

__version__ = "0.1.0"
