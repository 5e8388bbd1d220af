"""Stacking tile programs of equal skeleton into one program of arrays, and taking one candidate out again.

The skeleton of a program is everything but its integers: names, kinds, nesting, dependences, dtypes. Integer leaves
become int64 arrays and mask flags bool arrays, one entry per candidate; texts and fill values (floats) stay.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np

from cpplan.errors import InternalError
from cpplan.tile.program import Family, TileProgram

T = TypeVar("T")


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Fields of a dataclass; None for any other type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else None


def map_leaves(value: T, change: Callable[[Any], Any]) -> T:
    """``value`` with every integer, bool or array leaf replaced; strings, floats and None stay."""
    if value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, tuple):
        return cast(T, tuple([map_leaves(item, change) for item in value]))
    kind: Any = type(value)
    names = _field_names(kind)
    if names is None:
        return cast(T, change(value))
    old = [getattr(value, name) for name in names]
    new = [map_leaves(item, change) for item in old]
    same = all(a is b for a, b in zip(old, new, strict=True))  # what has no leaves is shared
    return value if same else cast(T, kind(**dict(zip(names, new, strict=True))))


def leaves(value: Any) -> Iterator[Any]:
    """Integer, bool and array leaves in a fixed order (the order of :func:`map_leaves`)."""
    if is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from leaves(getattr(value, item.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, (str, float)):
        yield value


def leaf_names(value: Any, path: str = "") -> Iterator[str]:
    """Where each leaf stands, in the order of :func:`leaves`: ``accesses x_ptr tile 1``."""
    if is_dataclass(value) and not isinstance(value, type):
        own = getattr(value, "name", "")
        for item in fields(value):
            yield from leaf_names(getattr(value, item.name), " ".join(filter(None, (path, own, item.name))))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from leaf_names(item, path if hasattr(item, "name") else f"{path} {index}")
    elif value is not None and not isinstance(value, (str, float)):
        yield path


def skeleton(value: Any) -> Hashable:
    """A program (or anything made of them) with its integers forgotten; equal skeletons can be stacked."""
    return cast(Hashable, map_leaves(value, lambda leaf: "bool" if isinstance(leaf, bool) else "int"))


def with_leaves(program: TileProgram, values: Sequence[Any]) -> TileProgram:
    """``program`` with its leaves replaced in order."""
    supply = iter(values)
    return map_leaves(program, lambda _: next(supply))


def stack(programs: Sequence[TileProgram]) -> Family:
    """One family of programs that share a skeleton; raises :class:`InternalError` when they do not."""
    if not programs or len({skeleton(p) for p in programs}) != 1:
        raise InternalError("only programs of one skeleton can be stacked")
    columns = zip(*(leaves(p) for p in programs), strict=True)
    arrays = [np.array(c, dtype=bool if isinstance(c[0], bool) else np.int64) for c in columns]
    return Family(with_leaves(programs[0], arrays), tuple(p.block for p in programs))


def candidate_program(family: Family, index: int) -> TileProgram:
    """Candidate ``index`` as a program of plain integers."""

    def pick(leaf: Any) -> int | bool:
        entry = leaf[index]
        return bool(entry) if leaf.dtype == np.bool_ else int(entry)

    return map_leaves(family.stacked, pick)


def families_of(programs: Sequence[TileProgram]) -> tuple[Family, ...]:
    """Programs grouped by skeleton, in order of first appearance."""
    groups: dict[Hashable, list[TileProgram]] = {}
    for program in programs:
        groups.setdefault(skeleton(program), []).append(program)
    return tuple(stack(group) for group in groups.values())
