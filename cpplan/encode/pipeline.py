"""The nested pipeline of the cost model on relaxed figures, for many choices at once.

Figures (:mod:`cpplan.encode.stacked`) know no single links and no choice of network, so no plan is faster than its
choice of levels, depths and deliveries is in figures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cpplan.cost.model import overlapped
from cpplan.cost.table import Kind
from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.weights import SHARED, Floats


def relaxed_makespans(
    device: Device, parents: Sequence[int], kinds: Sequence[Kind], trips: Ints, ops: Ints, level: Ints | Floats,
    depth: Ints | Floats,
    cycles: Floats,
) -> Floats:  # fmt: skip
    """Makespans of n choices of one option per access.

    ``level`` and ``depth`` are (accesses, n), ``cycles`` (figures, accesses, n) as in a
    :class:`cpplan.encode.stacked.Stream`; ``trips`` and ``ops`` (levels, n), or (levels, 1) if all choices share them.
    """
    inside: dict[int, tuple[Floats, Floats]] = {}
    total: dict[int, Floats] = {}
    none: Floats = np.zeros(level.shape[1])
    for here in reversed(range(len(parents))):
        own = cycles * (level == here)
        shared, alone = own[:SHARED].sum(axis=1), own[SHARED]
        inner = none
        for child, parent in enumerate(parents):
            if child and parent == here:
                shared, alone = shared + trips[child] * inside[child][0], alone + trips[child] * inside[child][1]
                inner = inner + total[child]
        inside[here] = shared, alone
        load, alone_load, store, alone_store = (
            _group(own, [a for a, one in enumerate(kinds) if one == kind], depth, d)
            for kind in ("load", "store")
            for d in (2, 1)
        )
        serial = alone_load + alone_store + ops[here] + inner
        busiest = np.maximum(shared.max(axis=0), alone.max(axis=0))
        period = np.maximum(busiest, overlapped(device, load, serial, store))
        total[here] = load + (trips[here] - 1) * period + serial + store
    out: Floats = device.launch_cycles + total[0]
    return out


def _group(own: Floats, members: Sequence[int], depth: Ints | Floats, wanted: int) -> Floats:
    """Time of the transfers of one kind and depth: together at each shared resource, and the longest alone."""
    if not members:
        return np.zeros(own.shape[2])
    here = own[:, members] * (depth[members] == wanted)
    out: Floats = np.maximum(here[:SHARED].sum(axis=1).max(axis=0), here[SHARED].max(axis=0))
    return out
