"""Why a type check cannot run."""

from __future__ import annotations

from cpplan.errors import CpplanError


class TypeCheckUnavailable(CpplanError):
    """The vendor's headers, libclang or the host's C++ headers are missing."""
