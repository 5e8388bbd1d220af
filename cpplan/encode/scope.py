"""What a restriction leaves of single accesses, as far as bounds look at them: a superset, so that they stay bounds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
import numpy.typing as npt

from cpplan.device.device import Device
from cpplan.plan.plan import LAUNCH, Delivery, Pattern, Placement
from cpplan.plan.restrict import Restriction, Term
from cpplan.plan.space import Spatial
from cpplan.tile.program import TileProgram

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Scope:
    """The terms about one access; one entry per access that may trade placements with it, itself included."""

    terms: tuple[tuple[str, Restriction], ...]

    def has_pattern(self, pattern: Pattern) -> bool:
        """Whether deliveries of this pattern may be left."""
        shared = pattern != "private"

        def may(own: Restriction) -> bool:
            patterns = own.only(lambda t: t.decision == "broadcast" and isinstance(t.value, str))
            widths = Restriction(own.about("broadcast", "group").pins).only(lambda t: isinstance(t.value, tuple))
            sharing = (any(n > 1 for n in _sizes(t)) if t.decision == "group" else bool(t.value) for t in widths.pins)
            return patterns.satisfied(lambda t: t.value == pattern) and all(s == shared for s in sharing)

        return any(may(own) for _, own in self.terms)

    def at_waves(self, names: Sequence[str]) -> Bools:
        """(sets,) whether the level inside the loops of a set of dims, bit i for ``names[i]``, may be left.

        Set 0 is the launch. A level is named after the innermost part of its fused loop, so all that is known is that
        a pinned name is part of the set.
        """
        sets = [frozenset(n for bit, n in enumerate(names) if s >> bit & 1) for s in range(1 << len(names))]
        return np.array([any(_may_sit_inside(own, s) for _, own in self.terms) for s in sets], dtype=bool)

    def at_loop(self, loop: str) -> bool:
        """Whether the level of a loop inside the block may be left."""
        return any(own.about("level").satisfied(lambda t: t.value == loop) for _, own in self.terms)

    def has_depth(self, depth: int) -> bool:
        """Whether buffers of this depth may be left."""
        return any(own.about("depth").satisfied(lambda t: t.value == depth) for _, own in self.terms)

    def deliveries(self, device: Device, spatial: Spatial, found: tuple[Delivery, ...]) -> tuple[Delivery, ...]:
        """Those of ``found`` that may be left."""
        asked = [(name, own.about("broadcast", "group", "noc", "reader")) for name, own in self.terms]
        if not all(own for _, own in asked):
            return found
        return _left(tuple(asked), device, spatial, found)


@lru_cache(maxsize=1 << 14)
def _left(
    asked: tuple[tuple[str, Restriction], ...], device: Device, spatial: Spatial, found: tuple[Delivery, ...]
) -> tuple[Delivery, ...]:
    def may(way: Delivery) -> bool:
        place = Placement("", LAUNCH, 1, way.groups, way.pattern, way.noc, way.reader)
        return any(own.allows_place(device, spatial, name, place, (LAUNCH,)) for name, own in asked)

    return tuple(way for way in found if may(way))


def _sizes(term: Term) -> tuple[int, ...]:
    return cast(tuple[int, ...], term.value)


def _may_sit_inside(own: Restriction, loops: frozenset[str]) -> bool:
    """Whether a transfer may sit at the level right inside ``loops``; at the launch when there are none."""
    levels = own.about("level")
    if not loops:
        return levels.satisfied(lambda t: t.value == LAUNCH)
    pinned = [str(t.value).split(".") for t in levels.pins]
    return all(head == "wave" and dims and loops.issuperset(dims) for head, *dims in pinned)


def scopes(program: TileProgram, restriction: Restriction) -> tuple[Scope, ...]:
    """One per access of a stacked program; nothing when no access is restricted."""
    if not any(restriction.of_access(access.name) for access in program.accesses):
        return ()
    kinds: dict[Hashable, list[str]] = {}
    for access in program.accesses:
        kinds.setdefault((access.kind, access.loop, access.klass, access.indices), []).append(access.name)
    alike = {name: names for names in kinds.values() for name in names}
    return tuple(
        Scope(tuple((name, restriction.of_access(name)) for name in alike[access.name])) for access in program.accesses
    )
