"""Type check of kernels against the vendor's real device headers, for both chips (docs/emulation.md)."""

from cpplan.typecheck.kernels import Diagnostic, check, check_kernel
from cpplan.typecheck.errors import TypeCheckUnavailable

__all__ = ["Diagnostic", "TypeCheckUnavailable", "check", "check_kernel"]
