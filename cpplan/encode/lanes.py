"""Spatial mappings as arrays, and the pairs of block shapes with them that bounds are computed for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device
from cpplan.device.free_boxes import Coordinate, free_boxes
from cpplan.encode.blocks import BlockFacts, Ints, block_combining, block_ops, spans_per_core, trips_per_core
from cpplan.plan.plan import Split
from cpplan.plan.space import Spatial, digit_sequences
from cpplan.tile.arith import ceil_div


@dataclass(frozen=True, eq=False)
class SpatialTable:
    """All spatial mappings of a device for a tuple of parallel dims, as arrays (S of them), in the fixed order.

    A mapping comes once per first core that its box may have. Mappings with the same cores per dim form a *spread* (V
    of them): coarse bounds only see the spread.
    """

    sequences: tuple[tuple[tuple[Split, ...], ...], ...]  # per spatial dim
    corners: tuple[Coordinate, ...]  # first cores
    digits: Ints  # (spatial dims, S) position into ``sequences``
    corner: Ints  # (S,) position into ``corners``
    splits: tuple[tuple[Ints, Ints], ...]  # per spatial dim (slots, sequences): dim number (-1: none), factor
    cores: Ints  # (dims, S) cores per parallel dim
    spreads: Ints  # (dims, V)
    members: Ints  # mappings sorted by spread
    first: Ints  # (V + 1,) where the members of each spread start

    def mapping(self, number: int) -> Spatial:
        """The mapping with this number."""
        return tuple(s[i] for s, i in zip(self.sequences, self.digits[:, number].tolist(), strict=True))

    def origin(self, number: int) -> Coordinate:
        """The first core of the mapping with this number."""
        return self.corners[self.corner[number]]


@lru_cache(maxsize=64)
def spatial_table(
    device: Device, dims: tuple[str, ...], largest: tuple[int, ...], loops: tuple[str, ...] = ()
) -> SpatialTable:
    """Enumerate the mappings once per device; ``largest`` is the largest extent of every axis over all block shapes.

    ``loops`` names the axes among ``dims`` that are loops: their cores must be able to write to each other.
    """
    room = dict(zip(dims, largest, strict=True))
    sequences = tuple(
        tuple(
            q
            for q in digit_sequences(d.extent, dims)
            if all(s.factor <= room[s.dim] and (s.dim not in loops or device.sends_along(d.name)) for s in q)
        )
        for d in device.dims
    )
    grid = np.meshgrid(*(np.arange(len(q)) for q in sequences), indexing="ij")
    digits = np.stack([g.ravel() for g in grid])
    used = np.stack([_product_of(q)[d] for q, d in zip(sequences, digits, strict=True)])
    corners, mapping, corner = _corners(device, used)
    digits = digits[:, mapping]
    number = {name: i for i, name in enumerate(dims)}
    spreads, spread = _spreads([_cores_of(q, number) for q in sequences], digits)
    cores = spreads[:, spread]
    members = np.argsort(spread, kind="stable")
    first = np.searchsorted(spread[members], np.arange(spreads.shape[1] + 1))
    splits = tuple(_slots_of(q, number) for q in sequences)
    return SpatialTable(sequences, corners, digits, corner, splits, cores, spreads, members, first)


def _spreads(cores: list[Ints], digits: Ints) -> tuple[Ints, Ints]:
    """Distinct cores per dim of all mappings, in order, and which of them each mapping has; ``cores`` (dims, sequences)
    are those of the sequences of every spatial dim. Few sequences differ in them, so these are told apart first."""
    found = [np.unique(own, axis=1, return_inverse=True) for own in cores]
    sizes = [distinct.shape[1] for distinct, _ in found]
    grid = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    products = np.prod([distinct[:, g] for (distinct, _), g in zip(found, grid, strict=True)], axis=0)
    spreads, spread = np.unique(products, axis=1, return_inverse=True)
    kind = np.ravel_multi_index([which.ravel()[d] for (_, which), d in zip(found, digits, strict=True)], sizes)
    there, members = np.unique(spread.ravel()[kind], return_inverse=True)
    return spreads[:, there], members.ravel()


def _corners(device: Device, used: Ints) -> tuple[tuple[Coordinate, ...], Ints, Ints]:
    """First cores, and the pairs of a mapping (given by its cores in use) and a first core that it may have."""
    boxes = free_boxes(device)
    corners = sorted({box.origin for box in boxes})
    holds = np.zeros((used.shape[1], len(corners)), dtype=bool)
    for box in boxes:
        holds[:, corners.index(box.origin)] |= np.all(used <= np.array(box.extents)[:, None], axis=0)
    mapping, corner = np.nonzero(holds)
    return tuple(c if any(c) else () for c in corners), mapping, corner


def _product_of(sequences: tuple[tuple[Split, ...], ...]) -> Ints:
    return np.array([math.prod(s.factor for s in q) for q in sequences], dtype=np.int64)


def _cores_of(sequences: tuple[tuple[Split, ...], ...], number: Mapping[str, int]) -> Ints:
    """(dims, sequences) cores per dim."""
    out = np.ones((len(number), len(sequences)), dtype=np.int64)
    for j, q in enumerate(sequences):
        for split in q:
            out[number[split.dim], j] *= split.factor
    return out


def _slots_of(sequences: tuple[tuple[Split, ...], ...], number: Mapping[str, int]) -> tuple[Ints, Ints]:
    """(slots, sequences) dim number (-1: none) and factor of every split."""
    slots = max(map(len, sequences))
    dim = np.full((slots, len(sequences)), -1, dtype=np.int64)
    factor = np.ones((slots, len(sequences)), dtype=np.int64)
    for j, q in enumerate(sequences):
        for slot, split in enumerate(q):
            dim[slot, j], factor[slot, j] = number[split.dim], split.factor
    return dim, factor


@dataclass(frozen=True)
class Lanes:
    """Pairs of a block shape and cores per axis: position into the family's blocks, and the cores (axes, lanes)."""

    block: Ints
    cores: Ints

    def take(self, keep: npt.NDArray[np.bool_] | Ints) -> Lanes:
        """The lanes selected by ``keep``."""
        return Lanes(self.block[keep], self.cores[:, keep])

    def __len__(self) -> int:
        return len(self.block)


def lane_waves(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(dims, lanes) waves per parallel dim."""
    dims = len(facts.program.dims)
    waves: Ints = ceil_div(facts.extents[:dims, lanes.block], lanes.cores[:dims])
    return waves


def lane_sharing(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(lanes,) cores that share the trips of a loop for one block."""
    return lanes.cores[-1] if facts.state is not None else np.ones(len(lanes), dtype=np.int64)


def lane_trips(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(loops, lanes) trips of every loop that one core runs, the mean over waves where that varies."""
    return trips_per_core(facts, lanes.block, lanes.cores)


def lane_spans(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(loops, lanes) most trips of every loop that one core runs for a block."""
    return spans_per_core(facts, lanes.block, lane_sharing(facts, lanes))


def lane_block_ops(facts: BlockFacts, lanes: Lanes) -> Ints:
    """(lanes,) cycles of all tile ops that one core runs for one block."""
    return block_ops(facts, lanes.block, lane_trips(facts, lanes))


def lane_combining(facts: BlockFacts, device: Device, lanes: Lanes) -> Ints:
    """(lanes,) least cycles of combining that one core runs for one block."""
    return block_combining(facts, device, lanes.block, lane_sharing(facts, lanes))


def lane_block_cycles(facts: BlockFacts, device: Device, lanes: Lanes) -> Ints:
    """(lanes,) cycles of all tile ops and the least combining that one core runs for one block."""
    return lane_block_ops(facts, lanes) + lane_combining(facts, device, lanes)


def spread_lanes(facts: BlockFacts, table: SpatialTable, blocks: Ints) -> tuple[Lanes, Ints]:
    """All pairs of ``blocks`` and spreads without more cores than blocks in a dim, and the spread of each."""
    return _listed_lanes(table, blocks, _spreads_that_fit(facts, table, blocks))


def spread_lanes_within(facts: BlockFacts, table: SpatialTable, blocks: Ints, cycles: int) -> tuple[Lanes, Ints, int]:
    """Those of :func:`spread_lanes` whose cores together can run all tile ops in ``cycles``, and how many there are
    without that."""
    fits = _spreads_that_fit(facts, table, blocks)
    count = int(np.count_nonzero(fits))
    if all(loop.profile is None for loop in facts.program.loops):  # with one the trips of a block are a mean
        work = facts.blocks[blocks] * block_ops(facts, blocks, facts.trips[:, blocks])
        fits &= np.prod(table.spreads, axis=0) >= ceil_div(work, max(1, cycles))[:, None]
    return *_listed_lanes(table, blocks, fits), count


def _spreads_that_fit(facts: BlockFacts, table: SpatialTable, blocks: Ints) -> npt.NDArray[np.bool_]:
    """(blocks, spreads) which spreads have no more cores than blocks in any dim."""
    extents, fits = facts.extents[:, blocks], np.ones((len(blocks), table.spreads.shape[1]), dtype=bool)
    for cores, extent in zip(table.spreads, extents, strict=True):
        fits &= cores <= extent[:, None]
    return fits


def _listed_lanes(table: SpatialTable, blocks: Ints, chosen: npt.NDArray[np.bool_]) -> tuple[Lanes, Ints]:
    block, spread = np.nonzero(chosen)
    return Lanes(blocks[block], table.spreads[:, spread]), spread


def earns(facts: BlockFacts, table: SpatialTable, block: Ints, mapping: Ints) -> npt.NDArray[np.bool_]:
    """Which (block, mapping) pairs are legal: the vectorised form of ``space.earns_its_cores``."""
    legal = np.ones(len(block), dtype=bool)
    for digit, (dims, factors) in zip(table.digits, table.splits, strict=True):
        here = digit[mapping]
        for slot_dim, slot_factor in zip(dims, factors, strict=True):
            dim, factor = slot_dim[here], slot_factor[here]
            used = dim >= 0
            dim = np.maximum(dim, 0)
            extent, total = facts.extents[dim, block], table.cores[dim, mapping]
            one_less = total // factor * (factor - 1)
            saves = ceil_div(extent, np.maximum(one_less, 1)) > ceil_div(extent, total)
            legal &= ~used | ((total <= extent) & saves)
    return legal


def chunks(items: Ints, size: int) -> Iterator[Ints]:
    """``items`` in runs of at most ``size``."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
