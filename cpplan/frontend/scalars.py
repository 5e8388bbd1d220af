"""The kernel's own index arithmetic as expressions of program ids and loop iterations.

Between block shapes only the numbers of such an expression differ. With these known, its values are exact, whatever
operations it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.frontend.affine import Analysis
from cpplan.frontend.generic import Operation, Value
from cpplan.frontend.integers import EXACT
from cpplan.frontend.linear import Linear, Pointer
from cpplan.frontend.space import Array

GRID = ("program.x", "program.y", "program.z")
"""Names of the program ids."""


@dataclass(frozen=True)
class Number:
    """An integer; one per block shape when stacked."""

    value: Any


@dataclass(frozen=True)
class Index:
    """A program id or the iteration of a loop, counted from 0."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An integer operation on other expressions, named as in MLIR without its dialect."""

    op: str
    operands: tuple[Scalar, ...]


Scalar = Number | Index | Apply

_COMPARISONS: dict[int, Callable[[Array, Array], NDArray[np.bool_]]] = {
    0: np.equal, 1: np.not_equal, 2: np.less, 3: np.less_equal, 4: np.greater, 5: np.greater_equal,
    6: np.less, 7: np.less_equal, 8: np.greater, 9: np.greater_equal,
}  # fmt: skip
_OPERATIONS: dict[str, Callable[..., Array]] = {
    **EXACT,
    **{f"cmpi {n}": (lambda a, b, _rule=rule: _rule(a, b).astype(np.int64)) for n, rule in _COMPARISONS.items()},
    "addi": np.add,
    "subi": np.subtract,
    "select": lambda condition, a, b: np.asarray(np.where(condition != 0, a, b), dtype=np.int64),
}

_SAME = (
    "arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "tt.splat", "tt.broadcast", "tt.expand_dims",
    "tt.reshape", "tt.trans", "tt.unsplat", "tt.bitcast",
)  # fmt: skip
"""Operations that leave the first lane as it is."""


class UnknownScalar(Exception):
    """A value that is no expression of program ids and iterations."""


def value_of(scalar: Scalar, number: Callable[[Any], Array], indices: Mapping[str, Array]) -> Array:
    """Values of an expression; ``number`` brings those of a :class:`Number` into shape."""
    if isinstance(scalar, Number):
        return number(scalar.value)
    if isinstance(scalar, Index):
        return indices[scalar.name]
    return _OPERATIONS[scalar.op](*(value_of(operand, number, indices) for operand in scalar.operands))


def names_in(scalar: Scalar) -> Iterator[str]:
    """Program ids and loops that an expression depends on."""
    if isinstance(scalar, Index):
        yield scalar.name
    elif isinstance(scalar, Apply):
        for operand in scalar.operands:
            yield from names_in(operand)


class ScalarReader:
    """Expressions of the SSA values of an analysed kernel, its loops called by ``names``."""

    def __init__(self, analysis: Analysis, names: Mapping[int, str]) -> None:
        self.analysis, self.names = analysis, names
        self.inductions = {r.op.regions[0][0].arguments[0]: r for r in analysis.loops}

    def scalar(self, value: Value) -> Scalar:
        """A scalar, or the first lane of a tensor; a pointer counts from its argument. Raises :class:`UnknownScalar`
        for what is read from memory and the like."""
        op = value.op
        if value in self.inductions:
            record = self.inductions[value]
            lower, step = (self.scalar(record.op.operands[i]) for i in (0, 2))
            return Apply("addi", (lower, Apply("muli", (step, Index(self.names[record.index])))))
        return self._known(value) if op is None else self._made(op, value)

    def _made(self, op: Operation, value: Value) -> Scalar:
        name = op.name.removeprefix("arith.")
        if op.name == "arith.constant" and isinstance(op.attributes.get("value"), int):
            return Number(int(op.integer("value")))
        if op.name == "tt.make_range":
            return Number(op.integer("start"))
        if op.name == "tt.get_program_id":
            return Index(GRID[op.integer("axis")])
        if op.name in _SAME:
            return self.scalar(op.operands[0])
        if op.name == "tt.addptr":
            return Apply("addi", (self.scalar(op.operands[0]), self.scalar(op.operands[1])))
        if name == "cmpi":
            name = f"cmpi {op.integer('predicate')}"
        if op.name.startswith("arith.") and name in _OPERATIONS:
            return Apply(name, tuple(self.scalar(operand) for operand in op.operands))
        return self._known(value)

    def _known(self, value: Value) -> Scalar:
        """Values that come in another way (arguments, carried pointers, rounded quotients), by their linear form."""
        known = self.analysis.values.get(value)
        form = known.offset if isinstance(known, Pointer) and known.base is not None else known
        if not isinstance(form, Linear) or form.kinds() - {"axis", "lane"} or form.wraps:
            raise UnknownScalar
        names = {index + 3: name for index, name in self.names.items()} | dict(enumerate(GRID))
        total: Scalar = Number(form.const)
        for atom, coefficient in form.terms:
            if atom.kind == "axis":
                total = Apply("addi", (total, Apply("muli", (Number(coefficient), Index(names[atom.number])))))
        return total
