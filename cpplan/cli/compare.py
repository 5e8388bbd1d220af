"""Two plans side by side: the decisions that differ, and every cost term that differs."""

from __future__ import annotations

from collections.abc import Iterator

from cpplan.cli import words
from cpplan.plan.schema import LevelRecord, PlanFile

RANKING = (
    ("makespan_cycles", "cycles"),
    ("dram_bytes", "bytes over the DRAM ports"),
    ("noc_bytes", "bytes times links over the networks"),
    ("sram_bytes", "bytes of SRAM"),
)
"""What plans are ranked by, first to last (the fixed order of the space decides what is still equal)."""

LEVEL_TERMS = ("load", "store", "serial_load", "serial_store", "combine", "ops", "busiest", "period", "total")


def verdict(one: PlanFile, other: PlanFile) -> str:
    """The first ranking criterion in which ``other`` differs from ``one``, in words."""
    for field, unit in RANKING:
        mine, theirs = getattr(one.cost, field), getattr(other.cost, field)
        if mine != theirs:
            share = f" ({theirs / mine - 1:+.1%})" if mine else ""
            return f"it takes {abs(theirs - mine):,} {'more' if theirs > mine else 'fewer'} {unit}{share}"
    return "it costs exactly the same and comes later in the fixed order"


def decisions_that_differ(one: PlanFile, other: PlanFile) -> list[tuple[str, str, str]]:
    """(decision, its value in ``one``, its value in ``other``) wherever they differ."""
    there = dict(_decisions(other))
    pairs = ((name, value, there.get(name, "-")) for name, value in _decisions(one))
    return [(name, value, counterpart) for name, value, counterpart in pairs if value != counterpart]


def _decisions(file: PlanFile) -> Iterator[tuple[str, str]]:
    yield "block", words.block(file.decisions)
    yield "mapping", words.mapping(file.decisions)
    yield "first core", words.first_core(file.decisions.origin)
    yield "waves", words.order(file.decisions)
    for access in file.decisions.accesses:
        yield access.access, words.movement(access, words.dims(file))


def terms(one: PlanFile, other: PlanFile) -> list[tuple[str, int, int]]:
    """(cost term, its value in ``one``, its value in ``other``) wherever they differ; a missing level counts as 0."""
    mine, theirs = dict(_terms(one)), dict(_terms(other))
    names = list(dict.fromkeys([*mine, *theirs]))
    return [
        (name, mine.get(name, 0), theirs.get(name, 0)) for name in names if mine.get(name, 0) != theirs.get(name, 0)
    ]


def _terms(file: PlanFile) -> Iterator[tuple[str, int]]:
    cost = file.cost
    yield "makespan cycles", cost.makespan_cycles
    yield "DRAM bytes", cost.dram_bytes
    yield "NoC bytes", cost.noc_bytes
    yield "SRAM bytes", cost.sram_bytes
    yield "cores", cost.cores
    for item in cost.traffic:
        yield f"DRAM bytes of {item.name}", item.bytes
    for item in cost.buffers:
        yield f"SRAM bytes of {item.name}", item.bytes
    for level in cost.levels:
        yield from _level_terms(level)


def _level_terms(level: LevelRecord) -> Iterator[tuple[str, int]]:
    yield f"{level.name}: trips", level.trips
    for term in LEVEL_TERMS:
        yield f"{level.name}: {term.replace('_', ' ')} cycles", int(getattr(level, term))


def busy(one: PlanFile, other: PlanFile) -> list[tuple[str, float, float]]:
    """(kind of resource, its busy share of ``one``'s time, its busy share of ``other``'s) wherever they differ."""
    mine, theirs = one.cost.utilisation, other.cost.utilisation
    return [(name, mine[name], theirs.get(name, 0.0)) for name in mine if mine[name] != theirs.get(name, 0.0)]
