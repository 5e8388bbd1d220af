"""Columns as arrays, and single ones that bounds alone did not decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpplan.encode.blocks import Ints
from cpplan.encode.orders import Order, order_of
from cpplan.encode.search import FamilyFacts


@dataclass(frozen=True)
class ColumnSet:
    """Columns of one family with their bounds in cycles.

    ``spatial`` numbers spreads in the first pass and mappings in the second; ``order`` is the code of the wave loops.
    """

    family: FamilyFacts
    block: Ints
    spatial: Ints
    order: Ints
    bound: Ints

    def take(self, keep: Ints) -> ColumnSet:
        """The columns selected by ``keep``."""
        kept = (getattr(self, name)[keep] for name in ("block", "spatial", "order", "bound"))
        return ColumnSet(self.family, *kept)

    def within(self, limit: int | None) -> ColumnSet:
        """The columns whose bound does not exceed ``limit``."""
        return self if limit is None else self.take(np.nonzero(self.bound <= limit)[0])


@dataclass(frozen=True)
class OpenColumn:
    """One column that bounds alone did not decide."""

    bound: int
    family: FamilyFacts
    block: int
    mapping: int
    order: Order

    @property
    def place(self) -> tuple[int, int, int, Order]:
        """Best bound first, then the fixed order."""
        return (self.bound, self.family.offset + self.block, self.mapping, self.order)


def merged(sets: list[ColumnSet]) -> list[ColumnSet]:
    """One set per family."""
    groups: dict[int, list[ColumnSet]] = {}
    for item in sets:
        groups.setdefault(item.family.offset, []).append(item)
    return [
        ColumnSet(
            items[0].family,
            *(np.concatenate([getattr(i, name) for i in items]) for name in ("block", "spatial", "order", "bound")),
        )
        for items in groups.values()
    ]


def listed(columns: ColumnSet) -> list[OpenColumn]:
    dims = len(columns.family.facts.program.dims)
    rows = zip(*(getattr(columns, name).tolist() for name in ("bound", "block", "spatial", "order")), strict=True)
    return [OpenColumn(b, columns.family, block, mapping, order_of(code, dims)) for b, block, mapping, code in rows]
