"""All (block shape, spatial mapping) pairs of a family as arrays. A *lane* is one legal pair."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device
from cpplan.encode.blocks import BlockFacts, Ints
from cpplan.plan.space import Spatial, avoids_disabled, spatial_choices
from cpplan.tile.arith import ceil_div


@dataclass(frozen=True)
class SpatialTable:
    """All spatial mappings of a device for a tuple of parallel dims, as arrays (S of them)."""

    choices: tuple[Spatial, ...]
    cores: Ints  # (dims, S) cores per parallel dim
    split_dim: Ints  # (slots, S) dim number of each split, -1 where a mapping has fewer
    fewer: Ints  # (slots, S) cores of that dim with one core less in the split


@lru_cache(maxsize=64)
def spatial_table(device: Device, dims: tuple[str, ...]) -> SpatialTable:
    """Enumerate the mappings once per device and dim names."""
    choices = tuple(s for s in spatial_choices(device, dims) if avoids_disabled(device, s))
    slots = max((sum(map(len, s)) for s in choices), default=0)
    cores = np.ones((len(dims), len(choices)), dtype=np.int64)
    split_dim = np.full((slots, len(choices)), -1, dtype=np.int64)
    fewer = np.ones((slots, len(choices)), dtype=np.int64)
    number = {name: i for i, name in enumerate(dims)}
    for j, spatial in enumerate(choices):
        splits = list(itertools.chain.from_iterable(spatial))
        for split in splits:
            cores[number[split.dim], j] *= split.factor
        for slot, split in enumerate(splits):
            dim = number[split.dim]
            split_dim[slot, j] = dim
            fewer[slot, j] = cores[dim, j] // split.factor * (split.factor - 1)
    return SpatialTable(choices, cores, split_dim, fewer)


@dataclass(frozen=True)
class Lanes:
    """Legal (block, mapping) pairs: positions into the family's blocks and the mapping table."""

    block: Ints
    spatial: Ints

    def take(self, keep: npt.NDArray[np.bool_] | Ints) -> Lanes:
        """The lanes selected by ``keep``."""
        return Lanes(self.block[keep], self.spatial[keep])

    def __len__(self) -> int:
        return len(self.block)


def lanes_of(facts: BlockFacts, table: SpatialTable, blocks: Ints) -> Lanes:
    """All legal pairs of ``blocks``: the vectorised form of ``space.earns_its_cores``."""
    extents = facts.extents[:, blocks]  # (dims, b)
    legal = np.all(table.cores[:, None, :] <= extents[:, :, None], axis=0)
    for slot_dim, slot_fewer in zip(table.split_dim, table.fewer, strict=True):
        used = slot_dim >= 0
        dim = np.where(used, slot_dim, 0)
        total = table.cores[dim, np.arange(len(dim))]
        extent = extents[dim].T  # (b, S)
        legal &= ~used | (ceil_div(extent, slot_fewer) > ceil_div(extent, total))
    block, spatial = np.nonzero(legal)
    return Lanes(blocks[block], spatial.astype(np.int64))


def chunks(items: Ints, size: int) -> Iterator[Ints]:
    """``items`` in runs of at most ``size``."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
