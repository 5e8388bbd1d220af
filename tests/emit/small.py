"""Tile programs of a few ops, written by hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cpplan.frontend.buffers import buffers_of
from cpplan.tile.program import Access, Affine, Carry, Dim, Loop, Op, Tensor, TileProgram

Shape = tuple[int, ...]


@dataclass
class Small:
    """One dim ``block``; tensors are as large as the tiles of all blocks along axis ``along`` (None: of one block)."""

    blocks: int = 1
    loops: list[Loop] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    types: dict[str, tuple[Shape, str]] = field(default_factory=dict)

    def load(self, shape: Shape, dtype: str = "fp32", along: int | None = 0, loop: str | None = None) -> str:
        """A tile of a tensor of its own; inside a loop the tiles of its trips follow each other along axis 0."""
        name = f"in{sum(a.kind == 'load' for a in self.accesses)}"
        self._access("load", name, shape, dtype, along, loop, name)
        self.types[name] = (shape, dtype)
        return name

    def store(self, value: str, along: int | None = 0) -> str:
        """The value to a tensor of its own."""
        name = f"out{sum(a.kind == 'store' for a in self.accesses)}"
        self._access("store", name, *self.types[value], along, None, value)
        return name

    def op(
        self, kind: str, *operands: str, shape: Shape | None = None, dtype: str | None = None, loop: str | None = None,
        **attributes: int | str,
    ) -> str:  # fmt: skip
        """An op; shape and type are those of its first operand if not given."""
        name = f"{kind}_{len(self.ops)}"
        first = self.types[operands[0]] if operands else ((), "fp32")
        self.types[name] = (first[0] if shape is None else shape, first[1] if dtype is None else dtype)
        shapes, dtypes = zip(*(self.types[o] for o in operands), strict=True) if operands else ((), ())
        self.ops.append(
            Op(name, kind, operands, *self.types[name], loop, tuple(attributes.items()), shapes, dtypes, "small.py:1")
        )
        return name

    def constant(self, value: float, shape: Shape, dtype: str = "fp32") -> str:
        """A constant."""
        return self.op("constant", shape=shape, dtype=dtype, value=str(value))

    def carry(self, loop: str, initial: str, trips: int = 1) -> str:
        """A loop around what follows if it is new, and one more value that it carries; :meth:`next` closes it."""
        known = next((item for item in self.loops if item.name == loop), None)
        if known is None:
            self.loops.append(Loop(loop, trips))
        argument = f"{initial}.carried"
        self.types[argument] = self.types[f"{initial}.left"] = self.types[initial]
        return argument

    def next(self, loop: str, argument: str, value: str) -> str:
        """The next value of ``argument``; returns the name of what is left after the loop."""
        initial = argument.removesuffix(".carried")
        at = next(i for i, item in enumerate(self.loops) if item.name == loop)
        carry = Carry(initial, argument, value, f"{initial}.left")
        self.loops[at] = replace(self.loops[at], carries=(*self.loops[at].carries, carry))
        return carry.result

    def program(self) -> TileProgram:
        """The program with its buffers."""
        program = TileProgram("small", (Dim("block", self.blocks),), tuple(self.loops), tuple(self.tensors),
                              tuple(self.accesses), tuple(self.ops))  # fmt: skip
        return replace(program, buffers=buffers_of(program))

    def _access(
        self, kind: str, name: str, tile: Shape, dtype: str, along: int | None, loop: str | None, value: str
    ) -> None:
        trips = next((item.trips for item in self.loops if item.name == loop), 1)
        counts = [self.blocks if axis == along else 1 for axis in range(len(tile))]
        forms = [{"block": n} if axis == along else {} for axis, n in enumerate(tile)]
        if loop is not None:
            counts[0] *= trips
            forms[0] = {key: step * trips for key, step in forms[0].items()} | {loop: tile[0]}
        starts = tuple(Affine(0, tuple(sorted(form.items()))) for form in forms)
        shape = tuple(n * count for n, count in zip(tile, counts, strict=True))
        strides = tuple(_product(shape[axis + 1 :]) for axis in range(len(shape)))
        self.tensors.append(Tensor(name, dtype, shape, strides))
        self.accesses.append(Access(name, name, kind, tile, starts, loop, value=value))  # type: ignore[arg-type]


def _product(numbers: Shape) -> int:
    total = 1
    for number in numbers:
        total *= number
    return total
