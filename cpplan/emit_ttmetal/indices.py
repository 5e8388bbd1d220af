"""Index expressions of a schedule as C++ text, and the values that they may take.

All indices are ``int32_t`` and never negative, so division rounds down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cpplan.emit_ttmetal.names import identifier
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.schedule import For, Index, Schedule, Term
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Affine, Profile

Range = tuple[int, int]
"""Least and largest value."""


def index_text(index: Index) -> str:
    """``core_m + 8 * (wave / 2 % 3)``."""
    return _sum([_term(term) for term in index.terms], index.const)


def affine_text(affine: Affine) -> str:
    """``64 * m + 32``."""
    return _sum([_times(identifier(name), factor) for name, factor in affine.terms], affine.const)


def stop_text(schedule: Schedule, loop: For) -> str:
    """Where a loop stops: a number, or what its profile gives for the block of the wave that runs longest."""
    if loop.profile is None:
        return str(loop.stop)
    block = schedule.longest(loop.profile)
    longest = index_text(block)
    last = next(dim.extent for dim in schedule.program.dims if dim.name == loop.profile.dim) - 1
    if not block.terms:
        return str(min(loop.profile.at(min(block.const, last)), loop.stop))
    wanted = trips_text(loop.profile, f"plan::least({longest}, {last})")
    return wanted if loop.stop >= loop.profile.high else f"plan::least({wanted}, {loop.stop})"


def trips_text(profile: Profile, block: str) -> str:
    """Trips of a loop in ``block``, as C++."""
    line = _sum([_times(block, profile.slope)], profile.offset)
    return f"plan::trips({line}, {profile.divisor}, {profile.low}, {profile.high})"


def index_ranges(schedule: Schedule, in_grid: bool = False) -> dict[str, Range]:
    """Values of every dim and loop on any core; blocks beyond the grid are included unless ``in_grid``."""
    spread = {} if in_grid else cores_per_dim(schedule.plan.spatial)
    extents = {dim.name: dim.extent for dim in schedule.program.dims}
    extents |= {loop.name: loop.trips for loop in schedule.program.loops}
    return {
        name: (0, int(ceil_div(extent, spread.get(name, 1))) * spread.get(name, 1) - 1)
        for name, extent in extents.items()
    }


def affine_range(affine: Affine, ranges: Mapping[str, Range]) -> Range:
    """Values of ``affine`` over a box of indices."""
    low = high = affine.const
    for name, factor in affine.terms:
        ends = [factor * end for end in ranges[name]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _term(term: Term) -> str:
    text = identifier(term.symbol)
    text += f" / {term.divisor}" if term.divisor > 1 else ""
    text += f" % {term.modulus}" if term.modulus else ""
    return _times(text, term.factor)


def _times(text: str, factor: int) -> str:
    if factor == 1:
        return text
    return f"{factor} * ({text})" if " " in text else f"{factor} * {text}"


def _sum(terms: Iterable[str], const: int) -> str:
    parts = [*terms, *([str(const)] if const else [])]
    return " + ".join(parts).replace("+ -", "- ") if parts else "0"
