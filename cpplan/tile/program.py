"""The tile program: what one kernel launch computes, block by block, without a device.

A program is a grid of independent blocks (``dims``) whose body holds sequential ``loops``, tile ``accesses`` and
tile ``ops``. Every integer in it is exact. Indices are named: parallel dims and loops share one name space, and an
:class:`Affine` start address is a sum over those names.

A *stacked* program holds one numpy array per integer leaf instead of an int, one entry per block-shape candidate; all
candidates of a :class:`Family` share one skeleton (names, nesting, dependences), so the cost model reads a whole
family in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cpplan.tile.arith import Int, ceil_div

if TYPE_CHECKING:
    from cpplan.tile.reduction import Reduction

HARDWARE_TILE = 32
"""Rows and columns of a hardware tile (elements)."""

DTYPE_BITS: dict[str, int] = {
    "fp64": 64, "int64": 64, "fp32": 32, "int32": 32, "uint32": 32, "bf16": 16, "fp16": 16, "int16": 16,
    "uint16": 16, "fp8e4": 8, "fp8e5": 8, "int8": 8, "uint8": 8, "bool": 8, "bfp8_b": 8, "bfp4_b": 4,
}  # fmt: skip
"""Storage bits of each element type the tile program knows; of block formats without the exponents that elements
share, which :func:`cpplan.tile.layout.tile_bytes` counts."""

AccessKind = Literal["load", "store", "atomic"]
AccessClass = Literal["affine", "partial", "opaque"]
Lanes = Literal["dense", "scattered"]

ORDERED_KINDS = ("dot", "scan", "gather", "histogram", "cat")
"""Beginnings of op kinds that need to know where in a tile an element is; all others work on any order of elements."""


@dataclass(frozen=True)
class Affine:
    """``const + sum(coefficient * index)``, in elements of one tensor axis; terms are sorted and non-zero."""

    const: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def coefficient(self, index: str) -> int:
        """Coefficient of ``index`` (0 when the expression does not depend on it)."""
        return dict(self.terms).get(index, 0)


@dataclass(frozen=True)
class Dim:
    """A parallel dim of the launch grid, after re-basing program ids to a box; ``extent`` in blocks."""

    name: str
    extent: int


@dataclass(frozen=True)
class Carry:
    """One loop-carried value: ``initial`` enters as ``argument``, ``yielded`` feeds back, ``result`` leaves."""

    initial: str
    argument: str
    yielded: str
    result: str


@dataclass(frozen=True)
class Profile:
    """Trip count of a loop by block: ``min(high, max(low, ceil((slope * i + offset) / divisor)))`` in block ``i`` of
    parallel dim ``dim``, whatever the other dims.

    ``divisor`` is positive, ``low`` at least 0; some block runs ``high`` trips.
    """

    dim: str
    slope: int
    offset: int
    divisor: int
    low: int
    high: int

    def at(self, block: Int) -> Int:
        """Trips in block ``block`` (an int or an array) of the dim."""
        wanted = ceil_div(self.slope * block + self.offset, self.divisor)
        return np.minimum(self.high, np.maximum(self.low, wanted))


@dataclass(frozen=True)
class Loop:
    """A sequential loop of the block body.

    ``trips`` is the largest trip count over all blocks; ``total_trips`` is the sum over all blocks (equal to
    ``trips * blocks`` when every block runs the same number of iterations). ``parent`` is the enclosing loop's name.
    ``profile`` gives the trip count of every block where that depends on one parallel dim in a known way; a loop
    without one is taken to run ``trips`` times in every block. No loop inside a loop with a profile has one.
    """

    name: str
    trips: int
    parent: str | None = None
    total_trips: int | None = None
    carries: tuple[Carry, ...] = ()
    profile: Profile | None = None


@dataclass(frozen=True)
class Tensor:
    """A DRAM tensor argument; ``shape`` and ``strides`` in elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Bounds:
    """Where elements of one axis of an access take part: at indices not below any of ``begins`` and below all of
    ``ends``, and inside the tensor. Both are affine in parallel dims and loops."""

    begins: tuple[Affine, ...] = ()
    ends: tuple[Affine, ...] = ()


@dataclass(frozen=True)
class Access:
    """A load or store of one tile, or the writing half of an atomic update of it.

    ``tile`` has one extent (elements) per tensor axis; ``starts`` gives the first element per tensor axis as an affine
    function of parallel dims and loops. ``masked`` says per axis whether a boundary mask guards it. ``loop`` is the
    innermost enclosing loop, None at block level. ``value`` is the SSA value loaded (loads) or stored (stores).
    ``lanes`` are dense when that value has the tile's elements in the order of memory, and scattered when it skips,
    reverses or gathers some.

    ``bounds`` says per axis which elements the kernel's mask lets take part, whether or not it ever cuts a tile (empty
    without a mask). Where that is not the whole mask, as it is no function of single axes, a load has a ``where`` in
    the body, and ``mask`` names the SSA value that a store is masked by, in the order of the stored value. ``fill`` is
    what the kernel sees in place of elements of a load that take no part (its ``other=``); None: anything may be there,
    or what the ``where`` puts there.

    An atomic ``replaces`` what the load of that name has read: its ``value`` is what the body computes of it (``add``,
    ``max``, ...), and no other block may write to the tile between the two. One that replaces nothing known, such as a
    compare and swap, says "".
    """

    name: str
    tensor: str
    kind: AccessKind
    tile: tuple[int, ...]
    starts: tuple[Affine, ...]
    loop: str | None = None
    masked: tuple[bool, ...] = ()
    value: str = ""
    klass: AccessClass = "affine"
    source: str = ""
    note: str = ""
    lanes: Lanes = "dense"
    bounds: tuple[Bounds, ...] = ()
    fill: float | None = None
    mask: str = ""
    replaces: str = ""

    @cached_property
    def indices(self) -> frozenset[str]:
        """Names of the parallel dims and loops that the address depends on."""
        return frozenset(name for start in self.starts for name, _ in start.terms)

    @property
    def operands(self) -> tuple[str, ...]:
        """SSA values that the access takes from the body: what it stores, and the mask of that."""
        return tuple(name for name in ("" if self.kind == "load" else self.value, self.mask) if name)


@dataclass(frozen=True)
class Op:
    """A tile-level operation of the body, in SSA form.

    ``kind`` is dialect-free: dot, add, sub, mul, div, max, min, exp, exp2, log, log2, sqrt, rsqrt, reduce_sum,
    reduce_max, scan_sum, where, cmp, cast, broadcast, transpose, reshape, constant, index, ... ``shape``/``dtype``
    describe the result; ``operands`` are SSA names (op results, access values, carry arguments). For ``dot``,
    ``attributes`` holds ("k", contraction extent) and the operand dtypes are those of the operands.
    """

    name: str
    kind: str
    operands: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    loop: str | None = None
    attributes: tuple[tuple[str, int | str], ...] = ()
    operand_shapes: tuple[tuple[int, ...], ...] = ()
    operand_dtypes: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Buffer:
    """A tile that must live in SRAM besides the access buffers: an accumulator or a materialised intermediate."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    loop: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class TileProgram:
    """One kernel launch at one block shape (or, stacked, at all block shapes of a family)."""

    name: str
    dims: tuple[Dim, ...]
    loops: tuple[Loop, ...]
    tensors: tuple[Tensor, ...]
    accesses: tuple[Access, ...]
    ops: tuple[Op, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    block: tuple[tuple[str, int], ...] = ()
    source: str = ""

    def tensor(self, name: str) -> Tensor:
        """The tensor called ``name``."""
        return next(t for t in self.tensors if t.name == name)

    def loop(self, name: str) -> Loop:
        """The loop called ``name``."""
        return next(loop for loop in self.loops if loop.name == name)

    def loop_path(self, loop: str | None) -> tuple[str, ...]:
        """Names of the loops enclosing a position, outermost first (empty at block level)."""
        parents = {item.name: item.parent for item in self.loops}
        path: list[str] = []
        while loop is not None:
            path.append(loop)
            loop = parents[loop]
        return tuple(reversed(path))

    def is_written(self, tensor: str) -> bool:
        """Whether some access stores to ``tensor``."""
        return any(a.kind != "load" and a.tensor == tensor for a in self.accesses)

    @cached_property
    def reduction(self) -> Reduction | None:
        """What its only outermost loop computes, if several cores may share the trips of that loop; else None."""
        from cpplan.tile.reduction import reductions  # which reads programs

        return next(iter(reductions(self)), None)

    def loads(self) -> Iterator[Access]:
        """Accesses that read DRAM."""
        return (a for a in self.accesses if a.kind == "load")

    @cached_property
    def in_runs(self) -> Any:
        """Whether tiles lie in memory as runs of contiguous elements: a bool, or an array of them when stacked.

        So they do when every tile that is moved, computed or kept has at most one axis longer than one element, along
        which accesses have unit stride, and no op depends on where in a tile an element is.
        """
        answer: Any = not any(op.kind.startswith(ORDERED_KINDS) for op in self.ops)
        for shape in (*(op.shape for op in self.ops), *(buffer.shape for buffer in self.buffers)):
            answer = answer & (sum(extent > 1 for extent in shape) <= 1)
        for access in self.accesses:
            answer = answer & (sum(extent > 1 for extent in access.tile) <= 1)
            for extent, stride in zip(access.tile, self.tensor(access.tensor).strides, strict=True):
                answer = answer & ((extent == 1) | ((stride == 1) & (access.lanes == "dense")))
        return answer


@dataclass(frozen=True)
class Family:
    """All block-shape candidates of one launch that share a skeleton.

    ``stacked`` is a :class:`TileProgram` whose integer leaves are int64 arrays of length ``len(blocks)``;
    ``blocks[i]`` lists the (parameter, value) pairs of candidate ``i``.
    """

    stacked: TileProgram
    blocks: tuple[tuple[tuple[str, int], ...], ...] = field(default=())


@dataclass(frozen=True)
class Smaller:
    """A block shape that was not offered; ``grid`` is the launch grid it takes when the file would not follow."""

    program: TileProgram
    grid: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Problem:
    """One kernel launch to plan: every block-shape candidate, grouped into families of equal skeleton.

    ``arguments`` describes the launch for people and for the plan file: (parameter, text) such as
    ("a_ptr", "bf16[4096,4096]"). ``fingerprint`` is a SHA-256 over kernel source, arguments and candidates.
    ``smaller`` lists what else the kernel could be launched with when no candidate fits the device's memory.
    """

    name: str
    families: tuple[Family, ...]
    arguments: tuple[tuple[str, str], ...]
    source: str
    fingerprint: str
    smaller: tuple[Smaller, ...] = ()
