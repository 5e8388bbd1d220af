"""Expressions over hardware tiles: what one tile of a value is computed from.

Nodes are compared by identity; a node that is used twice is computed once and kept in its DST slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cpplan.emit_ttmetal.ops import Domain, Row
from cpplan.emit_ttmetal.places import Mode
from cpplan.tile.program import Affine


@dataclass(frozen=True, eq=False)
class Read:
    """A page of a circular buffer brought to a slot."""

    buffer: str
    page: Affine
    mode: Mode
    domain: Domain = "float"


@dataclass(frozen=True, eq=False)
class Number:
    """A tile of one number: known, or an integer expression of the kernel's indices."""

    value: float | Affine
    domain: Domain = "float"


@dataclass(frozen=True, eq=False)
class Apply:
    """A row of the table on slots; ``number`` fills ``{bits}``."""

    row: Row
    operands: tuple[Node, ...]
    number: float | Affine = 0.0

    @property
    def domain(self) -> Domain:
        """What its slot holds."""
        return self.row.result


@dataclass(frozen=True, eq=False)
class Fold:
    """The "sum", "max" or "min" (``kind``) of ``body`` for all values of ``loops`` (variable, count) as one tile, which
    is then reduced along ``axes`` ("ROW": every row into its column 0; "COL": every column into its row 0)."""

    kind: str
    loops: tuple[tuple[str, int], ...]
    axes: tuple[Literal["ROW", "COL"], ...]
    body: Node
    domain: Domain = "float"


@dataclass(frozen=True, eq=False)
class Dot:
    """``initial`` (0 if None) plus pages of ``left`` times pages of ``right`` over ``depth`` steps of ``step``.

    The next row of the result takes the page of ``left`` that is ``left_stride`` further on, the next column that of
    ``right`` which is ``right_stride`` further on. ``transposed``: tiles of ``right`` are turned as they are read.
    """

    left: Read
    right: Read
    depth: int
    step: str
    initial: Node | None
    left_stride: int
    right_stride: int
    transposed: bool
    domain: Domain = "float"


Node = Read | Number | Apply | Fold | Dot


def children(node: Node) -> tuple[Node, ...]:
    """Nodes that must be in slots before ``node``; the body of a fold is no child, as it is computed many times."""
    match node:
        case Apply(operands=operands):
            return operands
        case Dot(initial=initial) if initial is not None:
            return (initial,)
    return ()


def slots_needed(node: Node) -> int:
    """DST slots to compute a tree, operands that need most first; shared nodes may need more."""
    match node:
        case Fold(body=body):
            return 1 + slots_needed(body)
        case Apply() | Dot():
            wanted = sorted((slots_needed(child) for child in dict.fromkeys(children(node))), reverse=True)
            return max([1, *(need + number for number, need in enumerate(wanted))])
    return 1
