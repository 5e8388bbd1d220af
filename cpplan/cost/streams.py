"""What one transfer of an access occupies: a vector of cycles, one entry per resource of the device.

Resources are, in order: the data-movement processor of each NoC, the DRAM banks (all alike: data is interleaved), the
read port and the write port of the banks on each NoC, then every directed link of each NoC. Streams that share a
resource add up on it; a group of concurrent streams takes as long as its busiest resource.

Formulas: ``latency + n * max(issue, bytes/rate)`` per stream at its processor (device transfer figures), bytes over
rate at banks and ports, never less than one request interval per request at a port, bytes over link rate on links.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device, Transfer
from cpplan.plan.plan import Delivery
from cpplan.plan.routes import Coordinate, link_count, load_weights, store_weights
from cpplan.tile.arith import Int, ceil_div, ceil_of, cycles_at, times
from cpplan.tile.layout import hardware_tiles, tile_bytes
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


@lru_cache(maxsize=256)
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
    """Size of the tile of ``access`` in the layout of its program."""
    return TileSize(hardware_tiles(access.tile, program.in_runs), tile_bytes(program.tensor(access.tensor).dtype))


@dataclass(frozen=True)
class Streams:
    """Occupation by one transfer of an access on all cores at once, for every amount of tiles and every delivery.

    ``busy[t, w]`` is what a pipelined repetition of ``tiles[t]`` tiles under delivery ``w`` costs on each resource;
    ``fill[t, w]`` what the first one costs (it differs for forwarding chains, whose last core waits for all hops).
    ``noc_bytes[t, w]`` counts bytes times links.
    """

    busy: Vector  # (tiles, deliveries, resources)
    fill: Vector
    noc_bytes: Vector  # (tiles, deliveries)


def transfer_cycles(transfer: Transfer, transactions: Int, bytes_each: Int, targets: Int = 0) -> Int:
    """Cycles of ``transactions`` equal transfers at their initiator, end barrier included.

    Acknowledgements of ``targets`` receivers come back while the next transaction is issued: the slower of both counts.
    """
    issue = np.maximum(ceil_of(transfer.issue), times(targets, transfer.per_target))
    return transfer.latency + transactions * np.maximum(issue, cycles_at(bytes_each, transfer.rate))


def packets(transfer: Transfer, total: Int) -> tuple[Int, Int]:
    """(count, bytes of the largest) of the packets that move ``total`` contiguous bytes."""
    size = np.minimum(transfer.max_packet or total, total)
    return ceil_div(total, size), size


@lru_cache(maxsize=1 << 14)
def link_weights(
    device: Device, layout: Resources, active: tuple[int, ...], store: bool, ways: tuple[Delivery, ...],
    writers: tuple[Coordinate, ...] | None = None,
) -> Vector:  # fmt: skip
    """(deliveries, resources) weights of every delivery on every link; zero on resources that are not links."""
    out = np.zeros((len(ways), layout.count), dtype=np.int64)
    for row, way in zip(out, ways, strict=True):
        first = layout.links[way.noc]
        if store:
            weights = store_weights(device, active, way.noc, writers)
        else:
            weights = load_weights(device, active, way.groups, way.pattern, way.noc, way.reader)
        row[first : first + len(weights)] = weights
    out.setflags(write=False)
    return out


def streams(
    device: Device,
    layout: Resources,
    active: tuple[int, ...],
    store: bool,
    size: TileSize,
    tiles: Vector,
    ways: tuple[Delivery, ...],
    kept: Vector | None = None,
    writers: tuple[Coordinate, ...] | None = None,
) -> Streams:
    """Occupation by transfers of ``tiles[t]`` tiles per core (or per sharing group) under every delivery.

    ``active`` is the number of cores in use along each spatial dim; ``kept`` selects resources (default: all);
    ``writers`` are the cores that store (default: all).
    """
    weights = link_weights(device, layout, active, store, ways, writers)
    pages = np.asarray(tiles, dtype=np.int64) * size.pages
    total = pages * size.page_bytes
    chosen = np.arange(layout.count) if kept is None else kept
    rates = _inverse_link_rates(device, layout)[:, chosen]
    carried = weights[None, :, chosen] * total[:, None, None]
    busy = ceil_div(carried * rates[0], rates[1])
    noc_bytes = weights.sum(axis=1)[None, :] * total[:, None] // device.dram.banks
    chain = np.zeros((len(pages), len(ways)), dtype=np.int64)
    column = {int(resource): i for i, resource in enumerate(chosen)}
    for w, way in enumerate(ways):
        members = math.prod(way.groups)
        count = len(writers) if store and writers is not None else math.prod(active) // members
        own, chain[:, w] = _initiator(device, store, pages, size.page_bytes, members, way)
        for resource, cycles in _at_banks(device, layout, store, count * pages, size.page_bytes, way.noc).items():
            busy[:, w, column[resource]] = cycles
        busy[:, w, column[way.noc]] = own
    fill = busy
    if chain.any():
        fill = busy.copy()
        for w, way in enumerate(ways):
            fill[:, w, column[way.noc]] += chain[:, w]
    return Streams(busy, fill, noc_bytes)


@lru_cache(maxsize=256)
def _inverse_link_rates(device: Device, layout: Resources) -> Vector:
    """(2, resources): cycles per weight and byte of each link as numerator and denominator."""
    out = np.ones((2, layout.count), dtype=np.int64)
    for noc, first in zip(device.nocs, layout.links, strict=True):
        out[0, first : first + link_count(noc)] = noc.link_rate.denominator
        out[1, first : first + link_count(noc)] = device.dram.banks * noc.link_rate.numerator
    return out


def _at_banks(device: Device, layout: Resources, store: bool, pages: Int, page_bytes: int, noc: int) -> dict[int, Int]:
    """Cycles at the DRAM banks and at their ports on ``noc`` of ``pages`` page requests, spread over all banks."""
    dram = device.dram
    requests = ceil_div(pages, dram.banks)
    bank_rate = dram.bank_write_rate if store else dram.bank_read_rate
    port_rate = dram.port_write_rate if store else dram.port_read_rate
    port = (layout.write_port if store else layout.read_port) + noc
    moved = requests * page_bytes
    return {
        layout.bank: cycles_at(moved, bank_rate),
        port: np.maximum(times(requests, dram.request_interval), cycles_at(moved, port_rate)),
    }


def _initiator(
    device: Device, store: bool, pages: Int, page_bytes: int, members: int, way: Delivery
) -> tuple[Int, Int]:
    """Cycles at the processor that moves the stream, and extra cycles until the last core of a chain has it."""
    own = transfer_cycles(device.dram.write if store else device.dram.read, pages, page_bytes)
    if way.pattern == "multicast" and device.multicast is not None:
        count, size = packets(device.multicast.transfer, pages * page_bytes)
        send = transfer_cycles(device.multicast.transfer, count, size, members)
        return own + device.multicast.handshake + send, 0
    if way.pattern == "forward" and device.forward is not None:
        count, size = packets(device.forward.transfer, pages * page_bytes)
        hop = transfer_cycles(device.forward.transfer, count, size)
        return own + hop, hop * (members - 2)
    return own, 0
