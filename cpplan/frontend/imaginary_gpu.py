"""The GPU that captured files believe to run on: it decides code paths and the grids of persistent kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cpplan.errors import InputError


@dataclass(frozen=True)
class ImaginaryGpu:
    """Compute capability times ten (90: Hopper), and the multiprocessor count that persistent kernels launch."""

    capability: int = 90
    multiprocessors: int = 132


DEFAULT = ImaginaryGpu()

_CURRENT: ContextVar[ImaginaryGpu] = ContextVar("imaginary_gpu", default=DEFAULT)


def current_gpu() -> ImaginaryGpu:
    """The GPU that questions of the file at hand are answered for."""
    return _CURRENT.get()


@contextmanager
def pretended_gpu(name: str | None, multiprocessors: int | None) -> Iterator[None]:
    """Answer as ``sm_80`` or ``sm_90`` with so many multiprocessors (None: as before).

    Raises :class:`InputError` for another name or a count below one.
    """
    gpu = _CURRENT.get()
    if name is not None and not re.fullmatch(r"sm_(80|86|89|90)", name):
        raise InputError(f"--as {name}: the imaginary GPU may be sm_80, sm_86, sm_89 or sm_90")
    if multiprocessors is not None and multiprocessors < 1:
        raise InputError(f"--multiprocessors {multiprocessors}: a GPU has at least one")
    capability = int(name.removeprefix("sm_")) if name else gpu.capability
    token = _CURRENT.set(ImaginaryGpu(capability, multiprocessors or gpu.multiprocessors))
    try:
        yield
    finally:
        _CURRENT.reset(token)
