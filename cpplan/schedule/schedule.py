"""The schedule: what the three threads of every core do, step by step, and where each buffer lies.

All cores in use run the same steps; they differ in their *digits* (which blocks are theirs) and in their part in each
stream (:class:`Endpoint`). Data movement has one thread per network, so a stream runs on the thread of its network.
Within a thread steps run in order. Counts of buffers are in pages, one hardware tile each.

A core whose block has left the grid (partial last waves) or whose loop is shorter than that of others in the wave still
takes part in every transfer, so that nobody waits for it in vain; it neither computes nor writes
(:class:`Guard`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from cpplan.device.device import Device
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.plan import Combine, Pattern, Plan
from cpplan.tile.program import Affine, Bounds, Profile, TileProgram

Coordinate = tuple[int, ...]
Role = Literal["load", "store", "value", "mask", "scratch", "partial", "outgoing"]


@dataclass(frozen=True)
class Axis:
    """One axis of a tensor in memory: ``pieces`` of ``unit`` elements, each padded with unused ones to ``padded``.

    ``padded`` is a multiple of 32 on the axes that make the rows and columns of hardware tiles (of 1,024 in runs); on
    others it equals ``unit``, which is 1. ``lead`` unused elements come before element 0, so that tiles which start at
    an odd element start at a piece.
    """

    unit: int
    padded: int
    pieces: int
    lead: int = 0


@dataclass(frozen=True)
class TensorLayout:
    """How a tensor lies in DRAM: pages of one hardware tile each, interleaved over the banks.

    ``rows`` and ``columns`` are the axes inside a hardware tile (None: the tile has one row, or column, in use). Pages
    are counted row-major over the other axes in order, then row tiles, then column tiles. ``in_runs``: a page holds
    1,024 elements in a row of axis ``columns`` instead. ``padding`` is what unused elements hold.

    ``name`` is that of the tensor; a tensor that is read in several layouts is there once in each, the further ones
    called ``tensor.2``, ``tensor.3``, ...
    """

    name: str
    tensor: str
    format: str
    axes: tuple[Axis, ...]
    rows: int | None
    columns: int | None
    in_runs: bool = False
    padding: float = 0.0


@dataclass(frozen=True)
class Buffer:
    """A circular buffer, the same on every core: ``slots`` blocks of ``pages`` pages at byte ``offset`` of SRAM.

    ``tiles`` of a load or store: how many tiles of the access a block holds, in the order of :attr:`Stream.inner`.
    ``shape`` is that of one such tile, or of the value. ``first`` and ``last`` number the steps of the compute thread
    between which it is alive; buffers whose lives do not meet may share bytes.
    """

    index: int
    name: str
    role: Role
    format: str
    shape: tuple[int, ...]
    pages: int
    slots: int
    page_bytes: int
    tiles: int = 1
    offset: int = 0
    first: int = 0
    last: int = 0

    @property
    def bytes(self) -> int:
        """Bytes of SRAM."""
        return self.pages * self.slots * self.page_bytes


@dataclass(frozen=True)
class Term:
    """``factor * (symbol // divisor % modulus)``; a modulus of 0 leaves the quotient as it is."""

    symbol: str
    factor: int = 1
    divisor: int = 1
    modulus: int = 0


@dataclass(frozen=True)
class Index:
    """``const`` + the sum of terms over names: counters of levels, digits of the core, indices set by :class:`Let`."""

    const: int = 0
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Endpoint:
    """The part of one core in a stream: who reads for its group, and the corners of the rectangle that receives.

    ``receivers`` counts the cores that get the tile besides the reader. In a forward pattern ``previous`` and
    ``following`` are the neighbours on the line.
    """

    reader: Coordinate
    low: Coordinate
    high: Coordinate
    receivers: int
    previous: Coordinate | None = None
    following: Coordinate | None = None


@dataclass(frozen=True)
class Stream:
    """All transfers of one access.

    ``starts``: first element per tensor axis of the tile at one combination of indices; ``inner`` lists (index, span)
    over which one transfer moves all tiles, outermost first. These run from 0 to span within the transfer: waves of a
    parallel dim, turns of a loop that cores share, trips of any other loop (:meth:`Schedule.index_of`).
    ``endpoints`` has the part of every core in a shared stream, and ``ready`` and ``valid`` are its semaphores: at the
    reader, how many receivers have room; at a receiver, that the tile is there.
    """

    access: str
    kind: Literal["load", "store"]
    buffer: str
    layout: str
    tile: tuple[int, ...]
    starts: tuple[Affine, ...]
    inner: tuple[tuple[str, int], ...]
    bounds: tuple[Bounds, ...]
    fill: float | None
    noc: int
    pattern: Pattern
    endpoints: Mapping[Coordinate, Endpoint]
    ready: int | None = None
    valid: int | None = None


# -- steps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class For:
    """``body`` for every value of ``counter`` from ``first`` on, below ``stop``, by ``step``.

    ``profile``: the stop is what this gives for the block that runs longest in the wave (:meth:`Schedule.longest`), at
    most ``stop``. ``source`` tells a reader of the output which decision of the plan this is.
    """

    counter: str
    stop: int
    body: tuple[Step, ...]
    first: Index = Index()
    step: int = 1
    profile: Profile | None = None
    source: str = ""


@dataclass(frozen=True)
class Let:
    """Sets ``name``, the block index of a parallel dim or the trip number of a loop that cores share."""

    name: str
    value: Index


@dataclass(frozen=True)
class Guard:
    """``body`` where all of the block's indices are inside the grid (``extents``), and where each loop in ``trips``
    has not yet run as often as its block wants."""

    extents: tuple[tuple[str, int], ...]
    trips: tuple[str, ...]
    body: tuple[Step, ...]


@dataclass(frozen=True)
class Move:
    """One transfer of a stream: the reading (or receiving) of a block, or its writing; with reserve and push, or wait
    and pop, of its buffer. ``ahead``: that of the next iteration of the innermost loop around it, if there is one.

    Blocks outside the grid are not written, nor those of cores other than the first that share a loop.
    """

    stream: str
    ahead: bool = False


@dataclass(frozen=True)
class Take:
    """Compute: wait until ``buffer`` holds a block."""

    buffer: str


@dataclass(frozen=True)
class Drop:
    """Compute: the block of ``buffer`` is no longer needed."""

    buffer: str


@dataclass(frozen=True)
class Make:
    """Compute: reserve a block of ``buffer`` to be filled."""

    buffer: str


@dataclass(frozen=True)
class Hand:
    """Compute: the block of ``buffer`` is complete."""

    buffer: str


@dataclass(frozen=True)
class Compute:
    """Ops of the kernel, by name, in order; all of one position of the program (``loop``). The name of a store stands
    for bringing into its buffer what no op makes: a loaded or a carried value."""

    ops: tuple[str, ...]
    loop: str | None = None


@dataclass(frozen=True)
class Exchange:
    """The combining of partial states over the cores that share a loop (:class:`cpplan.plan.plan.Combine`).

    All cores take part for every block, whether or not it is inside the grid. In round ``r`` of a tree over ``n``
    cores, with ``s = 2**r``, core number ``p`` (``core_<loop>``) that is an odd multiple of ``s`` hands its state on
    and is done: the compute thread fills the buffers ``outgoing.<result>``, one per carried value. A core that is an
    even multiple of ``s`` with ``p + s < n`` takes the state of that core out of the buffers ``combine.<result>`` and
    combines it with its own, its own being the left part.

    In a ring these buffers hold one of ``n`` parts of the pages of a value, the last ones perhaps beyond its end. In
    step ``t`` of ``n - 1`` core ``p`` sends part ``(p - t) mod n`` to core ``p + 1`` and combines part
    ``(p - t - 1) mod n`` of its own with the one that arrives; then core 0 receives part ``(p + 1) mod n`` from every
    other core ``p`` in turn.
    """

    loop: str
    combine: Combine


@dataclass(frozen=True)
class Await:
    """Waits until it is this core's turn to update the tile of atomic ``access`` (:class:`Turns`)."""

    access: str


@dataclass(frozen=True)
class Pass:
    """Hands the turn to update the tile of atomic ``access`` on, once all that was written has arrived."""

    access: str


Step = For | Let | Guard | Move | Take | Drop | Make | Hand | Compute | Exchange | Await | Pass


@dataclass(frozen=True)
class Combining:
    """Who hands states to whom, per core. In a tree these are the cores that it deals with in every round (None: with
    nobody); in a ring the core before and the core after it, then all cores of the ring.

    ``ready`` and ``valid`` are semaphores: at the sender, that the receiver has room; at the receiver, that the state
    is there. When the first core of a ring gathers the parts, ``gathered`` says that it has room.
    """

    loop: str
    noc: int
    partners: Mapping[Coordinate, tuple[Coordinate | None, ...]]
    ready: int
    valid: int
    gathered: int | None = None


@dataclass(frozen=True)
class Turns:
    """In which order cores update the tiles of atomic ``access``, whose ``load`` reads what is there.

    Each of ``lines`` lists cores that are at the same tile in an iteration. In every iteration each of them waits until
    the one before it has passed the turn on, which it counts in ``semaphore``; the first of a line begins. ``around``:
    tiles come again in later iterations, so the last one passes the turn on to the first, which waits for it from its
    second iteration on. Cores in no line only take part in the iterations.
    """

    access: str
    load: str
    semaphore: int
    around: bool
    lines: tuple[tuple[Coordinate, ...], ...]

    def line_of(self, core: Coordinate) -> tuple[Coordinate, ...]:
        """The line that ``core`` is in; empty if it is in none."""
        return next((line for line in self.lines if core in line), ())

    def following(self, core: Coordinate) -> Coordinate | None:
        """Who has the turn after ``core``; None when nobody waits for it."""
        line = self.line_of(core)
        if not line:
            return None
        return line[(line.index(core) + 1) % len(line)] if self.around or core != line[-1] else None


@dataclass(frozen=True)
class Thread:
    """A processor of the core and its steps: "noc0" and "noc1" move data over that network, "compute" computes."""

    name: Literal["noc0", "noc1", "compute"]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Schedule:
    """Everything that emission, simulation and verification need to know of one plan.

    ``digits[core]`` gives the number of the core among those that a parallel dim, or a shared loop, is spread over, as
    pairs (name, number); in an :class:`Index` it is called ``core_<name>``.
    """

    program: TileProgram
    device: Device
    plan: Plan
    layouts: tuple[TensorLayout, ...]
    buffers: tuple[Buffer, ...]
    streams: tuple[Stream, ...]
    threads: tuple[Thread, ...]
    digits: Mapping[Coordinate, tuple[tuple[str, int], ...]]
    semaphores: int = 0
    combining: Combining | None = None
    turns: tuple[Turns, ...] = ()

    def buffer(self, name: str) -> Buffer:
        """The buffer called ``name``."""
        return next(b for b in self.buffers if b.name == name)

    def stream(self, access: str) -> Stream:
        """The stream of ``access``."""
        return next(s for s in self.streams if s.access == access)

    def turns_at(self, access: str) -> Turns | None:
        """How cores take turns at atomic ``access``; None when each of its tiles is updated once."""
        return next((item for item in self.turns if item.access == access), None)

    def layout(self, name: str) -> TensorLayout:
        """The layout called ``name``."""
        return next(item for item in self.layouts if item.name == name)

    def longest(self, profile: Profile) -> Index:
        """The block of the wave at hand that runs a loop with ``profile`` most often; beyond the grid it is the last
        one of the grid that counts."""
        value = next(value for name, value in _lets(self.thread("compute").steps) if name == profile.dim)
        cores = cores_per_dim(self.plan.spatial).get(profile.dim, 1)
        terms = tuple(term for term in value.terms if term.symbol != f"core_{profile.dim}")
        return Index(value.const + (cores - 1 if profile.slope > 0 else 0), terms)

    def index_of(self, name: str, turn: Index) -> Index:
        """Block index of parallel dim ``name`` in wave ``turn``, or trip of loop ``name`` in that turn."""
        spread = dict(next(iter(self.digits.values()))).get(name)
        if spread is None:
            return turn
        cores = cores_per_dim(self.plan.spatial)[name]
        terms = tuple(replace(term, factor=term.factor * cores) for term in turn.terms)
        return Index(turn.const * cores, (Term(f"core_{name}"), *terms))

    def thread(self, name: str) -> Thread:
        """The thread called ``name``."""
        return next(t for t in self.threads if t.name == name)


def _lets(steps: tuple[Step, ...]) -> Iterator[tuple[str, Index]]:
    for step in steps:
        if isinstance(step, Let):
            yield step.name, step.value
        elif isinstance(step, For | Guard):
            yield from _lets(step.body)
