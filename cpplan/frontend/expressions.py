"""Small texts of the command line: tensor descriptions, values, and grid expressions. Nothing here runs user code."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from cpplan.errors import InputError
from cpplan.frontend.launch import Argument, TensorArgument
from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.program import DTYPE_BITS

_TENSOR = re.compile(r"(\w+)\[([\d,\s]*)\](?::([\d,\s]+))?")

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"cdiv": lambda a, b: -(-a // b), "min": min, "max": max}


def parse_argument(text: str) -> tuple[str, Argument]:
    """``a=bf16[64,32]`` (contiguous), ``a=bf16[64,32]:1,64`` (strides in elements), ``M=64``, ``scale=0.5``."""
    name, value = _split(text, "--arg")
    match = _TENSOR.fullmatch(value)
    if match is None:
        return name, _number(value, text)
    dtype, shape = match.group(1), _integers(match.group(2))
    if dtype in BLOCK_FORMATS:
        raise InputError(
            f"--arg {text}: Triton has no {dtype} tensors: give the type that the kernel works in, such as "
            f"{name}=bf16[{match.group(2)}], and say how it is stored with --format {name}={dtype}"
        )
    if dtype not in DTYPE_BITS:
        known = ", ".join(dtype for dtype in DTYPE_BITS if dtype not in BLOCK_FORMATS)
        raise InputError(f"--arg {text}: unknown element type {dtype!r}; known: {known}")
    if any(extent < 1 for extent in shape):
        raise InputError(f"--arg {text}: extents must be at least 1")
    strides = _integers(match.group(3)) if match.group(3) else _contiguous(shape)
    if len(strides) != len(shape):
        raise InputError(f"--arg {text}: {len(shape)} extents but {len(strides)} strides")
    return name, TensorArgument(dtype, shape, strides)


def parse_values(text: str) -> tuple[str, list[Any]]:
    """``BLOCK_M=64,128`` to ("BLOCK_M", [64, 128]); values are numbers, True, False, None or plain words."""
    name, values = _split(text, "--constexpr")
    items = [item.strip() for item in values.split(",")]
    if "" in items:
        raise InputError(f"--constexpr {text}: an empty value; write NAME=VALUE or NAME=VALUE,VALUE,...")
    return name, [_literal(item) for item in items]


def evaluate_grid(text: str, names: Mapping[str, Any]) -> tuple[int, int, int]:
    """Up to three comma-separated integer expressions over the launch's scalars; ``cdiv``, ``min``, ``max`` allowed."""
    try:
        node = ast.parse(f"({text},)", mode="eval").body
    except SyntaxError as error:
        raise InputError(f"--grid {text}: not an expression; write for example 32,32 or cdiv(M,BLOCK_M)") from error
    extents = [_evaluate(item, names, text) for item in (node.elts if isinstance(node, ast.Tuple) else [node])]
    if not 1 <= len(extents) <= 3 or any(not isinstance(extent, int) or extent < 1 for extent in extents):
        raise InputError(f"--grid {text}: gives {extents}; a grid is one to three integers of at least 1")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _evaluate(node: ast.AST, names: Mapping[str, Any], text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise InputError(
                f"--grid {text}: {node.id!r} is not a scalar of this launch; known: {', '.join(sorted(names))}"
            )
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _evaluate(node.left, names, text), _evaluate(node.right, names, text)
        try:
            return _OPERATORS[type(node.op)](left, right)
        except ZeroDivisionError as error:
            raise InputError(f"--grid {text}: divides by zero") from error
    if isinstance(node, ast.Call) and _called(node) in _FUNCTIONS and not node.keywords:
        try:
            return _FUNCTIONS[_called(node)](*(_evaluate(arg, names, text) for arg in node.args))
        except (TypeError, ZeroDivisionError) as error:
            raise InputError(f"--grid {text}: {error}") from error
    raise InputError(f"--grid {text}: only integers, scalar names, + - * // % and cdiv, min, max are allowed")


def _called(node: ast.Call) -> str:
    name = node.func
    if isinstance(name, ast.Attribute):  # triton.cdiv as well as cdiv
        return name.attr
    return name.id if isinstance(name, ast.Name) else ""


def _split(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier() or not value.strip():
        raise InputError(f"{option} {text}: write NAME=VALUE")
    return name.strip(), value.strip()


def _number(value: str, text: str) -> int | float | bool | None:
    parsed = _literal(value)
    if isinstance(parsed, str):
        raise InputError(f"--arg {text}: neither a number nor a tensor such as bf16[4096,4096]")
    return parsed  # type: ignore[no-any-return]


def _literal(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, (int, float, bool, str)) or value is None else text


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(item) for item in text.split(",") if item.strip())


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
