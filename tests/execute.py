"""What a tile program computes: its body executed op by op on numpy arrays, all floating-point types alike.

One block at a time; a loop can also be run in parts, whose states are then combined as a reduction says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import takewhile
from typing import Any

import numpy as np

from cpplan.tile.order import Step, program_order
from cpplan.tile.program import Access, Affine, Loop, Op, TileProgram
from cpplan.tile.reduction import Reduction

Values = dict[str, np.ndarray]
Fold = Callable[[Callable[[Values, Values], Values], list[Values]], Values]

_FLOATS = ("fp64", "fp32", "bf16", "fp16")
_PREDICATES = {
    "eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal,
}  # fmt: skip
_PLAIN: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "neg": np.negative, "abs": np.abs, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "sin": np.sin, "where": np.where,
    "and": np.logical_and, "or": np.logical_or, "fma": lambda a, b, c: a * b + c,
    "dot": lambda a, b, c=0: a @ b + c,
}  # fmt: skip


@lru_cache(maxsize=4)
def _steps(program: TileProgram) -> tuple[Step, ...]:
    return tuple(program_order(program))


def chain(combine: Callable[[Values, Values], Values], parts: list[Values]) -> Values:
    """Every part joins those before it."""
    return reduce(combine, parts)


def tree(combine: Callable[[Values, Values], Values], parts: list[Values]) -> Values:
    """Halves are combined first."""
    half = len(parts) // 2
    return parts[0] if len(parts) == 1 else combine(tree(combine, parts[:half]), tree(combine, parts[half:]))


class Block:
    """One block of a program: ``position`` gives the index along every parallel dim, ``real`` how numbers are kept."""

    def __init__(
        self, program: TileProgram, tensors: Mapping[str, np.ndarray], position: Mapping[str, int], real: type
    ) -> None:
        self.program, self.tensors, self.real = program, tensors, real
        self.position, self.values = dict(position), Values()
        self.stored: Values = {}
        self.valid: Values = {}  # which elements of a loaded tile take part
        self.steps = _steps(program)

    def whole(self) -> Values:
        """Stored tiles by access, every loop run from its first to its last trip."""
        self._run(self.steps)
        return self.stored

    def in_parts(self, reduction: Reduction, parts: Sequence[Sequence[int]], uniform: bool, fold: Fold) -> Values:
        """Stored tiles by access, the trips of one loop divided into ``parts``. ``uniform`` starts the first part from
        the identities too."""
        enter = next(i for i, s in enumerate(self.steps) if s.kind == "enter" and s.item.name == reduction.loop)
        leave = next(i for i, s in enumerate(self.steps) if s.kind == "leave" and s.item.name == reduction.loop)
        loop = self.steps[enter].item
        self._run(self.steps[:enter])
        identities = {s.argument: np.full(s.shape, s.identity, self.real) for s in reduction.state}
        initial = {c.argument: self.values[c.initial] for c in loop.carries if c.argument in identities}
        states = []
        for number, trips in enumerate(parts):
            self.values |= identities if number or uniform else initial
            self._trips(loop, self.steps[enter + 1 : leave], trips)
            states.append({s.result: self.values[s.argument] for s in reduction.state})

        def combine(left: Values, right: Values) -> Values:
            self.values |= {f"left.{name}": value for name, value in left.items()}
            self.values |= {f"right.{name}": value for name, value in right.items()}
            for op in reduction.ops:
                self._op(op)
            return {s.result: self.values[s.combined] for s in reduction.state}

        self.values |= fold(combine, states)
        self._run(self.steps[leave + 1 :])
        return self.stored

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _run(self, steps: Sequence[Step]) -> None:
        remaining = iter(steps)
        for step in remaining:
            if step.kind == "enter":
                body = list(takewhile(lambda s, loop=step.item: (s.kind, s.item) != ("leave", loop), remaining))
                self.values |= {c.argument: self.values[c.initial] for c in step.item.carries}
                self._trips(step.item, body, range(step.item.trips))
                self.values |= {c.result: self.values[c.argument] for c in step.item.carries}
            elif step.kind == "access":
                self._access(step.item)
            else:
                self._op(step.item)

    def _trips(self, loop: Loop, body: Sequence[Step], trips: Sequence[int]) -> None:
        """Values of carries that no part starts (dead ones) are left as they are."""
        carries = [c for c in loop.carries if c.argument in self.values]
        for trip in trips:
            self.position[loop.name] = trip
            self._run(body)
            self.values |= {c.argument: self.values[c.yielded] for c in carries}

    def _access(self, access: Access) -> None:
        if access.kind != "load":
            self.stored[access.name] = self.values[access.value]
            return
        tensor = self.tensors[access.tensor]
        index = [self._at(s) + np.arange(n) for s, n in zip(access.starts, access.tile, strict=True)]
        parts = [(i >= 0) & (i < n) for i, n in zip(index, tensor.shape, strict=True)]
        for axis, bounds in enumerate(access.bounds):
            for begin in bounds.begins:
                parts[axis] &= index[axis] >= self._at(begin)
            for end in bounds.ends:
                parts[axis] &= index[axis] < self._at(end)
        tile = tensor[np.ix_(*(np.clip(i, 0, n - 1) for i, n in zip(index, tensor.shape, strict=True)))]
        self.valid[access.value] = reduce(np.logical_and, np.ix_(*(part.astype(int) for part in parts)))
        self.values[access.value] = np.where(self.valid[access.value], tile, 0).astype(self.real)

    def _at(self, form: Affine) -> int:
        return form.const + sum(c * self.position[name] for name, c in form.terms)

    # -- ops -----------------------------------------------------------------------------------------------------------

    def _op(self, op: Op) -> None:
        operands = [
            self.values[name].reshape(shape) for name, shape in zip(op.operands, op.operand_shapes, strict=True)
        ]
        with np.errstate(all="ignore"):
            value = np.asarray(self._compute(op, operands, dict(op.attributes)))
        assert value.shape == tuple(op.shape), (op, value.shape)
        self.values[op.name] = value

    def _compute(self, op: Op, operands: list[np.ndarray], attributes: dict[str, Any]) -> Any:
        if op.kind in _PLAIN:
            return _PLAIN[op.kind](*operands)
        match op.kind:
            case "constant":
                return np.full(op.shape, float(attributes["value"]), self.real)
            case "cast":
                return operands[0].astype(self.real) if op.dtype in _FLOATS else np.trunc(operands[0])
            case "cmp":
                return _PREDICATES[attributes["predicate"]](*operands)
            case "reshape":
                return operands[0].reshape(op.shape)
            case "broadcast":
                return np.broadcast_to(operands[0], op.shape)
            case "fill":
                valid = self.valid[op.operands[0]].reshape(op.shape)
                return np.where(valid, operands[0], self.real(attributes["value"]))
            case "transpose":
                return operands[0].transpose([int(axis) for axis in attributes["order"].split(",")])
            case "reduce_sum" | "reduce_max" | "reduce_min":
                return getattr(operands[0], op.kind.removeprefix("reduce_"))(axis=attributes["axis"])
            case "index":
                return self._form(op, attributes, "")
            case "mask":
                numbers = {name.partition(".")[0] for name in attributes}
                return reduce(np.logical_and, (self._form(op, attributes, f"{n}.") >= 0 for n in sorted(numbers)))
        raise NotImplementedError(op.kind)

    def _form(self, op: Op, attributes: dict[str, Any], prefix: str) -> np.ndarray:
        total = np.zeros(op.shape, self.real)
        for name, coefficient in attributes.items():
            if name.startswith(prefix):
                total = total + coefficient * self._index(name.removeprefix(prefix), op.shape)
        return total

    def _index(self, name: str, shape: tuple[int, ...]) -> Any:
        if name == "const":
            return 1
        if name.startswith("lane"):
            return np.indices(shape)[int(name.removeprefix("lane"))]
        return self.position[name]


def divisions(trips: int) -> Iterator[list[list[int]]]:
    """Ways to divide the trips of a loop: runs, dealt out in turn, one part, and more parts than trips."""
    for count in (2, 3):
        yield [list(map(int, part)) for part in np.array_split(np.arange(trips), count)]
    yield [list(range(start, trips, 2)) for start in range(2)]
    yield [list(range(trips))]
    yield [[trip] for trip in range(trips)] + [[]]


def differences(
    program: TileProgram, reduction: Reduction, tensors: Mapping[str, np.ndarray], real: type = np.float64,
    last: bool = False,
) -> Iterator[float]:  # fmt: skip
    """Largest difference between the whole loop and the loop in parts, in the first or last block, relative to the
    largest stored value; one for each way to divide, start and combine. Infinite where only one of both is a number.
    """
    position = {dim.name: (dim.extent - 1) * last for dim in program.dims}
    expected = Block(program, tensors, position, real).whole()
    trips = next(loop.trips for loop in program.loops if loop.name == reduction.loop)
    for parts in divisions(trips):
        for uniform in {False, reduction.initial_is_identity}:
            for fold in (chain, tree):
                got = Block(program, tensors, position, real).in_parts(reduction, parts, uniform, fold)
                yield max(_difference(got[name], tile) for name, tile in expected.items())


def _difference(got: np.ndarray, expected: np.ndarray) -> float:
    numbers = np.isfinite(expected)
    if not np.array_equal(np.where(numbers, 0, expected), np.where(np.isfinite(got), 0, got), equal_nan=True):
        return np.inf
    error = np.abs(np.where(numbers, got, 0) - np.where(numbers, expected, 0))
    return float(error.max() / max(1e-30, np.abs(np.where(numbers, expected, 0)).max()))
