"""What reading a kernel file gives: problems to plan, and launches that cannot be planned, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cpplan.errors import InputError, KernelError

if TYPE_CHECKING:
    from cpplan.tile.program import Problem


@dataclass(frozen=True)
class Refusal:
    """A launch that cannot be planned: the name its problem would have had, where its kernel stands, and why."""

    kernel: str
    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel} is not planned: {self.reason}"


@dataclass(frozen=True)
class Reading:
    """All launches of a file in their order, those that can be planned apart from those that cannot."""

    problems: tuple[Problem, ...]
    refused: tuple[Refusal, ...] = ()


def all_refused(path: str, refused: Sequence[Refusal]) -> InputError:
    """The error of a file of which nothing can be planned: the reason of the one launch, or all reasons."""
    if len(refused) == 1:
        return KernelError(refused[0].reason)
    lines = "\n".join(f"  {item.kernel}: {item.reason}" for item in refused)
    return KernelError(f"{path}: none of its {len(refused)} kernel launches can be planned:\n{lines}")
