"""How far an access is understood: affine, affine in part, or opaque, with the reason in words."""

from __future__ import annotations

from cpplan.frontend.affine import Analysis, RawAccess
from cpplan.frontend.axes import AxisMap
from cpplan.frontend.linear import Atom, Linear
from cpplan.frontend.numbering import Maps, Numbering
from cpplan.tile.program import AccessClass, Affine, Lanes

Classified = tuple[tuple[Affine, ...], AccessClass, str]
"""Start per axis, class, note."""


def classify(
    raw: RawAccess, maps: Maps, extents: tuple[int, ...], follows: bool, analysis: Analysis, numbering: Numbering
) -> Classified:
    """Starts, class and note of an access to a tensor of ``extents``; whether its mask ``follows`` axes.

    A start that is not affine is made to depend on every dim and enclosing loop, so that no reuse is assumed for it.
    """
    names = [*(dim.name for dim in numbering.dims), *numbering.path(raw.loops)]
    anything = Affine(0, tuple(sorted((name, 1) for name in names)))
    if maps is None:
        return (anything,) * len(extents), "opaque", _why_opaque(raw)
    starts = [numbering.affine(item.start) for item in maps]
    reasons = list(_reasons(raw, maps, starts, analysis))
    notes = [] if reasons else list(_remarks(maps, extents, follows))
    return tuple(start or anything for start in starts), "partial" if reasons else "affine", "; ".join(reasons or notes)


def lanes_of(raw: RawAccess, maps: Maps, analysis: Analysis) -> Lanes:
    """Whether the lanes are the elements of the tile in the order of memory; where that is unknown, they are not."""
    if maps is not None:
        unbroken = all(raw.wraps_proved) or wraps_are_cut(raw, analysis)
        return "dense" if unbroken and all(item.contiguous for item in maps) else "scattered"
    uniform = ("axis", "table", "data")
    known = all(a.kind == "lane" or (a.kind in uniform and not a.per_lane) for a, _ in raw.offset.terms)
    steps = [(a.number, step) for a, step in raw.offset.terms if a.kind == "lane" and raw.shape[a.number] > 1]
    wide = [(lane, 1) for lane, extent in enumerate(raw.shape) if extent > 1]
    return "dense" if known and not raw.offset.wraps and len(wide) <= 1 and steps == wide else "scattered"


def _reasons(raw: RawAccess, maps: tuple[AxisMap, ...], starts: list[Affine | None], analysis: Analysis) -> list[str]:
    found = []
    if None in starts:
        found.append("the start of an axis is not affine in the parallel dims")
    if not all(item.contiguous for item in maps):
        found.append("lanes skip elements")
    if raw.conditional:
        found.append("under a branch or while loop that depends on data or on the block")
    if not all(raw.wraps_proved) and not wraps_are_cut(raw, analysis):
        found.append("addresses wrap around (%) and no store mask cuts the wrapped part")
    return found


def _remarks(maps: tuple[AxisMap, ...], extents: tuple[int, ...], follows: bool) -> list[str]:
    """Masks that are not the end of the tensor."""
    cut = [(item, extent) for item, extent in zip(maps, extents, strict=True) if item.guarded and not item.overrun]
    early = [str(item.limit) for item, extent in cut if item.limit not in (None, extent)]
    found = [] if follows else ["a mask does not follow a tensor axis"]
    if any(item.overrun for item in maps):
        found.append("unmasked lanes lie outside the tensor; they are treated as masked")
    return [*found, f"masked from {', '.join(early)} on, which is not the end of the tensor"] if early else found


def wraps_are_cut(raw: RawAccess, analysis: Analysis) -> bool:
    """Whether lanes that wrap (``offset % M``) are cut by a store mask ``offset < M``, so that they may read anything.

    Only trusted without reductions in the body, where each lane flows to its own lane of the store.
    """
    if any(op.name in ("tt.reduce", "tt.scan") for op in analysis.function.walk()):
        return not raw.offset.wraps
    stores = [other for other in analysis.accesses if other.kind != "load" and other.mask is not None]
    masks = {_one_lane(form) for store in stores if store.mask for form in store.mask.forms}
    return all(_one_lane(wrap.below_bound) in masks for wrap in raw.offset.wraps)


def _one_lane(form: Linear) -> Linear:
    """The form with its lane number forgotten, for comparing masks of differently shaped tiles."""
    return Linear.of([(Atom("lane", 0) if a.kind == "lane" else a, c) for a, c in form.terms], form.const)


def _why_opaque(raw: RawAccess) -> str:
    kinds = raw.offset.kinds()
    if raw.base is None:
        return "the base pointer is not an argument of the kernel"
    if "data" in kinds:
        per_lane = any(a.kind == "data" and a.per_lane for a, _ in raw.offset.terms)
        return "gather: each lane's address comes from memory" if per_lane else "the tile's address comes from memory"
    if "lanes" in kinds:
        return "the address is not linear in the lanes"
    if kinds & {"opaque", "carry"}:
        return "the address is not known before run time"
    return "the address does not follow the tensor's strides"
