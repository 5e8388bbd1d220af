"""Random loop bodies whose carried values are reductions, written op by op, and random damage to them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from cpplan.tile.program import Access, Affine, Carry, Loop, Op, Tensor, TileProgram

R, N, D, TRIPS = 3, 4, 2, 5
"""Rows, columns of a block, columns of a value; trips of the loop."""

Shape = tuple[int, ...]
DRAWN = st.DrawFn


class Body:
    """Ops of one loop, in program order; every value is fp32."""

    def __init__(self) -> None:
        self.shapes: dict[str, Shape] = {}
        self.types: dict[str, str] = {}
        self.ops: list[Op] = []
        self.tensors: list[Tensor] = []
        self.accesses: list[Access] = []
        self.carries: list[Carry] = []

    def op(
        self, kind: str, *operands: str, shape: Shape | None = None, loop: str | None = "k", **attributes: Any
    ) -> str:
        """A new op; elementwise unless a shape is given."""
        name = f"{kind}_{len(self.ops)}"
        made = self.shapes[operands[0]] if shape is None else shape
        dtype = "bool" if kind in ("cmp", "mask") else "fp32"
        shapes, types = (tuple(kept[o] for o in operands) for kept in (self.shapes, self.types))
        self.ops.append(Op(name, kind, operands, made, dtype, loop, tuple(attributes.items()), shapes, types))
        self.shapes[name], self.types[name] = made, dtype
        return name

    def constant(self, value: float, shape: Shape) -> str:
        return self.op("constant", shape=shape, loop=None, value=str(value))

    def load(self, shape: Shape, loop: str | None = "k") -> str:
        """A tile of its own tensor, another one in every trip."""
        name = f"x{len(self.tensors)}"
        axes = (TRIPS, *shape)
        strides = tuple(math.prod(axes[i + 1 :]) for i in range(len(axes)))
        self.tensors.append(Tensor(name, "fp32", axes, strides))
        starts = (Affine(0, (("k", 1),) if loop else ()), *(Affine(),) * len(shape))
        self.accesses.append(Access(name, name, "load", (1, *shape), starts, loop, (), f"{name}_tile"))
        return self._named(f"{name}_tile", shape)

    def _named(self, name: str, shape: Shape) -> str:
        self.shapes[name], self.types[name] = shape, "fp32"
        return name

    def carry(self, initial: str) -> str:
        """A carried value; :meth:`hand_on` closes it."""
        name = f"c{len(self.carries)}"
        self.carries.append(Carry(initial, name, "", f"{name}_out"))
        self._named(f"{name}_out", self.shapes[initial])
        return self._named(name, self.shapes[initial])

    def hand_on(self, argument: str, value: str) -> None:
        position = next(i for i, c in enumerate(self.carries) if c.argument == argument)
        self.carries[position] = replace(self.carries[position], yielded=value)

    def program(self) -> TileProgram:
        """Everything that is carried is stored in the end."""
        tensors, stores = list(self.tensors), list[Access]()
        for carry in self.carries:
            shape = self.shapes[carry.result] or (1,)
            tensors.append(Tensor(f"{carry.result}_at", "fp32", shape, tuple(1 for _ in shape)))
            starts = (Affine(),) * len(shape)
            stores.append(Access(carry.result, f"{carry.result}_at", "store", shape, starts, value=carry.result))
        loops = (Loop("k", TRIPS, carries=tuple(self.carries)),)
        ops, accesses = (sorted(items, key=lambda item: bool(item.loop)) for items in (self.ops, self.accesses))
        return TileProgram("random", (), loops, tuple(tensors), (*accesses, *stores), tuple(ops))


# -- values that no carried value enters -------------------------------------------------------------------------------


def free(draw: DRAWN, body: Body, shape: Shape, depth: int = 2) -> str:
    """An expression of loads, masks and the trip."""
    kind = draw(st.sampled_from(["load", "sin", "add", "mul", "max", "where", "index"])) if depth else "load"
    if kind == "index" and shape:
        lanes = {f"lane{axis}": axis + 1 for axis in range(len(shape))}
        return body.op("sin", body.op("index", shape=shape, const=1, k=2, **lanes))
    if kind == "sin":
        return body.op("sin", free(draw, body, shape, depth - 1))
    if kind in ("add", "mul", "max"):
        return body.op(kind, *(free(draw, body, shape, depth - 1) for _ in "ab"))
    if kind == "where" and shape:
        pair = [free(draw, body, shape, depth - 1) for _ in "ab"]
        return body.op("where", mask(draw, body, shape), *pair)
    return body.load(shape)


def mask(draw: DRAWN, body: Body, shape: Shape) -> str:
    """A condition on the position and the trip."""
    bound = draw(st.integers(0, 3))
    return body.op("mask", shape=shape, **{"0.const": bound, f"0.lane{len(shape) - 1}": -1, "0.k": 1})


# -- states ------------------------------------------------------------------------------------------------------------


def running_sum(draw: DRAWN, body: Body) -> None:
    shape = draw(st.sampled_from([(), (R,), (R, N), (R, D)]))
    start = body.constant(draw(st.sampled_from([0.0, 0.0, 1.5])), shape)
    state = value = body.carry(start)
    for _ in range(draw(st.integers(1, 2))):
        way = draw(st.sampled_from(["add", "flipped", "sub", "where", "cast", "dot"]))
        if way == "dot" and shape == (R, D):
            value = body.op("dot", free(draw, body, (R, N)), body.load((N, D)), value, shape=shape, k=N)
            continue
        term = free(draw, body, shape)
        pair = (term, value) if way == "flipped" else (value, term)
        after = body.op("sub" if way == "sub" else "add", *pair)
        if way == "where" and shape:
            after = body.op("where", mask(draw, body, shape), after, value)
        value = body.op("cast", after) if way == "cast" else after
    body.hand_on(state, value)


def running_extreme(draw: DRAWN, body: Body) -> None:
    shape, kind = draw(st.sampled_from([(), (R,), (R, N)])), draw(st.sampled_from(["max", "min"]))
    lowest = -math.inf if kind == "max" else math.inf
    state = value = body.carry(body.constant(draw(st.sampled_from([lowest, 0.25])), shape))
    for _ in range(draw(st.integers(1, 2))):
        pair = draw(st.permutations([value, free(draw, body, shape)]))
        if draw(st.booleans()):
            test = body.op("cmp", *pair, shape=shape, predicate="ge" if kind == "max" else "lt")
            value = body.op("where", test, *pair, shape=shape)
        else:
            value = body.op(kind, *pair)
    body.hand_on(state, value)


def online_softmax(draw: DRAWN, body: Body) -> None:
    """Peak, total and weighted values; scale, base, layout, guard and order as drawn."""
    base, kept = draw(st.sampled_from(["exp", "exp2"])), draw(st.booleans())
    place = draw(st.sampled_from(["none", "score", "difference", "both sides"]))
    scale = draw(st.sampled_from([0.5, 1.5, "loaded"]))
    start = draw(st.sampled_from([-math.inf, -math.inf, -3.0, "loaded"]))
    hidden, guarded = draw(st.booleans()), draw(st.booleans()) and start == -math.inf
    shape: Shape = (R, 1) if kept else (R,)
    factor = body.load((), None) if scale == "loaded" else ""
    if factor:  # another scalar than any that is not a scale
        factor = body.op("abs", factor, loop=None)

    def scaled(value: str) -> str:
        wide = body.shapes[value]
        by = body.op("broadcast", factor, shape=wide) if factor else body.constant(float(scale), wide)
        return body.op("mul", *draw(st.permutations([value, by])))

    def wide(value: str, to: Shape) -> str:
        column = value if kept else body.op("reshape", value, shape=(R, 1), axis=1)
        return body.op("broadcast", column, shape=to)

    def summed(value: str) -> str:
        total = body.op("reduce_sum", value, shape=(R,), axis=1)
        return body.op("reshape", total, shape=(R, 1), axis=1) if kept else total

    def power(high: str, low: str) -> str:
        pair = [scaled(v) for v in (high, low)] if place == "both sides" else [high, low]
        gap = body.op("sub", *pair)
        return body.op(base, scaled(gap) if place == "difference" else gap)

    first = body.load(shape, None) if start == "loaded" else body.constant(float(start), shape)
    states = [body.carry(first), body.carry(body.constant(draw(st.sampled_from([0.0, 0.0, 1.0])), shape))]
    states += [body.carry(body.constant(0.0, (R, D))) for _ in range(draw(st.integers(0, 2)))]
    values = list(states)
    for _ in range(draw(st.integers(1, 2))):
        score = free(draw, body, (R, N))
        if place == "score":
            score = scaled(score)
        if hidden:  # the first trip shows something of every row, later ones may not
            seen = body.op("mask", shape=(R, N), **{"0.const": 2, "0.lane1": -1, "0.k": -1})
            score = body.op("where", seen, score, body.constant(-math.inf, (R, N)), shape=(R, N))
        own = body.op("reduce_max", score, shape=(R,), axis=1)
        own = body.op("reshape", own, shape=(R, 1), axis=1) if kept else own
        peak = safe = body.op("max", *draw(st.permutations([values[0], own])))
        if guarded:
            test = body.op("cmp", peak, body.constant(-math.inf, shape), shape=shape, predicate="eq")
            safe = body.op("where", test, body.constant(0.0, shape), peak, shape=shape)
        rescale = power(values[0], safe)
        weight = power(score, wide(safe, (R, N)))
        after = [peak, body.op("add", *draw(st.permutations([body.op("mul", values[1], rescale), summed(weight)])))]
        for old in values[2:]:
            moved = body.op("mul", *draw(st.permutations([old, wide(rescale, (R, D))])))
            after.append(body.op("dot", body.op("cast", weight), body.load((N, D)), moved, shape=(R, D), k=N))
        values = after
    for state, value in zip(states, values, strict=True):
        body.hand_on(state, value)


@st.composite
def bodies(draw: DRAWN) -> TileProgram:
    """One to three states of any kind in one loop."""
    body = Body()
    for make in draw(st.lists(st.sampled_from([running_sum, running_extreme, online_softmax]), min_size=1, max_size=3)):
        make(draw, body)
    return body.program()


# -- damage ------------------------------------------------------------------------------------------------------------

_EXCHANGES = (("add", "sub", "mul", "max", "min"), ("exp", "exp2", "neg", "cast"), ("reduce_sum", "reduce_max"))


@st.composite
def damaged(draw: DRAWN) -> TileProgram:
    """A random body with one or two ops, operands or carried values exchanged for others of the same shape. Most are
    online softmaxes, in which the most can go wrong."""
    body = Body()
    for make in draw(st.sampled_from([(online_softmax,), (online_softmax,), (running_sum, running_extreme)])):
        make(draw, body)
    program = body.program()
    for _ in range(draw(st.integers(1, 2))):
        program = draw(st.sampled_from([_other_kind, _other_operand, _other_yield]))(draw, program)
    return program


def _other_kind(draw: DRAWN, program: TileProgram) -> TileProgram:
    group = draw(st.sampled_from(_EXCHANGES))
    candidates = [i for i, op in enumerate(program.ops) if op.kind in group and op.loop]
    if not candidates:
        return program
    return _replaced(program, draw(st.sampled_from(candidates)), kind=draw(st.sampled_from(group)))


def _other_operand(draw: DRAWN, program: TileProgram) -> TileProgram:
    inside = [i for i, op in enumerate(program.ops) if op.loop and op.operands]
    at = draw(st.sampled_from(inside)) if inside else 0
    op = program.ops[at]
    if not inside:
        return program
    position = draw(st.integers(0, len(op.operands) - 1))
    others = _visible(program, at, op.operand_shapes[position], op.operand_dtypes[position])
    if not others:
        return program
    carried = [name for name in others if name in _arguments(program)]
    operands = list(op.operands)
    operands[position] = draw(st.sampled_from(carried if carried and draw(st.booleans()) else others))
    return _replaced(program, at, operands=tuple(operands))


def _other_yield(draw: DRAWN, program: TileProgram) -> TileProgram:
    (loop,) = program.loops
    at = draw(st.integers(0, len(loop.carries) - 1))
    others = _visible(program, len(program.ops), _shapes(program)[loop.carries[at].argument], "fp32")
    carries = list(loop.carries)
    carries[at] = replace(carries[at], yielded=draw(st.sampled_from(others)))
    return replace(program, loops=(replace(loop, carries=tuple(carries)),))


def _visible(program: TileProgram, before: int, shape: Shape, dtype: str) -> list[str]:
    """Values of a type that an op of the loop can read."""
    made = [op.name for op in program.ops[:before] if (op.shape, op.dtype) == (shape, dtype)]
    carried = [name for name in _arguments(program) if _shapes(program)[name] == shape]
    return made + (carried if dtype == "fp32" else [])


def _arguments(program: TileProgram) -> list[str]:
    return [carry.argument for carry in program.loops[0].carries]


def _shapes(program: TileProgram) -> dict[str, Shape]:
    """Shapes of results and of what is carried."""
    shapes = {op.name: op.shape for op in program.ops}
    shapes |= {name: shape for op in program.ops for name, shape in zip(op.operands, op.operand_shapes, strict=True)}
    stored = {access.value: access.tile for access in program.accesses if access.kind == "store"}
    return {c.argument: stored[c.result] for c in program.loops[0].carries} | shapes


def _replaced(program: TileProgram, at: int, **changes: Any) -> TileProgram:
    ops = list(program.ops)
    ops[at] = replace(ops[at], **changes)
    return replace(program, ops=tuple(ops))
