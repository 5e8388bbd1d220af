"""Accesses of one program that may trade their placements: the cost model and the plan space see no difference.

Three loads of one stencil at shifted addresses are such a class. Plans that differ in who has which placement are one
plan; the one listed has the placements of a class in the fixed order.
"""

from __future__ import annotations

from collections.abc import Hashable

from cpplan.tile.layout import hardware_tiles
from cpplan.tile.program import Access, TileProgram


def facts(program: TileProgram, access: Access) -> tuple[Hashable, ...]:
    """All that the cost model and the space see of an access besides its indices."""
    return (
        access.kind,
        access.loop,
        access.klass,
        hardware_tiles(access.tile, program.in_runs),
        program.tensor(access.tensor).dtype,
        program.is_written(access.tensor),
    )


def alike(program: TileProgram) -> list[tuple[int, ...]]:
    """Classes of two and more accesses of equal facts and indices, as numbers in the program's order."""
    classes: dict[Hashable, list[int]] = {}
    for number, access in enumerate(program.accesses):
        classes.setdefault((facts(program, access), access.indices), []).append(number)
    return [tuple(members) for members in classes.values() if len(members) > 1]
