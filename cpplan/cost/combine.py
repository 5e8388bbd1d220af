"""What it costs to combine the partial states of a loop that several cores share.

A tree takes ``ceil(log2 n)`` rounds; in each, half of the cores that are left send their whole state to another one,
which combines both. In a ring every core first passes one n-th of the state on, ``n - 1`` times, combining what arrives
with its own, and then the first core gathers the parts. A step takes as long as its transfer, or as its busiest link if
streams meet there; all blocks in flight combine at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpplan.cost.streams import Resources, Vector, packets, transfer_cycles
from cpplan.cost.units import combine_work
from cpplan.device.device import Device
from cpplan.plan.plan import Combine, Method, Split
from cpplan.plan.routes import combine_peaks, combine_weights
from cpplan.tile.arith import Int, ceil_div, round_up
from cpplan.tile.layout import hardware_tiles, tile_bytes
from cpplan.tile.program import TileProgram


@dataclass(frozen=True)
class StateSize:
    """The state that one core holds: hardware tiles, bytes, bytes of its largest tile, cycles to combine two states.

    ``apart``: its parts may be combined without the rest of it, so that a ring may do it.
    """

    pages: Int
    bytes: Int
    page_bytes: int
    cycles: Int
    apart: bool

    def take(self, block: Int) -> StateSize:
        """The size at one or some of the block shapes of a stacked program."""
        return StateSize(self.pages[block], self.bytes[block], self.page_bytes, self.cycles[block], self.apart)


def state_size(program: TileProgram, device: Device) -> StateSize:
    """Size of the state of the program's reduction, which it must have; also of a stacked program."""
    assert program.reduction is not None
    pages: Int = 0
    total: Int = 0
    for state in program.reduction.state:
        tiles = hardware_tiles(state.shape, program.in_runs)
        pages, total = pages + tiles, total + tiles * tile_bytes(state.dtype)
    largest = max(tile_bytes(state.dtype) for state in program.reduction.state)
    apart = all(state.reference is None for state in program.reduction.state)
    return StateSize(pages, total, largest, combine_work(program.reduction, device, program.in_runs).cycles(), apart)


def state_price(program: TileProgram, device: Device) -> StateSize | None:
    """The size of the state, if the program has a reduction: what mirror images must have in common."""
    return None if program.reduction is None else state_size(program, device)


def part_bytes(size: StateSize, method: Method, cores: Int) -> Int:
    """Bytes that one step moves: the whole state, or whole tiles of one part of it."""
    return size.bytes if method == "tree" else ceil_div(size.pages, cores) * size.page_bytes


def send_cycles(device: Device, amount: Int) -> Int:
    """Cycles of one core that writes ``amount`` bytes to another, after the receiver said that it is ready."""
    transfer = device.core_transfer
    assert transfer is not None
    handshake = device.multicast.handshake if device.multicast is not None else 0
    count, size = packets(transfer, amount)
    return handshake + transfer_cycles(transfer, count, size, 1)


def least_cycles(device: Device, size: StateSize, cores: Int) -> Int:
    """Cycles of the faster method when no streams meet (ints or arrays)."""
    rounds = np.ceil(np.log2(np.maximum(cores, 1))).astype(np.int64)
    tree = rounds * (send_cycles(device, size.bytes) + size.cycles)
    if not size.apart:
        return np.where(np.asarray(cores) > 1, tree, 0)
    part = part_bytes(size, "ring", cores)
    passes = (cores - 1) * (send_cycles(device, part) + ceil_div(size.cycles, cores))
    ring = passes + send_cycles(device, np.maximum(1, (cores - 1) * part))
    return np.where(np.asarray(cores) > 1, np.minimum(tree, ring), 0)


@dataclass(frozen=True)
class CombineCost:
    """Occupation by one combine of every block in flight, as of a stream; ``sram`` bytes for what arrives."""

    busy: Vector
    fill: Vector
    noc_bytes: int
    sram: int


def combine_cycles(size: StateSize, device: Device, cores: int, way: Combine, peaks: tuple[int, ...]) -> Int:
    """Cycles of all steps with their ops (ints, or arrays over block shapes): no resource is busy for longer.

    ``peaks`` is the weight on the busiest link in each step (:func:`cpplan.plan.routes.combine_peaks`).
    """
    rate = device.dram.banks * device.nocs[way.noc].link_rate
    total: Int = 0
    for peak, (amount, sent, ops, times) in zip(peaks, _steps(size, cores, way, len(peaks)), strict=True):
        links = ceil_div(peak * amount * rate.denominator, rate.numerator)
        total = total + times * (np.maximum(send_cycles(device, sent), links) + ops)
    return total


def _steps(size: StateSize, cores: int, way: Combine, count: int) -> list[tuple[Int, Int, Int, int]]:
    """(bytes over every link, bytes that one core receives, cycles of ops, how often) of every step."""
    part = part_bytes(size, way.method, cores)
    if way.method == "tree":
        return [(part, part, size.cycles, 1)] * count
    return [(part, part, ceil_div(size.cycles, cores), cores - 1), (part, part * (cores - 1), 0, 1)]


def combine_cost(
    size: StateSize, device: Device, layout: Resources, spatial: tuple[tuple[Split, ...], ...], loop: str, cores: int,
    way: Combine,
) -> CombineCost:  # fmt: skip
    """Cost of combining states of ``size`` of a loop that ``cores`` cores share by ``way``.

    The processor of the network counts the transfers as busy, and all steps with their ops as the first and only fill.
    """
    weights = combine_weights(device, spatial, loop, way.method, way.noc)
    rate = device.dram.banks * device.nocs[way.noc].link_rate
    first = layout.links[way.noc]
    busy = np.zeros(layout.count, dtype=np.int64)
    hops = 0
    for carried, (amount, sent, _, times) in zip(weights, _steps(size, cores, way, len(weights)), strict=True):
        links = -(-carried * int(amount) * rate.denominator // rate.numerator)
        busy[way.noc] += times * int(send_cycles(device, sent))
        busy[first : first + len(links)] += times * links
        hops += times * int(carried.sum()) * int(amount) // device.dram.banks
    fill = busy.copy()
    peaks = combine_peaks(device, spatial, loop, way.method, way.noc)
    fill[way.noc] = int(combine_cycles(size, device, cores, way, peaks))
    part = part_bytes(size, way.method, cores)
    return CombineCost(busy, fill, hops, int(round_up(part, device.sram.alignment)))
