"""Every row of the table of operations, computed on the emulated chip, against numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from emit.small import Small
from emit.whole import run_schedule, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.ops import FLOAT, IMMEDIATE, INTEGER
from cpplan.schedule.build import build_schedule

DEVICE = load_device("wormhole", cores="1x1@0,0")
SIZE = 2048
COMPARED = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "gt": np.greater, "le": np.less_equal,
            "ge": np.greater_equal}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "sin": np.sin, "cos": np.cos,
    "erf": np.vectorize(math.erf), "abs": np.abs, "neg": np.negative, "floor": np.floor, "ceil": np.ceil,
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "pow": np.power, "rem": np.fmod,
}  # fmt: skip
WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift,
}  # fmt: skip
TOUCHED = {"where", "recip", "sigmoid", "trunc", "is_nonnegative", "not", "to_int", "to_float", "log_base", "rsub"}
"""Rows that no kind of op is called like: they are parts of others."""


def run(small: Small, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the program stores."""
    program = small.program()
    return run_schedule(build_schedule(program, DEVICE, simple_plan(program, DEVICE)), tensors)


def positive(seed: int) -> np.ndarray:
    """Numbers from 0.1 to 3."""
    return np.random.default_rng(seed).uniform(0.1, 3, SIZE).astype(np.float32)


def cases() -> Iterator[tuple[str, Callable[[Small, str, str], str], Callable[[Any, Any], Any]]]:
    """(name, op on x and y, its meaning)."""
    for kind, meaning in UNARY.items():
        yield kind, lambda s, x, y, kind=kind: s.op(kind, x), lambda x, y, f=meaning: f(x)
    for kind, both in BINARY.items():
        yield kind, lambda s, x, y, kind=kind: s.op(kind, x, y), both
        yield (
            f"{kind} 3", lambda s, x, y, kind=kind: s.op(kind, x, s.constant(3, (SIZE,))),
            lambda x, y, f=both: f(x, np.float32(3)),
        )  # fmt: skip
        yield (
            f"3 {kind}", lambda s, x, y, kind=kind: s.op(kind, s.constant(3, (SIZE,)), x),
            lambda x, y, f=both: f(np.float32(3), x),
        )  # fmt: skip
    for name, compare in COMPARED.items():

        def chosen(s: Small, x: str, y: str, other: str, name: str = name) -> str:
            test = s.op("cmp", x, y, dtype="bool", predicate=name)
            return s.op("where", test, x, other, dtype="fp32")

        yield f"cmp {name}", lambda s, x, y, c=chosen: c(s, x, y, y), lambda x, y, f=compare: np.where(f(x, y), x, y)
        yield (
            f"cmp {name} 1", lambda s, x, y, c=chosen: c(s, x, s.constant(1, (SIZE,)), y),
            lambda x, y, f=compare: np.where(f(x, np.float32(1)), x, y),
        )  # fmt: skip
    yield "1 / x", lambda s, x, y: s.op("div", s.constant(1, (SIZE,)), x), lambda x, y: 1 / x
    yield "fma", lambda s, x, y: s.op("fma", x, y, x), lambda x, y: x * y + x
    yield (
        "clamp", lambda s, x, y: s.op("clamp", x, s.constant(0.5, (SIZE,)), s.constant(2, (SIZE,))),
        lambda x, y: np.clip(x, 0.5, 2),
    )  # fmt: skip
    yield (
        "and", lambda s, x, y: logical(s, "and", x, y), lambda x, y: ((x < 1) & (y < 1)).astype(np.float32)
    )  # fmt: skip
    yield "or", lambda s, x, y: logical(s, "or", x, y), lambda x, y: ((x < 1) | (y < 1)).astype(np.float32)
    yield "xor", lambda s, x, y: logical(s, "xor", x, y), lambda x, y: ((x < 1) ^ (y < 1)).astype(np.float32)
    yield (
        "tanh by name", lambda s, x, y: s.op("extern_elementwise", x, symbol="__nv_tanhf"), lambda x, y: np.tanh(x)
    )  # fmt: skip


def logical(small: Small, kind: str, x: str, y: str) -> str:
    """``x < 1`` and (or, xor) ``y < 1`` as a number."""
    one = small.constant(1, (SIZE,))
    tests = [small.op("cmp", value, one, dtype="bool", predicate="lt") for value in (x, y)]
    return small.op("cast", small.op(kind, *tests), dtype="fp32")


CASES = list(cases())


@pytest.mark.parametrize("part", range(4))
def test_operations_on_numbers(part: int) -> None:
    chosen = CASES[part::4]
    small = Small()
    x, y = small.load((SIZE,)), small.load((SIZE,))
    outs = [small.store(make(small, x, y)) for _, make, _ in chosen]
    tensors = {"in0": positive(1), "in1": np.where(np.arange(SIZE) % 5 == 0, positive(1), positive(2))}
    found = run(small, tensors)
    for (name, _, meaning), out in zip(chosen, outs, strict=True):
        expected = meaning(tensors["in0"], tensors["in1"])
        np.testing.assert_allclose(found[out], expected, rtol=2e-5, atol=1e-6, err_msg=name)


def test_operations_on_whole_numbers() -> None:
    small = Small()
    x, y = small.load((SIZE,), "int32"), small.load((SIZE,), "int32")
    names = [*WHOLE, *COMPARED, "float", "back"]
    outs = [small.store(small.op(kind, x, y)) for kind in WHOLE]
    outs += [
        small.store(small.op("where", small.op("cmp", x, y, dtype="bool", predicate=kind), x, y, dtype="int32"))
        for kind in COMPARED
    ]
    real = small.op("cast", x, dtype="fp32")
    halved = small.op("cast", small.op("mul", real, small.constant(-0.5, (SIZE,))), dtype="int32")
    outs += [small.store(real), small.store(halved)]
    random = np.random.default_rng(3)
    tensors = {"in0": random.integers(-50, 50, SIZE), "in1": random.integers(0, 5, SIZE)}
    a, b = tensors["in0"], tensors["in1"]
    found = run(small, tensors)
    expected = [f(a, b) for f in WHOLE.values()] + [np.where(f(a, b), a, b) for f in COMPARED.values()]
    expected += [a.astype(np.float32), np.trunc(-0.5 * a)]
    for name, out, wanted in zip(names, outs, expected, strict=True):
        np.testing.assert_array_equal(found[out], wanted, err_msg=name)


def test_small_whole_numbers_and_booleans() -> None:
    small = Small()
    a, b = small.load((SIZE,), "uint8"), small.load((SIZE,), "bool")
    x, y = (small.op("cast", value, dtype="fp32") for value in (a, b))
    chosen = small.op("where", b, x, small.constant(-1, (SIZE,)), dtype="fp32")
    bigger = small.op("cmp", x, small.constant(50, (SIZE,)), dtype="bool", predicate="gt")
    outs = [small.store(value) for value in (small.op("add", x, y), chosen, bigger, small.op("add", a, a))]
    tensors = {"in0": np.arange(SIZE) % 100, "in1": np.arange(SIZE) % 3 == 0}
    found = run(small, tensors)
    n, flag = tensors["in0"], tensors["in1"]
    for out, wanted in zip(outs, (n + flag, np.where(flag, n, -1), n > 50, 2 * n), strict=True):
        np.testing.assert_array_equal(found[out], wanted)


def test_the_cases_cover_the_table() -> None:
    kinds = {name.split()[0] for name, _, _ in CASES} | {"cmp_" + name for name in COMPARED}
    assert set(FLOAT) - TOUCHED <= kinds | set(BINARY)
    assert set(IMMEDIATE) - TOUCHED <= kinds | set(BINARY)
    assert set(INTEGER) - TOUCHED <= set(WHOLE) | {"cmp_" + name for name in COMPARED}
