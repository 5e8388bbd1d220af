"""Plan files in which decisions may be absent: pins for a solve, or a whole plan to be evaluated.

The layout is that of plan.json (:mod:`cpplan.plan.schema`); only ``decisions`` is read, and every field in it may be
left out but the names that say what a field is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from cpplan.errors import InputError
from cpplan.plan.files import read_file
from cpplan.plan.plan import LAUNCH, Combine, Pattern, Placement, Plan, Reader, Split
from cpplan.plan.schema import CombineRecord, Count, Name, Positive, Record, SplitRecord
from cpplan.plan.terms import LAUNCH as OUTSIDE
from cpplan.plan.terms import NONE
from cpplan.tile.program import AccessKind

T = TypeVar("T")


class PartialSpatial(Record, frozen=True):
    """What is decided about one spatial dim."""

    dim: Name
    splits: tuple[SplitRecord, ...] | UnsetType = UNSET


class PartialAccess(Record, frozen=True):
    """What is decided about one access; ``kind``, ``tensor`` and ``readers`` are not decisions."""

    access: Name
    kind: AccessKind | UnsetType = UNSET
    tensor: Name | UnsetType = UNSET
    level: str | UnsetType = UNSET
    depth: Literal[1, 2] | UnsetType = UNSET
    groups: tuple[Positive, ...] | UnsetType = UNSET
    pattern: Pattern | UnsetType = UNSET
    noc: Count | UnsetType = UNSET
    reader: Reader | UnsetType = UNSET
    readers: tuple[tuple[Count, ...], ...] | UnsetType = UNSET


class PartialDecisions(Record, frozen=True):
    """What is decided."""

    block: dict[str, int] | UnsetType = UNSET
    spatial: tuple[PartialSpatial, ...] | UnsetType = UNSET
    origin: tuple[Count, ...] | UnsetType = UNSET
    order: tuple[tuple[Name, ...], ...] | UnsetType = UNSET
    combine: CombineRecord | UnsetType | None = UNSET
    accesses: tuple[PartialAccess, ...] | UnsetType = UNSET


class PartialPlan(Record, frozen=True):
    """The whole file; what is not under ``decisions`` may stand there and is passed over."""

    decisions: PartialDecisions
    schema: Literal[1] = 1
    planner: Any = None
    rank: Any = None
    kernel: Any = None
    device: Any = None
    cost: Any = None
    restriction: Any = None
    certificate: Any = None


def read_partial(path: Path) -> PartialDecisions:
    """The decisions in a plan file; raises :class:`InputError` that names the file and the field."""
    try:
        return msgspec.json.decode(read_file(path), type=PartialPlan).decisions
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}: write it like plan.json, leaving out what is open") from error


def pins_of(decisions: PartialDecisions) -> Iterator[str]:
    """What is decided, as the texts of pins."""
    for name, value in _given(decisions.block, {}).items():
        yield f"{name}={value}"
    for dim in _given(decisions.spatial, ()):
        if not isinstance(dim.splits, UnsetType):
            yield f"{dim.dim}={'.'.join(f'{split.dim}/{split.factor}' for split in dim.splits) or NONE}"
    if not isinstance(decisions.origin, UnsetType):
        first = decisions.origin or (0,) * len(_given(decisions.spatial, ()))
        yield from [f"origin={','.join(map(str, first))}"] if first else []
    if not isinstance(decisions.order, UnsetType):
        yield f"order={','.join('.'.join(group) for group in decisions.order) or NONE}"
    if decisions.combine is None:
        yield f"combine={NONE}"
    elif not isinstance(decisions.combine, UnsetType):
        yield f"combine={decisions.combine.method}"
        yield f"combine.noc={decisions.combine.noc}"
    for access in _given(decisions.accesses, ()):
        yield from _pins_of_access(access)


def _pins_of_access(access: PartialAccess) -> Iterator[str]:
    """A reader rule is a decision about multicasts: it says nothing when the pattern is another."""
    named: dict[str, Any] = {"level": access.level, "depth": access.depth, "broadcast": access.pattern}
    named |= {"group": access.groups, "noc": access.noc, "reader": access.reader}
    if access.pattern in ("private", "forward"):
        del named["reader"]
    for decision, value in named.items():
        if value == LAUNCH:
            value = OUTSIDE
        if not isinstance(value, UnsetType):
            yield f"{access.access}.{decision}={'x'.join(map(str, value)) if isinstance(value, tuple) else value}"


def whole_plan(decisions: PartialDecisions, axes: tuple[str, ...], accesses: tuple[str, ...]) -> Plan:
    """The plan that ``decisions`` make up for spatial dims ``axes`` and ``accesses``, with nothing left open.

    Raises :class:`InputError` that lists the fields that are absent or about something else. A private read needs no
    groups, only a multicast a reader, only cores that share a loop a way to combine; block parameters are not checked.
    """
    wrong = list(_absent(decisions, axes, accesses))
    if wrong:
        raise InputError(
            "a plan to evaluate decides everything:\n  " + "\n  ".join(wrong) + "\nsolve with --pin-file to fill it up"
        )
    spatial = {dim.dim: _given(dim.splits, ()) for dim in _given(decisions.spatial, ())}
    there = {access.access: access for access in _given(decisions.accesses, ())}
    way = _given(decisions.combine, None)
    return Plan(
        block=tuple(sorted(_given(decisions.block, {}).items())),
        spatial=tuple(tuple(Split(s.dim, s.factor) for s in spatial[axis]) for axis in axes),
        order=_given(decisions.order, ()),
        placements=tuple(_placement(there[name], len(axes)) for name in accesses),
        combine=None if way is None else Combine(way.method, way.noc),
        origin=_given(decisions.origin, ()),
    )


def _placement(access: PartialAccess, axes: int) -> Placement:
    return Placement(
        access.access,
        _given(access.level, LAUNCH),
        _given(access.depth, 1),
        _given(access.groups, (1,) * axes),
        _given(access.pattern, "private"),
        _given(access.noc, 0),
        _given(access.reader, "first"),
    )


def _absent(decisions: PartialDecisions, axes: tuple[str, ...], accesses: tuple[str, ...]) -> Iterator[str]:
    if decisions.order is UNSET:
        yield "$.decisions.order: absent"
    spatial = {dim.dim: dim for dim in _given(decisions.spatial, ())}
    yield from _unmatched("spatial", list(spatial), axes)
    yield from (f"$.decisions.spatial: {dim} has no splits" for dim, d in spatial.items() if d.splits is UNSET)
    there = {access.access: access for access in _given(decisions.accesses, ())}
    yield from _unmatched("accesses", list(there), accesses)
    for access in there.values():
        needed = ["level", "depth", "pattern", "noc"]
        needed += ["groups"] if access.pattern != "private" else []
        needed += ["reader"] if access.pattern == "multicast" else []
        for name in needed:
            if getattr(access, name) is UNSET:
                yield f"$.decisions.accesses: {access.access} has no {name}"
        if not isinstance(access.groups, UnsetType) and len(access.groups) != len(axes):
            yield f"$.decisions.accesses: groups of {access.access}: expected {len(axes)} sizes"


def _unmatched(field: str, given: list[str], expected: tuple[str, ...]) -> Iterator[str]:
    yield from (f"$.decisions.{field}: {name} is absent" for name in expected if name not in given)
    known = ", ".join(expected)
    yield from (f"$.decisions.{field}: there is no {name} ({known})" for name in given if name not in expected)


def _given(value: T | UnsetType, otherwise: T) -> T:
    return otherwise if isinstance(value, UnsetType) else value
