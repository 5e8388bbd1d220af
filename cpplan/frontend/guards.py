"""What masks say about an access: where elements of each axis begin and end to take part, and what fills the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from cpplan.frontend.affine import RawAccess
from cpplan.frontend.axes import AxisMap, guarded_axis, mask_forms
from cpplan.frontend.generic import Operation, Value
from cpplan.frontend.linear import Linear
from cpplan.frontend.numbering import Maps, Numbering
from cpplan.tile.program import Affine, Bounds

PADDINGS = {1: 0.0, 2: math.nan}
"""``padding`` attribute of block pointers and descriptors to what lies outside of them."""


@dataclass(frozen=True)
class Guard:
    """The mask of an access: ``bounds`` per axis (empty without a mask, and where addresses follow no axes), whether it
    ``follows`` axes, so that they are all of it, and the constant ``fill`` that stands for elements which take no part.
    ``whole``: the two say all that the mask does."""

    bounds: tuple[Bounds, ...]
    follows: bool
    whole: bool
    fill: float | None


def guard_of(raw: RawAccess, maps: Maps, numbering: Numbering, cut: bool, padding: float | None, fold: bool) -> Guard:
    """The guard of an access. Wraps of its address are bounds where a store cuts them (``cut``), ``padding`` is that of
    a descriptor made by the host, and with ``fold`` parts of a mask that hold everywhere do not count."""
    fill, constant = _fill(raw, padding), not _is_computed(raw.other)
    wraps = [wrap.below_bound for wrap in raw.offset.wraps] if cut else []
    if maps is None or (raw.mask is None and not wraps):
        return Guard((), raw.masked_by is None, raw.masked_by is None, fill)
    forms = [(_sides(maps, form, numbering), fold and proved) for form, proved in mask_forms(raw, maps)]
    found = all(side is not None or always for side, always in forms)
    exact = raw.mask is None or raw.mask.exact
    follows = raw.masked_by is None or (found and exact)  # descriptors have nothing but their ends
    sides = [*(side for side, _ in forms), *(_sides(maps, form, numbering) for form in wraps)]
    bounds = tuple(_bounds(axis, sides) for axis in range(len(maps)))
    return Guard(bounds, follows, follows and constant, fill)


Side = tuple[int, Affine | None, Affine | None]
"""Axis, begin, end: a form that bounds one axis from one side."""


def _bounds(axis: int, sides: Iterable[Side | None]) -> Bounds:
    mine = [side for side in sides if side is not None and side[0] == axis]
    begins = tuple(begin for _, begin, _ in mine if begin is not None)
    return Bounds(begins, tuple(end for _, _, end in mine if end is not None))


def _sides(maps: tuple[AxisMap, ...], form: Linear, numbering: Numbering) -> Side | None:
    """How a form ``>= 0`` bounds one axis, if it does so by something affine."""
    found = guarded_axis(maps, form)
    if found is None:
        return None
    axis, guard = found
    if guard.limit is not None or guard.floor is not None:
        begin, end = (None if n is None else Affine(n) for n in (guard.floor, guard.limit))
        return axis, begin, end
    begin, end = (numbering.affine(side[0]) if side else None for side in (guard.begins, guard.ends))
    return None if begin is None and end is None else (axis, begin, end)


def _fill(raw: RawAccess, padding: float | None) -> float | None:
    """What a load gives where its mask is false, if that is a constant."""
    if raw.kind != "load" or raw.mask is None:
        return None
    if raw.other is None:
        return _padding(raw.op, padding)
    value = None if raw.other.op is None or _is_computed(raw.other) else raw.other.op.attributes.get("value")
    if not isinstance(value, (int, float)):
        return None
    return math.nan if math.isnan(value) else float(value)


def _is_computed(value: Value | None) -> bool:
    return value is not None and (value.op is None or value.op.name != "arith.constant")


def _padding(op: Operation, padding: float | None) -> float | None:
    """Descriptors pad with zeros unless they were made with NaN, block pointers as the load says."""
    if op.name != "tt.descriptor_load":
        return PADDINGS.get(op.integer("padding", 0))
    maker = op.operands[0].op
    return padding if maker is None else PADDINGS.get(maker.integer("padding", 1))
