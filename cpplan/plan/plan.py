"""A plan: every decision that turns a tile program into work for the cores of one device.

Nothing here knows a cost or a solver. Names are those of the tile program and the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pattern = Literal["private", "multicast", "forward"]
Reader = Literal["first", "diagonal", "nearest"]
Method = Literal["tree", "ring"]

Order = tuple[tuple[str, ...], ...]
"""Wave loops, outermost first, each with the parallel dims that it fuses, in dim order."""

LAUNCH = ""
"""Level name of a transfer that happens once per launch, outside every loop."""


def wave(*dims: str) -> str:
    """Level name of the wave loop over ``dims``."""
    return ".".join(("wave", *dims))


@dataclass(frozen=True, order=True)
class Split:
    """``factor`` cores of one spatial dim work on different blocks of parallel dim ``dim``.

    ``dim`` may also be a loop that is a reduction: then the cores run different parts of its trips for one block.
    """

    dim: str
    factor: int


@dataclass(frozen=True)
class Delivery:
    """How a tile reaches its cores: the part of a placement that does not depend on the loop nest."""

    groups: tuple[int, ...]
    pattern: Pattern
    noc: int
    reader: Reader


@dataclass(frozen=True)
class Placement:
    """How the tiles of one access move.

    ``level`` names the loop in whose body the transfer sits (:data:`LAUNCH`: before all loops); the buffer then holds
    every tile the access needs below that level. ``depth`` is 1 (transfer, then use) or 2 (double buffered).
    ``groups`` has one entry per spatial dim: cores along it that share one read. A ``private`` pattern has groups of
    one core; a ``multicast`` sends from the reader to its rectangle; ``forward`` passes the tile along a line of cores.
    ``noc`` indexes the network that carries the stream; ``reader`` says which core of the group reads.
    """

    access: str
    level: str
    depth: int
    groups: tuple[int, ...]
    pattern: Pattern = "private"
    noc: int = 0
    reader: Reader = "first"

    @property
    def delivery(self) -> Delivery:
        """Groups, pattern, network and reader of this placement."""
        return Delivery(self.groups, self.pattern, self.noc, self.reader)


@dataclass(frozen=True, order=True)
class Combine:
    """How the cores that share the trips of a loop combine what they have, over network ``noc``.

    ``tree``: in every round half of the cores that are left send their whole state to a neighbour that is left.
    ``ring``: every core combines one part of the state as it goes around, then the first core gathers the parts.
    """

    method: Method
    noc: int


@dataclass(frozen=True)
class Plan:
    """All decisions for one launch.

    ``spatial`` has one tuple of splits per spatial dim, most significant digit first: with splits (m,2), (n,4) the core
    at coordinate 5 of that dim works on m-digit 1 and n-digit 1. ``order`` lists the wave loops, outermost first;
    each iterates the waves of one or more parallel dims as one fused loop. ``placements`` are in the program's access
    order. ``combine`` is given exactly when ``spatial`` splits a loop. ``origin`` is the first core of the box in use;
    ``()`` is the first core of the array.
    """

    block: tuple[tuple[str, int], ...]
    spatial: tuple[tuple[Split, ...], ...]
    order: Order
    placements: tuple[Placement, ...]
    combine: Combine | None = None
    origin: tuple[int, ...] = ()

    def placement(self, access: str) -> Placement:
        """The placement of the access called ``access``."""
        return next(p for p in self.placements if p.access == access)

    def cores_along(self, dim: int) -> int:
        """Cores in use along spatial dim number ``dim``."""
        total = 1
        for split in self.spatial[dim]:
            total *= split.factor
        return total

    def core_at(self, place: tuple[int, ...]) -> tuple[int, ...]:
        """Logical coordinates of the core at ``place`` in the box in use."""
        return tuple(o + c for o, c in zip(self.origin, place, strict=True)) if self.origin else place

    def uses(self, core: tuple[int, ...]) -> bool:
        """Whether the core with these logical coordinates is in use."""
        first = self.core_at((0,) * len(self.spatial))
        return len(core) == len(first) and all(
            o <= c < o + self.cores_along(dim) for dim, (o, c) in enumerate(zip(first, core, strict=True))
        )

    @property
    def cores(self) -> int:
        """Cores in use."""
        total = 1
        for dim in range(len(self.spatial)):
            total *= self.cores_along(dim)
        return total
