"""Which pins and forbidden decisions leave no plan together, when the kernel alone would fit, and what would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from cpplan.cost.model import Cost
from cpplan.device.device import Device
from cpplan.encode.infeasible import Change, Demand, Infeasible, with_blame
from cpplan.plan.check import Evaluation
from cpplan.plan.plan import LAUNCH, wave
from cpplan.plan.restrict import Restriction, Term
from cpplan.tile.program import Problem

ROOM = 1 << 40
"""Bytes of SRAM that no plan runs out of."""
TRIED = 8
"""Other values of one pin that are tried, the nearest first."""

Ask = Callable[[Device, Restriction], Evaluation | None]
"""Any plan of the problem on a device under a restriction, or None when there is none."""


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


def explain_conflict(problem: Problem, device: Device, restriction: Restriction, ask: Ask) -> Infeasible:
    """The contradicting terms; where it is SRAM that they run out of, their demand and what would fit instead."""
    found = {id(term) for term in conflict(restriction, lambda r: ask(device, r) is not None)}
    core = restriction.only(lambda term: id(term) in found)
    options = (*(f"--pin {t.text}" for t in core.pins), *(f"--forbid {t.text}" for t in core.forbids))
    candidates = sum(len(family.blocks) for family in problem.families)
    smallest = _smallest(device, core, ask)
    if smallest is None or smallest.cost is None:
        return Infeasible(options, device.name, 0, 0, (), candidates, (), (), options)
    return Infeasible(
        limits=(f"SRAM capacity of {device.name}", *options),
        device=device.name,
        needed_bytes=smallest.cost.sram_bytes,
        limit_bytes=device.sram.usable,
        block=smallest.program.block,
        candidates=candidates,
        buffers=with_blame(_demands(smallest, smallest.cost), device.sram.usable),
        changes=tuple(_other_pins(problem, device, restriction, core, ask)),
        options=options,
    )


def _smallest(device: Device, restriction: Restriction, ask: Ask) -> Evaluation | None:
    """The plan that needs least SRAM, on a device on which none fits; None when even any SRAM is not enough.

    Demands are multiples of the alignment, so halving what lies between ends at the exact one.
    """

    def within(usable: int) -> Device:
        return replace(device, sram=replace(device.sram, size=device.sram.reserved + usable))

    step = device.sram.alignment
    low, best = device.sram.usable // step, ask(within(ROOM), restriction)
    while best is not None and best.cost is not None and best.cost.sram_bytes > (low + 1) * step:
        middle = (low + best.cost.sram_bytes // step) // 2
        found = ask(within(middle * step), restriction)
        low, best = (middle, best) if found is None else (low, found)
    return best


def _demands(found: Evaluation, cost: Cost) -> list[Demand]:
    """Bytes of every buffer of a plan, with the loop in which it is filled and its depth."""
    places = {p.access: p for p in found.plan.placements}
    out = []
    for name, size in cost.buffers:
        where = "kept"
        if name in places:
            level, depth = places[name].level, places[name].depth
            where = (f"at level {level}" if level != LAUNCH else "before all loops") + (" twice" if depth == 2 else "")
        out.append(Demand(name, where, size, False))
    return out


def _other_pins(
    problem: Problem, device: Device, restriction: Restriction, core: Restriction, ask: Ask
) -> Iterator[Change]:
    """For every pin to blame the nearest other value under which everything that was asked for fits."""
    for term in core.pins:
        for value, text in list(_milder(problem, term))[:TRIED]:
            other = replace(term, value=value, text=text)
            pins = tuple(other if pin is term else pin for pin in restriction.pins)
            found = ask(device, replace(restriction, pins=pins))
            if found is not None and found.cost is not None:
                needed, limit = found.cost.sram_bytes, found.cost.sram_limit_bytes
                yield Change("pin", f"use --pin {text}", needed, limit)
                break


def _milder(problem: Problem, term: Term) -> Iterator[tuple[int | str, str]]:
    """Values that take less SRAM than that of ``term``, nearest first: single buffers, inner loops, smaller blocks."""
    if term.decision == "depth" and term.value == 2:
        yield 1, f"{term.subject}.depth=1"
    elif term.decision == "level":
        levels = _levels(problem, term.subject)
        inner = levels[levels.index(str(term.value)) + 1 :] if term.value in levels else levels[1:]
        yield from ((level, f"{term.subject}.level={level}") for level in inner)
    elif term.decision == "block" and isinstance(term.value, int):
        offered = {dict(block).get(term.subject, 0) for family in problem.families for block in family.blocks}
        smaller = sorted((value for value in offered if 0 < value < term.value), reverse=True)
        yield from ((value, f"{term.subject}={value}") for value in smaller)


def _levels(problem: Problem, name: str) -> list[str]:
    """Levels at which access ``name`` may be filled, outermost first."""
    for family in problem.families:
        program = family.stacked
        for access in program.accesses:
            if access.name == name:
                waves = [wave(dim.name) for dim in program.dims]
                return [LAUNCH, *waves, *program.loop_path(access.loop)]
    return [LAUNCH]
