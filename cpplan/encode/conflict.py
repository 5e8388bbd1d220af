"""Which pins and forbidden decisions leave no plan together, when the kernel alone would fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cpplan.device.device import Device
from cpplan.plan.restrict import Restriction, Term

ROOM = 1 << 40
"""Bytes of SRAM that no plan runs out of."""


def conflict(restriction: Restriction, has_plans: Callable[[Restriction], bool]) -> tuple[Term, ...]:
    """A smallest set of terms that leaves no plan: without any one of them there are plans.

    Found by deletion, halves of the terms first, so that few terms among many take few questions. ``has_plans`` must
    deny the whole restriction and grant the empty one.
    """

    def denied(terms: Sequence[Term]) -> bool:
        dropped = {id(term) for term in restriction.terms} - {id(term) for term in terms}
        return not has_plans(restriction.without([t for t in restriction.terms if id(t) in dropped]))

    def needed(base: list[Term], grown: bool, rest: list[Term]) -> list[Term]:
        """The terms of ``rest`` that contradict ``base``, which has ``grown`` since it was last asked about."""
        if grown and denied(base):
            return []
        if len(rest) == 1:
            return rest
        first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        of_second = needed(base + first, True, second)
        return needed(base + of_second, bool(of_second), first) + of_second

    return tuple(needed([], False, list(restriction.terms)))


def explain_conflict(device: Device, restriction: Restriction, has_plans: Callable[[Device, Restriction], bool]) -> str:
    """One paragraph that names the contradicting terms, and says whether it is SRAM that they run out of."""
    found = {id(term) for term in conflict(restriction, lambda r: has_plans(device, r))}
    core = restriction.only(lambda term: id(term) in found)
    options = [f"--pin {t.text}" for t in core.pins] + [f"--forbid {t.text}" for t in core.forbids]
    text = ", ".join(options)
    said = (
        f"No plan satisfies {text}" if len(options) == 1 else f"No plan satisfies all of {text}: drop any one of them"
    )
    roomy = replace(device, sram=replace(device.sram, size=ROOM))
    if has_plans(roomy, core):
        said += (
            f". The plans that do are too large for SRAM ({device.sram.usable:,} bytes per core of {device.name}): "
            "smaller block shapes, loads in inner loops or depth 1 take less"
        )
    return said
