"""What one kernel launch was given: plain data, recorded by the capture or written on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TensorArgument:
    """A tensor passed to a kernel. ``shape``, ``strides`` and ``offset`` in elements; equal ``storage`` means aliasing.

    ``values`` holds the contents of small integer tensors when the file ran on real CPU tensors.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    storage: int = -1
    offset: int = 0
    values: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class DescriptorArgument:
    """A host-made tensor descriptor: a tensor seen with its own shape and strides, accessed in ``block`` tiles.

    ``padding`` ("zero" or "nan") is what reads outside of the shape give.
    """

    base: TensorArgument
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    padding: str = "zero"

    def __str__(self) -> str:
        return f"descriptor({self.base}, block {list(self.block)})"


Argument = TensorArgument | DescriptorArgument | int | float | bool | None | tuple[Any, ...]


Config = tuple[tuple[str, Any], ...]
"""Tuned parameters with their values."""


@dataclass(frozen=True)
class Launch:
    """One ``kernel[grid](...)``: everything lowering and analysis need, and nothing of Triton's run-time state.

    ``signature``, ``constants`` and ``attributes`` are in the form ``triton.compiler.ASTSource`` takes. ``group``
    numbers the autotuned call this launch belongs to (None when not tuned) and ``config`` lists the tuned parameters;
    ``configs`` lists those of all configurations of the call where only some of them were launched.
    ``lines`` leads from generated code to the author's: lines of the kernel to lines of the file named in ``source``.
    ``replay`` repeats the launch with some constexprs replaced (grid and heuristics are evaluated anew).
    ``formats`` lists the tensors that the device stores in block formats (tensor, format); the kernel does not know.
    """

    kernel: str
    function: Any
    arguments: Mapping[str, Argument]
    constexprs: Mapping[str, Any]
    grid: tuple[int, int, int]
    signature: Mapping[str, Any]
    constants: Mapping[tuple[int, ...], Any]
    attributes: Mapping[tuple[int, ...], Any]
    source: str
    group: int | None = None
    config: Config = ()
    configs: tuple[Config, ...] = ()
    lines: Mapping[int, int] = field(default_factory=dict, compare=False, repr=False)
    replay: Callable[[Mapping[str, Any]], Launch] | None = field(default=None, compare=False, repr=False)
    formats: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Text that is equal for launches that ask for the same work."""
        return repr((self.kernel, dict(self.arguments), dict(self.constexprs), self.grid))
