"""Calls as text that is equal for calls which launch the same: a repeated one brings nothing new."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def call_text(callee: Any, values: Iterable[Any], grid: Any = None) -> str:
    """A call of ``callee`` with these arguments; tensors are told apart by shape, strides and shared memory."""
    storages: dict[int, int] = {}
    return f"{id(callee)} {grid} {[_argument(value, storages) for value in values]}"


def tuned_call(tuner: Any, given: dict[str, Any]) -> str:
    """A call of an autotuned kernel. The grid is that of the first configuration."""
    arguments = {name: value for name, value in given.items() if name != "grid"}
    grid = given.get("grid")
    return call_text(tuner, arguments.items(), grid(_meta(tuner, arguments)) if callable(grid) else grid)


def _meta(tuner: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a grid function is given: arguments, the first configuration, and what heuristics make of both."""
    values, inner = {**arguments, **tuner.configs[0].all_kwargs()}, tuner.fn
    while hasattr(inner, "fn"):
        for name, rule in getattr(inner, "values", {}).items():
            values[name] = rule(values)
        inner = inner.fn
    return values


def _argument(value: Any, storages: dict[int, int]) -> str:
    if isinstance(value, (tuple, list)):
        return str([_argument(item, storages) for item in value])
    if not hasattr(value, "untyped_storage"):
        return repr(value)
    number = storages.setdefault(value.untyped_storage()._cdata, len(storages))
    offset = value.storage_offset() if hasattr(value, "storage_offset") else getattr(value, "offset", 0)
    return f"{value.dtype} {tuple(value.shape)} {tuple(value.stride())} {offset} {number}"
