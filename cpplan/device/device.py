"""The device as the planner sees it: plain integers and fractions, read from a df spec, free of any plan.

Rates are exact rationals (``Rate``): bytes or cycles never pass through a float.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Overlap = Literal["load|compute+store", "load+store|compute", "load|compute|store"]
"""What one iteration of a double-buffered level may run side by side; '|' separates the concurrent parts."""


@dataclass(frozen=True)
class SpatialDim:
    """One axis of the core array. ``positions[i]`` is the NoC coordinate of logical index ``i`` on this axis."""

    name: str
    extent: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Sram:
    """Private scratchpad of a core: ``size`` bytes in all, ``reserved`` of them not for plans."""

    size: int
    reserved: int
    alignment: int
    max_buffers: int

    @property
    def usable(self) -> int:
        """Bytes that buffers may take."""
        return self.size - self.reserved


@dataclass(frozen=True)
class Noc:
    """One network. ``route`` lists (axis, step) in the order packets travel: [(0,+1),(1,+1)] is +x then +y.

    ``torus`` is the number of router positions per axis (routes wrap when ``wraps``). Without wrap, packets go straight
    towards their target on each axis, whatever the sign. Axes that ``route`` leaves out are not travelled: all cores
    and banks of the network sit at one position there.
    """

    name: str
    route: tuple[tuple[int, int], ...]
    torus: tuple[int, ...]
    wraps: bool
    link_rate: Fraction  # bytes per cycle of one directed link

    def __hash__(self) -> int:
        """Cheap on purpose: networks key the route caches."""
        return hash((self.name, self.torus, self.route))


@dataclass(frozen=True)
class Transfer:
    """Cycles of one stream: ``latency + transactions * max(issue, bytes/rate)`` (source: noc latency fits).

    ``per_target`` cycles per receiver are a lower bound of ``issue`` (acknowledgements); ``max_packet`` is in bytes
    (0: no limit).
    """

    latency: int
    issue: Fraction
    rate: Fraction
    per_target: Fraction = Fraction(0)
    max_packet: int = 0


@dataclass(frozen=True)
class Dram:
    """Interleaved DRAM. ``endpoints[n][b]`` is the NoC coordinate at which NoC ``n`` reaches bank ``b``."""

    banks: int
    bank_bytes: int
    bank_read_rate: Fraction  # bytes per cycle of one bank, reads
    bank_write_rate: Fraction
    port_read_rate: Fraction  # bytes per cycle of one bank's port on one NoC
    port_write_rate: Fraction
    request_interval: Fraction  # cycles between two requests at one port
    read: Transfer
    write: Transfer
    alignment: int
    endpoints: tuple[tuple[tuple[int, ...], ...], ...]


@dataclass(frozen=True)
class Multicast:
    """Hardware multicast: receivers must form a rectangle; ``transfer`` is the linked form at the sender."""

    transfer: Transfer
    handshake: int  # semaphore round trip before the data may be sent, cycles


@dataclass(frozen=True)
class Forward:
    """Neighbour-to-neighbour forwarding along one spatial dim: one hop of a chain."""

    dims: tuple[str, ...]  # spatial dims along which neighbours are linked
    transfer: Transfer


@dataclass(frozen=True)
class Unit:
    """A functional unit. ``thread`` names the instruction stream that drives it: units of one thread take turns.

    ``costs`` are (operation, cycles) pairs per hardware tile: 'mac.HiFi2' per 32x32x32 multiply-accumulate, 'exp' per
    tile, 'per_call' per tile op, or (for unpack/pack) 'bytes' as bytes per cycle.
    """

    name: str
    thread: str
    costs: tuple[tuple[str, Fraction], ...]

    def cost(self, operation: str) -> Fraction | None:
        """Cycles (or bytes per cycle) listed for ``operation``."""
        return dict(self.costs).get(operation)


@dataclass(frozen=True)
class Device:
    """A spatial dataflow accelerator, as one immutable value."""

    name: str
    clock_mhz: int
    dims: tuple[SpatialDim, ...]
    sram: Sram
    nocs: tuple[Noc, ...]
    dram: Dram
    multicast: Multicast | None
    forward: Forward | None
    units: tuple[Unit, ...]
    overlap: Overlap
    launch_cycles: int
    dst_tiles_16bit: int  # tiles the destination register holds in half-sync mode, 16-bit formats
    dst_tiles_32bit: int
    fidelity: tuple[tuple[str, str], ...]  # element type -> default math fidelity
    disabled: tuple[tuple[int, ...], ...] = ()
    fingerprint: str = ""

    def __hash__(self) -> int:
        """Cheap on purpose: devices key the route caches."""
        return hash((self.name, self.fingerprint, self.clock_mhz, len(self.dims)))

    @property
    def cores(self) -> int:
        """Number of cores of the array."""
        total = 1
        for dim in self.dims:
            total *= dim.extent
        return total

    @property
    def core_transfer(self) -> Transfer | None:
        """How one core writes to another: as a multicast to one, else along a forwarding link; None when it cannot."""
        if self.multicast is not None:
            return self.multicast.transfer
        return self.forward.transfer if self.forward is not None else None

    def sends_along(self, dim: str) -> bool:
        """Whether cores that differ only in spatial dim ``dim`` can write to each other."""
        return self.multicast is not None or (self.forward is not None and dim in self.forward.dims)

    def unit(self, name: str) -> Unit:
        """The functional unit called ``name``."""
        return next(u for u in self.units if u.name == name)
