"""A flat element offset spread over the axes of its tensor.

``offset = sum(stride[j] * position[j])``: lanes, loops and grid terms are handed to axes by their strides. When a
kernel sees several contiguous axes as one (``pid * BLOCK + lane`` over a matrix), those axes are merged in the view;
when its masks end equal groups along one axis (the query heads of a key head, the halves of a row), that axis is split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cpplan.frontend.affine import RawAccess
from cpplan.frontend.linear import Atom, Linear
from cpplan.frontend.space import Space


@dataclass(frozen=True)
class View:
    """Shape and strides (elements) under which a tensor's accesses are described."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def merged(self, axis: int) -> View | None:
        """``axis`` fused with its outer neighbour, or None when the two are not contiguous."""
        if axis < 1 or self.strides[axis - 1] != self.shape[axis] * self.strides[axis]:
            return None
        shape = (*self.shape[: axis - 1], self.shape[axis - 1] * self.shape[axis], *self.shape[axis + 1 :])
        return View(shape, (*self.strides[: axis - 1], *self.strides[axis:]))

    def split(self, axis: int, inner: int) -> View:
        """``axis`` as groups of ``inner`` elements, which divides its extent."""
        shape = (*self.shape[:axis], self.shape[axis] // inner, inner, *self.shape[axis + 1 :])
        return View(shape, (*self.strides[:axis], self.strides[axis] * inner, *self.strides[axis:]))


@dataclass(frozen=True)
class AxisMap:
    """What an access touches along one axis: ``tile`` elements from ``start``; ``lanes`` slow to fast.

    ``contiguous`` is False when the lanes skip elements, ``tile`` then spans them. A mask includes indices from
    ``floor`` on and excludes those from ``limit`` on (None: unguarded on that side), and likewise those below
    ``begins`` and from ``ends`` on, which vary over the grid or the loops; ``guarded`` says whether it ever cuts, and
    ``wrapped`` that the limit is the modulus of a wrap, not a mask. ``overrun``: positions leave the tensor although
    nothing guards them.
    """

    start: Linear
    tile: int = 1
    lanes: tuple[int, ...] = ()
    contiguous: bool = True
    limit: int | None = None
    floor: int | None = None
    guarded: bool = False
    wrapped: bool = False
    overrun: bool = False
    begins: tuple[Linear, ...] = ()
    ends: tuple[Linear, ...] = ()


class OtherView(Exception):
    """The kernel sees the tensor as ``view``: axes are ``merged`` where positions leave one, else split by a mask."""

    def __init__(self, view: View, merged: bool) -> None:
        super().__init__(view)
        self.view, self.merged = view, merged


def spread(access: RawAccess, view: View, space: Space, may_split: bool = True) -> tuple[AxisMap, ...] | None:
    """One :class:`AxisMap` per axis of ``view``; None when the strides do not divide the offset's terms.

    Raises :class:`OtherView` when positions leave an inner axis or a mask ends groups along one.
    """
    with space.running(access.valid):
        lanes, starts = _lanes_per_axis(access, view), _starts(access, view)
        if lanes is None or starts is None:
            return None
        maps = _maps(starts, lanes, access)
        axis = _overflowing(maps, view, space)
        if axis is not None:
            divided, merged = _divided(access, lanes, view, space), view.merged(axis)
            # a kernel that divides its program id means the axes; one that does not sees them as one
            if merged is not None and (divided is None or "table" not in access.offset.kinds()):
                raise OtherView(merged, merged=True)
            if divided is None:
                return None
            maps = divided
        split = _split_by_mask(access, maps, view, space) if may_split else None
        if split is not None:
            raise OtherView(split, merged=False)
        return tuple(_checked(axis, item, view, space) for axis, item in enumerate(maps))


def _split_by_mask(access: RawAccess, maps: tuple[AxisMap, ...], view: View, space: Space) -> View | None:
    """A mask that cuts tiles where a group of ``n`` elements ends: ``lane < n`` around starts that are multiples of
    ``n``, or ``position < n``."""
    lane_ends = _lane_ends(access)
    for axis, item in enumerate(maps):
        if len(item.lanes) != 1 or not item.contiguous or item.wrapped or not item.guarded:
            continue
        ends_at = item.limit if item.limit is not None and item.limit > 1 else None
        group = ends_at or lane_ends.get(item.lanes[0], 0)
        starts = space.array(item.start) if 0 < group < view.shape[axis] else None
        inside = starts is not None and (ends_at is not None or not np.any(starts % group))
        if inside and view.shape[axis] % group == 0:
            return view.split(axis, group)
    return None


def _lane_ends(access: RawAccess) -> dict[int, int]:
    """Where the mask ends lanes, whatever the block."""
    masks = zip(access.mask.forms, access.proved, strict=True) if access.mask else ()
    return {form.terms[0][0].number: form.const + 1 for form, proved in masks if not proved and _is_lane_end(form)}


def _is_lane_end(form: Linear) -> bool:
    """Whether ``form >= 0`` bounds a lane by a constant."""
    return len(form.terms) == 1 and form.terms[0][0].kind == "lane" and form.terms[0][1] == -1


def _maps(starts: list[Linear], lanes: list[list[tuple[int, int]]], access: RawAccess) -> tuple[AxisMap, ...]:
    maps = (_axis_map(start, items, access.shape) for start, items in zip(starts, lanes, strict=True))
    return _with_guards(tuple(maps), access)


def _checked(axis: int, item: AxisMap, view: View, space: Space) -> AxisMap:
    """An axis that is left, since no mask ends it inside the tensor, either is seen by the kernel as one with its
    neighbour, or is overrun: the part outside the tensor is undefined, and is cut like a masked edge."""
    bounds, ends = space.bounds(item.start, ()), [space.bounds(end, ()) for end in item.ends]
    if any(end is not None and end[1] <= view.shape[axis] for end in ends):
        return item
    if bounds is None or bounds[1] + item.tile <= view.shape[axis] or not view.strides[axis]:
        return item
    if item.limit is not None and item.limit <= view.shape[axis]:
        return item
    merged = view.merged(axis)
    if merged is not None:
        raise OtherView(merged, merged=True)
    return replace(item, guarded=True, overrun=True)


def _by_stride(view: View) -> list[int]:
    """Axes from the largest stride to the smallest; broadcast axes (stride 0) take part in no address."""
    axes = [axis for axis, stride in enumerate(view.strides) if stride > 0]
    return sorted(axes, key=lambda axis: (-view.strides[axis], -view.shape[axis], axis))


def _lanes_per_axis(access: RawAccess, view: View) -> list[list[tuple[int, int]]] | None:
    """(lane, elements per step) per axis; None when a lane moves along two axes at once."""
    found: list[list[tuple[int, int]]] = [[] for _ in view.shape]
    ends = _lane_ends(access)
    for atom, coefficient in access.offset.terms:
        if atom.kind != "lane" or access.shape[atom.number] == 1:
            continue
        fits = [a for a in _by_stride(view) if view.strides[a] <= abs(coefficient)]
        fits = [a for a in fits if view.strides[a] == view.strides[fits[0]]]
        if not fits or coefficient % view.strides[fits[0]]:
            return None
        free = [a for a in fits if not found[a]]
        whole = [a for a in free if view.shape[a] == ends.get(atom.number)]  # groups of one element have equal strides
        axis = next(iter([*whole, *free]), fits[0])
        found[axis].append((atom.number, coefficient // view.strides[axis]))
    return found


def _starts(access: RawAccess, view: View) -> list[Linear] | None:
    """Lane-free part of the offset, term by term: each takes as many of the largest stride as fit, then the next."""
    scalar = access.offset.keeping(lambda a: a.kind != "lane", const=True)
    if scalar.kinds() - {"axis", "table"}:
        return None
    starts = [Linear() for _ in view.shape]
    for atom, coefficient in (*scalar.terms, (None, scalar.const)):
        sign, left = (-1, -coefficient) if coefficient < 0 else (1, coefficient)
        for axis in _by_stride(view):
            count, left = divmod(left, view.strides[axis])
            part = Linear(sign * count) if atom is None else Linear.of([(atom, sign * count)])
            starts[axis] = starts[axis] + part
        if left:
            return None
    return starts


def _divided(
    access: RawAccess, lanes: list[list[tuple[int, int]]], view: View, space: Space
) -> tuple[AxisMap, ...] | None:
    """Maps whose starts are digits of the offset, None when those leave the tensor too."""
    starts = _digits(access, view, space)
    maps = _maps(starts, lanes, access) if starts is not None else None
    return maps if maps is not None and _overflowing(maps, view, space) is None else None


def _digits(access: RawAccess, view: View, space: Space) -> list[Linear] | None:
    """Positions by division, for grid functions that run over several axes (batch times head as one number)."""
    in_loop = {3 + index for index in access.loops}

    def per_block(atom: Atom) -> bool:
        if atom.kind == "axis":
            return atom.number not in in_loop
        return all(space.tables[atom.number].shape[axis] == 1 for axis in in_loop)

    scalar = access.offset.keeping(lambda a: a.kind != "lane", const=True)
    block, rest = scalar.keeping(per_block, const=True), scalar.keeping(lambda a: not per_block(a))
    values = space.array(block)
    if values is None or int(values.min()) < 0:
        return None
    starts = _starts(replace(access, offset=rest), view)
    if starts is None:
        return None
    for axis in _by_stride(view):
        starts[axis] = starts[axis] + space.form(values // view.strides[axis])
        values = values % view.strides[axis]
    return None if np.any(values) else starts


def _overflowing(maps: tuple[AxisMap, ...], view: View, space: Space) -> int | None:
    """The innermost axis, other than the outermost, on which a start lies outside the tensor and no mask cuts it."""
    for axis in reversed(range(1, len(maps))):
        bounds, limit = space.bounds(maps[axis].start, ()), maps[axis].limit
        if bounds is None or not view.strides[axis]:
            continue
        above = bounds[1] >= view.shape[axis] and (limit is None or limit > view.shape[axis])
        if above or (bounds[0] < 0 and maps[axis].floor is None):
            return axis
    return None


def _axis_map(start: Linear, lanes: list[tuple[int, int]], shape: tuple[int, ...]) -> AxisMap:
    """Lanes that nest without gaps make one run of elements; otherwise the tile spans them."""
    ordered = sorted(lanes, key=lambda item: item[1])
    reach, contiguous = 1, True
    for lane, step in ordered:
        contiguous = contiguous and step == reach
        reach += (shape[lane] - 1) * abs(step)
    return AxisMap(start, reach, tuple(lane for lane, _ in reversed(ordered)), contiguous)


def _with_guards(maps: tuple[AxisMap, ...], access: RawAccess) -> tuple[AxisMap, ...]:
    """Each boundary form ``limit - 1 - position >= 0`` put on the axis whose position it bounds."""
    forms = [(form, proved, False) for form, proved in mask_forms(access, maps)]
    forms += [(w.below_bound, ok, True) for w, ok in zip(access.offset.wraps, access.wraps_proved, strict=True)]
    result = list(maps)
    for form, proved, wrapped in forms:
        found = guarded_axis(result, form)
        if found is None:  # a mask that follows no axis may cut any of them
            result = [replace(item, guarded=item.guarded or not proved) for item in result]
        else:
            axis, guard = found
            result[axis] = _guarded(result[axis], guard, proved, wrapped)
    if access.mask is not None and not access.mask.exact:
        result = [replace(item, guarded=item.guarded or bool(item.lanes)) for item in result]
    return tuple(result)


def mask_forms(access: RawAccess, maps: Sequence[AxisMap]) -> Iterator[tuple[Linear, bool]]:
    """Forms of a mask, each with whether it holds everywhere; one that ends no axis at a constant comes in parts."""
    for form, proved, parts in zip(access.mask.forms if access.mask else (), access.proved, access.parts, strict=True):
        found = guarded_axis(maps, form)
        constant = found is not None and not (found[1].begins or found[1].ends)
        yield from [(form, proved)] if constant else parts


def _guarded(item: AxisMap, guard: AxisMap, proved: bool, wrapped: bool) -> AxisMap:
    """``item`` with the tighter of two guards on each side."""
    limits = [n for n in (item.limit, guard.limit) if n is not None]
    floors = [n for n in (item.floor, guard.floor) if n is not None]
    return replace(
        item,
        limit=min(limits, default=None),
        floor=max(floors, default=None),
        guarded=item.guarded or not proved,
        wrapped=item.wrapped if guard.limit is None else wrapped and item.limit is None,
        begins=(*item.begins, *guard.begins),
        ends=(*item.ends, *guard.ends),
    )


def guarded_axis(maps: Sequence[AxisMap], form: Linear) -> tuple[int, AxisMap] | None:
    """The axis whose position a form bounds, and how: ``form + position`` is free of lanes for a limit or an end,
    ``form - position`` for a floor or a begin. A form without lanes must leave a constant, since any axis would do."""
    lanes = [a.number for a, _ in form.terms if a.kind == "lane"]
    for axis, item in enumerate(maps):
        if lanes != list(item.lanes) or len(lanes) > 1 or not item.contiguous:
            continue
        position = item.start
        for lane in lanes:
            position = position + Linear.atom(Atom("lane", lane))
        above, below = form + position, position - form
        if above.is_constant:
            return axis, AxisMap(position, limit=above.const + 1)
        if below.is_constant:
            return axis, AxisMap(position, floor=below.const)
        if lanes and above.kinds() <= {"axis", "table"}:
            return axis, AxisMap(position, ends=(above.shifted(1),))
        if lanes and below.kinds() <= {"axis", "table"}:
            return axis, AxisMap(position, begins=(below,))
    return None
