"""Type check of kernels against the vendor's real device headers, for both chips (docs/emulation.md)."""

from cpplan.typecheck.errors import TypeCheckUnavailable
from cpplan.typecheck.kernels import Diagnostic, check, check_kernel

__all__ = ["Diagnostic", "TypeCheckUnavailable", "check", "check_kernel"]
