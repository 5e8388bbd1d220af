"""The arguments of a kernel call, bound as Triton binds them; mistakes are told as Python tells those of calls."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Collection, Mapping
from typing import Any


def by_name(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], unchecked: Collection[str]
) -> dict[str, Any]:
    """Arguments by parameter. Raises TypeError for too many, and for keywords that are unknown or given twice;
    ``unchecked`` keywords do not come from the user's file."""
    name, parameters = function.__name__, function.arg_names
    if len(args) > len(parameters):
        raise TypeError(f"{name}() takes {len(parameters)} arguments but {len(args)} were given")
    for keyword in kwargs.keys() - set(unchecked):
        if keyword in parameters[: len(args)]:
            raise TypeError(f"{name}() got multiple values for argument {keyword!r}")
        if keyword not in parameters and keyword not in _launch_options():
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}")
    return {**dict(zip(parameters, args, strict=False)), **kwargs}


def bind(function: Any, given: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any], Any]:
    """Triton's (backend, values by parameter with defaults filled in, specialization). Raises TypeError for an argument
    that is missing, or of a type that no kernel takes."""
    cache = function.device_caches[0]
    backend, binder = cache[-2], cache[-1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bound, specialization, _ = binder(**{"debug": False, **given})
    except TypeError as error:
        text = str(error).replace("dynamic_func()", f"{function.__name__}()")  # the binder is generated code
        wrong = [name for name, value in given.items() if text.endswith(f"type: {type(value).__name__}")]
        raise TypeError(f"{text} ({', '.join(wrong)} of {function.__name__})" if wrong else text) from error
    return backend, bound, specialization


def three_extents(function: Any, grid: Any) -> tuple[int, int, int]:
    """The grid as three integers; Triton ignores a fourth. Raises TypeError for anything that is no integer."""
    try:
        extents = [operator.index(extent) for extent in (grid if isinstance(grid, (tuple, list)) else (grid,))]
    except TypeError:
        raise TypeError(f"the grid of {function.__name__} must be integers, not {grid!r}") from None
    x, y, z = (*extents, 1, 1, 1)[:3]
    return x, y, z


@functools.cache
def _launch_options() -> frozenset[str]:
    """Keywords of a launch that are no parameters of the kernel, such as ``num_warps``; those for other GPUs too, since
    a file may have been tuned for one."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    targets = GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return frozenset(name for target in targets for name in vars(make_backend(target).parse_options({})))
