"""What a restriction leaves of single accesses, as far as bounds look at them: a superset, so that they stay bounds.

A plan costs the same in all its forms, so bounds may be taken of the form that satisfies the restriction, where every
access has its own placement: alike accesses need no care here.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The terms about one access."""

    access: str
    terms: Restriction

    def has_pattern(self, pattern: Pattern) -> bool:
        """Whether deliveries of this pattern may be left."""
        patterns = self.terms.only(lambda t: t.decision == "broadcast" and isinstance(t.value, str))
        return patterns.satisfied(lambda t: t.value == pattern) and all(_may_have(t, pattern) for t in self.terms.pins)

    def has_some_pattern(self) -> bool:
        """Whether any pattern may be left: pins of sharing may contradict each other in every mapping."""
        patterns: tuple[Pattern, ...] = ("private", "multicast", "forward")
        return any(self.has_pattern(pattern) for pattern in patterns)

    def at_waves(self, names: Sequence[str]) -> Bools:
        """(sets,) whether the level inside the loops of a set of dims, bit i for ``names[i]``, may be left.

        Set 0 is the launch. A level is named after the innermost part of its fused loop, so all that is known is that
        a pinned name is part of the set.
        """
        sets = (frozenset(n for bit, n in enumerate(names) if s >> bit & 1) for s in range(1 << len(names)))
        return np.array([self._may_sit_inside(s) for s in sets], dtype=bool)

    def _may_sit_inside(self, loops: frozenset[str]) -> bool:
        """Whether a transfer may sit at the level right inside ``loops``; at the launch when there are none."""
        levels = self.terms.about("level")
        if not loops:
            return levels.satisfied(lambda t: t.value == LAUNCH)
        pinned = [str(t.value).split(".") for t in levels.pins]
        return all(head == "wave" and dims and loops.issuperset(dims) for head, *dims in pinned)

    def at_loop(self, loop: str) -> bool:
        """Whether the level of a loop inside the block may be left."""
        return self.terms.about("level").satisfied(lambda t: t.value == loop)

    def has_depth(self, depth: int) -> bool:
        """Whether buffers of this depth may be left."""
        return self.terms.about("depth").satisfied(lambda t: t.value == depth)

    def deliveries(self, device: Device, spatial: Spatial, found: tuple[Delivery, ...]) -> tuple[Delivery, ...]:
        """Those of ``found`` that may be left."""
        asked = self.terms.about("broadcast", "group", "noc", "reader")
        return _left(self.access, asked, device, spatial, found) if asked else found


def _may_have(pin: Term, pattern: Pattern) -> bool:
    """Whether a pin of who shares or who reads may hold of deliveries of a pattern."""
    if pin.decision == "reader":
        return pattern == "multicast"
    if pin.decision == "group":
        return any(size > 1 for size in cast(tuple[int, ...], pin.value)) == (pattern != "private")
    if pin.decision == "broadcast" and isinstance(pin.value, tuple):
        return bool(pin.value) == (pattern != "private")
    return True


@lru_cache(maxsize=1 << 14)
def _left(
    access: str, asked: Restriction, device: Device, spatial: Spatial, found: tuple[Delivery, ...]
) -> tuple[Delivery, ...]:
    places = (Placement(access, LAUNCH, 1, way.groups, way.pattern, way.noc, way.reader) for way in found)
    return tuple(p.delivery for p in places if asked.allows_place(device, spatial, access, p, (LAUNCH,)))


def scopes(program: TileProgram, restriction: Restriction) -> tuple[Scope, ...]:
    """One per access of a stacked program; nothing when no access is restricted."""
    found = tuple(Scope(access.name, restriction.of_access(access.name)) for access in program.accesses)
    return found if any(scope.terms for scope in found) else ()
