"""Launches written on the command line: ``--kernel K --arg a=bf16[64,64] --arg M=64 --constexpr BM=32,64 --grid ...``.

Only the import of the user's file runs; neither a driver nor a host function of it is needed.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cpplan.errors import InputError
from cpplan.frontend.capture import load_names
from cpplan.frontend.expressions import evaluate_grid, parse_argument, parse_values
from cpplan.frontend.launch import Argument, Launch, TensorArgument
from cpplan.frontend.recorder import Recorder, kernel_source

_POINTEE = {
    "fp64": "fp64", "fp32": "fp32", "bf16": "bf16", "fp16": "fp16", "fp8e4": "fp8e4nv", "fp8e5": "fp8e5", "bool": "i1",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "uint16": "u16", "uint32": "u32",
}  # fmt: skip
"""dtype name to Triton's pointee spelling in signatures."""


def written_launches(
    path: str, kernel: str, args: Sequence[str], constexprs: Sequence[str], grid: str | None
) -> list[Launch]:
    """One launch per combination of the given constexpr values (or per autotune configuration when none is tuned away).

    Raises :class:`InputError` when the kernel does not exist or arguments are missing, unknown or malformed.
    """
    if grid is None:
        raise InputError("--kernel needs --grid, for example --grid 32,32 or --grid 'cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)'")
    with Recorder().active():
        names = load_names(path)
    tuner, heuristics, function = _unwrap(names, kernel, path)
    given = dict(parse_argument(text) for text in args)
    options = dict(parse_values(text) for text in constexprs)
    _check_names(function, given, options)
    launches = []
    for config in _configs(tuner, options):
        for values in itertools.product(*options.values()):
            chosen = config | dict(zip(options, values, strict=True))
            launches.append(_launch(function, heuristics, given, chosen, grid, tuple(chosen.items())))
    return launches


def _unwrap(names: Mapping[str, Any], kernel: str, path: str) -> tuple[Any, dict[str, Any], Any]:
    """(autotuner or None, heuristics by parameter, the kernel itself)."""
    from triton.runtime.jit import JITFunction

    kernels = [name for name, value in names.items() if _is_kernel(value)]
    if kernel not in kernels:
        hint = f"it has {', '.join(kernels)}" if kernels else "it has none"
        raise InputError(f"{path}: there is no kernel {kernel!r}; {hint}")
    item, tuner = names[kernel], None
    heuristics: dict[str, Any] = {}
    while not isinstance(item, JITFunction):
        if hasattr(item, "configs"):
            tuner = item
        heuristics.update(getattr(item, "values", {}))
        item = item.fn
    return tuner, heuristics, item


def _is_kernel(value: Any) -> bool:
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    return isinstance(value, (JITFunction, Autotuner, Heuristics))


def _check_names(function: Any, given: Mapping[str, Argument], options: Mapping[str, list[Any]]) -> None:
    constexpr = {p.name for p in function.params if p.is_constexpr}
    plain = {p.name for p in function.params} - constexpr
    for option, names, allowed in (("--arg", given, plain), ("--constexpr", options, constexpr)):
        for name in names:
            if name not in allowed:
                close = difflib.get_close_matches(name, allowed, 1)
                hint = f"; did you mean {close[0]}?" if close else f"; it has {', '.join(sorted(allowed)) or 'none'}"
                raise InputError(f"{option} {name}: kernel {function.__name__} has no such parameter{hint}")


def _configs(tuner: Any, options: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Tuned values per configuration, without the parameters that options set; equal ones once."""
    seen: list[dict[str, Any]] = []
    for config in tuner.configs if tuner is not None else ():
        values = {name: value for name, value in config.kwargs.items() if name not in options}
        if values not in seen:
            seen.append(values)
    yield from seen or [{}]


def _launch(
    function: Any, heuristics: Mapping[str, Any], given: Mapping[str, Argument], chosen: Mapping[str, Any], grid: str,
    config: tuple[tuple[str, Any], ...],
) -> Launch:  # fmt: skip
    values: dict[str, Any] = {p.name: p.default for p in function.params if p.has_default}
    values |= dict(given) | dict(chosen)
    for name, rule in heuristics.items():
        values.setdefault(name, rule(values))
    missing = [p for p in function.params if p.name not in values]
    if missing:
        wanted = " ".join(f"{'--constexpr' if p.is_constexpr else '--arg'} {p.name}=..." for p in missing)
        raise InputError(f"kernel {function.__name__} also needs {wanted}")
    constexpr = {p.name for p in function.params if p.is_constexpr}
    constants: dict[tuple[int, ...], Any] = {
        (i,): values[p.name] for i, p in enumerate(function.params) if _is_constant(p, values)
    }
    scalars = {n: v for n, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    return Launch(
        kernel=function.__name__,
        function=function,
        arguments={p.name: values[p.name] for p in function.params if p.name not in constexpr},
        constexprs={name: values[name] for name in constexpr},
        grid=evaluate_grid(grid, scalars),
        signature={p.name: "constexpr" if _is_constant(p, values) else _type(values[p.name]) for p in function.params},
        constants=constants,
        attributes={},
        source=kernel_source(function),
        group=0,
        config=config,
        replay=lambda overrides: _launch(
            function, heuristics, given, {**chosen, **overrides}, grid, tuple({**dict(config), **overrides}.items())
        ),
    )


def _is_constant(parameter: Any, values: Mapping[str, Any]) -> bool:
    return bool(parameter.is_constexpr) or values[parameter.name] is None


def _type(value: Argument) -> str:
    """Triton's signature spelling of an argument's type."""
    if isinstance(value, TensorArgument):
        return "*" + _POINTEE[value.dtype]
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -(2**31) <= value < 2**31 else "i64"
    return "fp32"
