"""Restrictions of the plan space: decisions that a user pins or forbids.

A :class:`Term` says one thing about a plan; a plan satisfies a :class:`Restriction` when all pinned terms hold of it
and no forbidden one does. A term about something that a plan does not have (a block parameter of another kernel, an
access of another variant) does not hold. Terms are about plans as they are written, not about canonical forms: of a
class of equal plans, the forms that satisfy the restriction are in the space (docs/encoding.md, section 8). What one
form may be called by two names (a reader rule, a fused loop) has both: a term holds when it holds by some name.

:mod:`cpplan.plan.terms` reads terms from text, :mod:`cpplan.plan.partial` from plan files.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, cast

from cpplan.device.device import Device
from cpplan.device.free_boxes import Coordinate, seen_from
from cpplan.plan.forms import nestings, rules_of
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.plan import Combine, Order, Placement, Plan, Reader, Split, wave
from cpplan.plan.space import Spatial

Decision = Literal[
    "block", "cores", "on", "digits", "origin", "order", "combine", "combine noc", "level", "depth", "broadcast",
    "group", "noc", "reader",
]  # fmt: skip
OF_ACCESS: tuple[Decision, ...] = ("level", "depth", "broadcast", "group", "noc", "reader")
"""Decisions that every access has."""

EXACT: tuple[Decision, ...] = (
    "block", "cores", "on", "digits", "origin", "combine", "combine noc", "depth", "group", "noc",
)  # fmt: skip
"""Decisions that have one value by one name: no two different ones hold of a plan."""

Loops = tuple[frozenset[str], ...]
"""Wave loops, outermost first, each as the set of parallel dims that it fuses."""


@dataclass(frozen=True)
class Term:
    """``decision`` about ``subject`` has ``value``.

    ========== ================ ===========================================================================
    decision   subject          value
    ========== ================ ===========================================================================
    block      block parameter  int
    cores      dim or loop      cores that it is spread over
    on         dim or loop      tuple of the numbers of the spatial dims that it uses, all of them
    digits     spatial dim      (its number, tuple of splits, most significant first)
    origin     ""               first core in use, as :class:`~cpplan.plan.plan.Plan` has it
    order      ""               wave loops as :data:`Loops`, all of them
    combine    ""               how cores that share a loop combine, None when they share none
    combine noc ""              number of the network that they combine over; holds of shared loops only
    level      access           level name as :func:`level_name` writes it
    depth      access           1 or 2
    broadcast  access           a pattern, or the tuple of the spatial dims along which its reads are shared
    group      access           tuple of group sizes
    noc        access           number of the network
    reader     access           a reader rule; holds for every rule that names the same cores, of multicasts only
    ========== ================ ===========================================================================

    ``text`` is what the user wrote.
    """

    decision: Decision
    subject: str
    value: Hashable
    text: str = field(default="", compare=False)


def level_name(level: str) -> str:
    """``level`` with the dims of a fused wave loop in alphabetical order."""
    head, *dims = level.split(".")
    return wave(*sorted(dims)) if head == "wave" and dims else level


@dataclass(frozen=True)
class Restriction:
    """Terms that must hold and terms that must not."""

    pins: tuple[Term, ...] = ()
    forbids: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pins or self.forbids)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, pinned ones first."""
        return self.pins + self.forbids

    def about(self, *decisions: Decision) -> Restriction:
        """The terms about ``decisions``."""
        return self.only(lambda term: term.decision in decisions)

    def only(self, wanted: Callable[[Term], bool]) -> Restriction:
        """The terms that are ``wanted``."""
        return Restriction(tuple(t for t in self.pins if wanted(t)), tuple(t for t in self.forbids if wanted(t)))

    def without(self, dropped: Iterable[Term]) -> Restriction:
        """All terms but ``dropped``, which are told apart by identity: one pin may be given twice."""
        gone = {id(term) for term in dropped}
        return self.only(lambda term: id(term) not in gone)

    def satisfied(self, holds: Callable[[Term], bool]) -> bool:
        """Whether all pins and no forbids hold."""
        return all(holds(t) for t in self.pins) and not any(holds(t) for t in self.forbids)

    def allows(self, device: Device, plan: Plan) -> bool:
        """Whether ``plan`` satisfies the restriction as it is written; its forms may differ."""
        device = seen_from(device, plan.origin)
        digits = (self.allows_digits(axis, splits) for axis, splits in enumerate(plan.spatial))
        if not (self.allows_block(plan.block) and self.allows_box(plan.spatial, plan.origin) and all(digits)):
            return False
        if not self.allows_combine(plan.combine):
            return False
        names = level_names(plan.order)
        return self.allows_order(plan.order) and all(
            self.allows_place(device, plan.spatial, place.access, place, names.get(place.level, (place.level,)))
            for place in plan.placements
        )

    def allows_block(self, block: tuple[tuple[str, int], ...]) -> bool:
        """Whether block parameters satisfy the terms about them."""
        chosen = dict(block)
        return self.about("block").satisfied(lambda t: chosen.get(t.subject) == t.value)

    def allows_cores(self, spatial: Spatial) -> bool:
        """Whether a mapping gives dims and loops the cores and spatial dims that the terms about them ask for."""
        cores = cores_per_dim(spatial)

        def holds(term: Term) -> bool:
            if term.decision == "cores":
                return cores.get(term.subject, 1) == term.value
            return term.value == tuple(i for i, q in enumerate(spatial) if any(s.dim == term.subject for s in q))

        return self.about("cores", "on").satisfied(holds)

    def allows_origin(self, origin: Coordinate) -> bool:
        """Whether the cores in use may start at ``origin``."""
        return self.about("origin").satisfied(lambda t: t.value == origin)

    def allows_box(self, spatial: Spatial, origin: Coordinate) -> bool:
        """:meth:`allows_cores` and :meth:`allows_origin`."""
        return self.allows_cores(spatial) and self.allows_origin(origin)

    def allows_digits(self, axis: int, splits: tuple[Split, ...]) -> bool:
        """Whether spatial dim number ``axis`` may have the digits ``splits``, in this order."""
        own = self.about("digits").only(lambda t: isinstance(t.value, tuple) and t.value[0] == axis)
        return own.satisfied(lambda t: t.value == (axis, splits))

    def allows_combine(self, combine: Combine | None) -> bool:
        """Whether cores may combine in this way (None: they share no loop)."""
        method, noc = (None, None) if combine is None else (combine.method, combine.noc)
        return self.about("combine").satisfied(lambda t: t.value == method) and self.about("combine noc").satisfied(
            lambda t: combine is not None and t.value == noc
        )

    def allows_order(self, order: Order) -> bool:
        """Whether wave loops, fused ones with their dims in this order, satisfy the terms about the wave order."""
        return self.about("order").satisfied(lambda t: t.value in nested_loops(order))

    def allows_place(
        self, device: Device, spatial: Spatial, access: str, place: Placement, levels: Collection[str]
    ) -> bool:
        """Whether ``place``, at a level that goes by any name of ``levels``, satisfies the terms about ``access``."""

        def holds(term: Term) -> bool:
            if term.decision == "level":
                return term.value in levels
            if term.decision == "broadcast":
                return term.value in (place.pattern, tuple(i for i, g in enumerate(place.groups) if g > 1))
            if term.decision == "reader":
                return place.pattern == "multicast" and term.value in rules_of(device, spatial, place)
            found = {"depth": place.depth, "group": place.groups, "noc": place.noc}
            return term.value == found[term.decision]

        return self.of_access(access).satisfied(holds)

    def allows_level(self, names: Collection[str]) -> bool:
        """Whether a transfer may sit at a level that goes by ``names``, by the terms about levels of its access."""
        return self.about("level").satisfied(lambda t: t.value in names)

    def contradicts_itself(self) -> bool:
        """Whether no plan of any kernel can satisfy the pins: a quick look, not a proof that one can."""
        pinned: dict[tuple[Decision, str], Hashable] = {}
        for pin in self.pins:
            if pin.decision in EXACT and pinned.setdefault((pin.decision, pin.subject), pin.value) != pin.value:
                return True
            if pin.decision == "group" and any(_other_axes(pin, other) for other in self.pins):
                return True
        return bool(set(self.pins) & set(self.forbids))

    def by_pinned_name(self, plan: Plan) -> Plan:
        """``plan``, which satisfies the restriction, with its readers under the names that are pinned."""
        pinned = {t.subject: cast(Reader, t.value) for t in reversed(self.about("reader").pins)}
        named = (replace(place, reader=pinned.get(place.access, place.reader)) for place in plan.placements)
        return replace(plan, placements=tuple(named))

    def of_access(self, access: str) -> Restriction:
        """The terms about one access."""
        return self.only(lambda t: t.decision in OF_ACCESS and t.subject == access)


FREE = Restriction()
"""No restriction."""


def _other_axes(group: Term, other: Term) -> bool:
    """Whether ``other`` asks to share along other spatial dims than groups of the given sizes do."""
    if (other.decision, other.subject) != ("broadcast", group.subject) or not isinstance(other.value, tuple):
        return False
    return other.value != tuple(axis for axis, size in enumerate(cast(tuple[int, ...], group.value)) if size > 1)


def as_loops(order: Iterable[Iterable[str]]) -> Loops:
    """Wave loops with the dims of each as a set."""
    return tuple(frozenset(group) for group in order)


@lru_cache(maxsize=1 << 12)
def nested_loops(order: Order) -> frozenset[Loops]:
    """All that ``order`` may be called: a fused loop is also loops inside each other, over its dims in their order."""
    nested = itertools.product(*(nestings(group) for group in order))
    return frozenset(as_loops(itertools.chain.from_iterable(loops)) for loops in nested)


def level_names(order: Order) -> dict[str, tuple[str, ...]]:
    """All names of every wave level: transfers in a fused loop sit in the innermost of the loops it may be read as."""
    return {wave(*group): tuple(level_name(wave(*group[first:])) for first in range(len(group))) for group in order}
