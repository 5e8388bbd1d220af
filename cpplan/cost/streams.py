"""What one transfer of an access occupies: a vector of cycles, one entry per resource of the device.

Resources are, in order: the data-movement processor of each NoC, the DRAM banks (all alike: data is interleaved), the
read port and the write port of the banks on each NoC, then every directed link of each NoC. Streams that share a
resource add up on it; a group of concurrent streams takes as long as its busiest resource.

Formulas: ``latency + n * max(issue, bytes/rate)`` per stream at its processor (device transfer figures), bytes over rate
at banks and ports, never less than one request interval per request at a port, bytes over link rate on links.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpplan.plan.routes import Weights, link_count, load_weights, store_weights
from cpplan.cost.units import hardware_tiles, tile_bytes
from cpplan.device.device import Device, Transfer
from cpplan.plan.plan import Placement
from cpplan.tile.arith import ceil_div, ceil_of, cycles_at, times
from cpplan.tile.program import Access, TileProgram

Vector = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Resources:
    """Positions of the resources of a device in every vector."""

    names: tuple[str, ...]
    bank: int
    read_port: int
    write_port: int
    links: tuple[int, ...]

    @property
    def count(self) -> int:
        """Length of a resource vector."""
        return len(self.names)


def resources(device: Device) -> Resources:
    """Names and positions of the resources of ``device``."""
    nocs = len(device.nocs)
    names = [f"processor {n.name}" for n in device.nocs] + ["dram banks"]
    names += [f"dram read port {n.name}" for n in device.nocs] + [f"dram write port {n.name}" for n in device.nocs]
    links = []
    for noc in device.nocs:
        links.append(len(names))
        names += [f"link {noc.name}[{i}]" for i in range(link_count(noc))]
    return Resources(tuple(names), nocs, nocs + 1, 2 * nocs + 1, tuple(links))


@dataclass(frozen=True)
class TileSize:
    """Pages (hardware tiles) of one tile of an access, and bytes of a page."""

    pages: int
    page_bytes: int


def tile_size(program: TileProgram, access: Access) -> TileSize:
    """Size of the tile of ``access`` in hardware-tile layout."""
    return TileSize(hardware_tiles(access.tile), tile_bytes(program.tensor(access.tensor).dtype))


@dataclass(frozen=True)
class Stream:
    """Occupation by one transfer of one access on all cores at once.

    ``busy`` is what a pipelined repetition costs on each resource; ``fill`` what the first one costs (it differs for
    forwarding chains, whose last core waits for all hops). ``noc_bytes`` counts bytes times links.
    """

    busy: Vector
    fill: Vector
    noc_bytes: int


def transfer_cycles(transfer: Transfer, transactions: int, bytes_each: int, targets: int = 0) -> int:
    """Cycles of ``transactions`` equal transfers at their initiator, end barrier included."""
    issue = ceil_of(transfer.issue + transfer.per_target * targets)
    return transfer.latency + transactions * max(issue, cycles_at(bytes_each, transfer.rate))


def packets(transfer: Transfer, total: int) -> tuple[int, int]:
    """(count, bytes of the largest) of the packets that move ``total`` contiguous bytes."""
    size = min(transfer.max_packet or total, total)
    return ceil_div(total, size), size


def stream(
    device: Device, layout: Resources, active: tuple[int, ...], store: bool, size: TileSize, tiles: int, place: Placement
) -> Stream:
    """Occupation by one transfer of ``tiles`` tiles per core (or per sharing group) under ``place``.

    ``active`` is the number of cores in use along each spatial dim.
    """
    pages = tiles * size.pages
    total = pages * size.page_bytes
    members = int(np.prod(place.groups))
    streams = int(np.prod(active)) // members
    weights = _weights(device, active, store, place)
    busy = np.zeros(layout.count, dtype=np.int64)
    dram = device.dram
    requests = ceil_div(streams * pages, dram.banks)
    bank_rate, port_rate = (
        (dram.bank_write_rate, dram.port_write_rate) if store else (dram.bank_read_rate, dram.port_read_rate)
    )
    port = (layout.write_port if store else layout.read_port) + place.noc
    busy[layout.bank] = cycles_at(requests * size.page_bytes, bank_rate)
    busy[port] = max(times(requests, dram.request_interval), cycles_at(requests * size.page_bytes, port_rate))
    first = layout.links[place.noc]
    rate = device.nocs[place.noc].link_rate
    carried = weights * (total * rate.denominator)
    busy[first : first + len(weights)] = ceil_div(carried, dram.banks * rate.numerator)
    own, chain = _initiator(device, store, pages, size.page_bytes, members, place)
    busy[place.noc] = own
    fill = busy
    if chain:
        fill = busy.copy()
        fill[place.noc] = own + chain
    return Stream(busy, fill, int(weights.sum()) * total // dram.banks)


def _weights(device: Device, active: tuple[int, ...], store: bool, place: Placement) -> Weights:
    if store:
        return store_weights(device, active, place.noc)
    return load_weights(device, active, place.groups, place.pattern, place.noc, place.reader)


def _initiator(
    device: Device, store: bool, pages: int, page_bytes: int, members: int, place: Placement
) -> tuple[int, int]:
    """Cycles at the processor that moves the stream, and extra cycles until the last core of a chain has it."""
    own = transfer_cycles(device.dram.write if store else device.dram.read, pages, page_bytes)
    if place.pattern == "multicast" and device.multicast is not None:
        count, size = packets(device.multicast.transfer, pages * page_bytes)
        send = transfer_cycles(device.multicast.transfer, count, size, members)
        return own + device.multicast.handshake + send, 0
    if place.pattern == "forward" and device.forward is not None:
        count, size = packets(device.forward.transfer, pages * page_bytes)
        hop = transfer_cycles(device.forward.transfer, count, size)
        return own + hop, hop * (members - 2)
    return own, 0
