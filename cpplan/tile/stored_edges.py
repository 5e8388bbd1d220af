"""Tiles in block formats that reach beyond what takes part in an access: 16 neighbours share an exponent.

Elements that a mask replaces can become zeros, whose exponent does not matter, and nothing else; those of bfp4_b, of
which two share a byte, not even that. What is computed beyond a tensor is anything: no result may share its exponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cpplan.tile.arith import Int
from cpplan.tile.program import HARDWARE_TILE, Access, Affine, TileProgram

SHARING = 16
"""Neighbours in a row of a hardware tile that share an exponent."""

NOTHING = Affine()


def why_not_at_edges(program: TileProgram, access: Access) -> str:
    """Why ``access``, of a matrix in a block format, cannot have its edges where they are; "" if it can.

    Of a stacked program all block shapes have to fail. The answer ends with what to do instead.
    """
    line = f" ({access.source})" if access.source else ""
    if access.kind != "load":
        cut = _ends_of_rows(program, access)
        if not _everywhere([number % SHARING != 0 for number in cut]):
            return ""
        long = next((f" of {n} elements" for n in cut if np.ndim(n) == 0 and n % SHARING), "")
        return (
            f"it is written in rows{long}{line}: {SHARING} neighbours share an exponent, so what is computed beyond "
            f"the last ones would spoil these. Make the rows a multiple of {SHARING} long, or leave its --format out"
        )
    axes = range(len(access.tile))
    if access.fill is None:
        return ""
    if access.fill != 0.0:
        fails = [test(program, access, axis) for axis in axes for test in (_is_cut, _overhangs)]
        advice = "only zeros can be filled in there. Load with other=0.0 and mask the value instead (tl.where)"
    elif program.tensor(access.tensor).dtype == "bfp8_b":
        return ""
    else:
        tests = (_is_cut, _overhangs) if program.is_written(access.tensor) else (_is_cut,)
        fails = [test(program, access, axis) for axis in _rows_and_columns(access) for test in tests]
        advice = "of bfp4_b two share a byte as well. Store it as bfp8_b, or use blocks that end with the tensor"
    if not _everywhere(fails):
        return ""
    return (
        f"the mask of load {access.name}{line} puts {access.fill} in place of elements that share exponents with "
        f"others: {advice}, or leave its --format out"
    )


def _rows_and_columns(access: Access) -> list[int]:
    """The axes that hardware tiles lie over; empty where that depends on the block shape."""
    long = [np.asarray(extent) > 1 for extent in access.tile]
    if any(np.any(is_long) != np.all(is_long) for is_long in long):
        return []
    return [axis for axis, is_long in enumerate(long) if np.all(is_long)][-2:]


def _ends_of_rows(program: TileProgram, access: Access) -> list[Int]:
    """Elements after which a row of a hardware tile ends or begins inside the memory of the tensor."""
    axes = _rows_and_columns(access)
    if not axes:
        return []
    start, step = access.starts[axes[-1]], access.tile[axes[-1]]
    for _, factor in start.terms:
        step = np.gcd(step, factor)
    unit = np.where(np.asarray(step) % HARDWARE_TILE == 0, HARDWARE_TILE, step)[()]
    return [program.tensor(access.tensor).shape[axes[-1]], unit, -start.const % unit]


def _is_cut(program: TileProgram, access: Access, axis: int) -> Int:
    """Whether the kernel's mask ends inside a tile and inside the tensor, in some block."""
    if not access.bounds:
        return False
    start, tile, extent = access.starts[axis], access.tile[axis], program.tensor(access.tensor).shape[axis]
    out: Int = False
    for begin in access.bounds[axis].begins:
        out = out | (_range(program, begin)[1] > 0) & (_range(program, begin, start)[1] > 0)
    for end in access.bounds[axis].ends:
        out = out | (_range(program, end)[0] < extent) & (_range(program, end, start)[0] < tile)
    return out


def _overhangs(program: TileProgram, access: Access, axis: int) -> Int:
    """Whether a tile reaches beyond the tensor, in some block."""
    low, high = _range(program, access.starts[axis])
    return (low < 0) | (high + access.tile[axis] > program.tensor(access.tensor).shape[axis])


def _range(program: TileProgram, affine: Affine, less: Affine = NOTHING) -> tuple[Int, Int]:
    """Least and largest value of ``affine - less`` over all blocks of the grid and trips of loops."""
    most = {dim.name: dim.extent - 1 for dim in program.dims}
    most |= {loop.name: loop.trips - 1 for loop in program.loops}
    low: Int = affine.const - less.const
    high = low
    for name in dict.fromkeys(name for name, _ in (*affine.terms, *less.terms)):
        reach = (affine.coefficient(name) - less.coefficient(name)) * most[name]
        low, high = low + np.minimum(reach, 0), high + np.maximum(reach, 0)
    return low, high


def _everywhere(conditions: Sequence[Any]) -> bool:
    """Whether one of ``conditions`` holds of each block shape."""
    out: Any = False
    for condition in conditions:
        out = out | np.asarray(condition)
    return bool(np.all(out))
