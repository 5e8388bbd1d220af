"""Errors for users: one message that says what, where, why and what to do.

CpplanError
├── InputError        bad kernel file, launch, option or file from outside
│   └── KernelError   the kernel cannot be analysed (source line in the message)
│       └── TileSizeError  Triton holds no tile as large as this one
├── SpecError         a df hardware spec is malformed or inconsistent
├── InfeasibleError   no plan fits the device
├── ScheduleError     a plan cannot be made a program of its device
└── InternalError     a check of our own failed; please report
"""

from __future__ import annotations


class CpplanError(Exception):
    """Base of all errors that end a command with one message instead of a traceback."""

    exit_code = 2


class InputError(CpplanError):
    """The user's file, launch or option cannot be used as given."""


class KernelError(InputError):
    """The kernel was read but cannot be turned into a tile program."""


class TileSizeError(KernelError):
    """A tile has more elements than Triton lowers."""


class SpecError(CpplanError):
    """A hardware spec is malformed or contradicts itself."""


class InfeasibleError(CpplanError):
    """No plan satisfies the device's limits."""

    exit_code = 3


class ScheduleError(CpplanError):
    """A plan cannot be made a program: a tile is no set of whole pages, or a core runs out of something."""


class InternalError(CpplanError):
    """An internal check failed: the result would not have been trustworthy."""

    exit_code = 4
