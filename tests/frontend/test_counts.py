"""Trips of loops, counted at once for many block shapes, against loops that are run."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cpplan.frontend.counts import Nest, Range, counts
from cpplan.frontend.scalars import GRID, Apply, Index, Number, Scalar

X, Y, OUTER = Index(GRID[0]), Index(GRID[1]), Index("outer")

small = st.integers(-4, 9)
leaves = st.one_of(st.builds(Number, small), st.sampled_from([X, Y]))
inner_leaves = st.one_of(leaves, st.just(OUTER))


def expressions(of: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    names = ("addi", "subi", "muli", "minsi", "maxsi")
    return st.recursive(
        of, lambda parts: st.builds(lambda op, *ab: Apply(op, ab), st.sampled_from(names), parts, parts)
    )


nests = st.builds(
    lambda a, b, c, d, step: (Range("outer", a, b, Number(1)), Range("inner", c, d, Number(step))),
    expressions(leaves), expressions(leaves), expressions(inner_leaves), expressions(inner_leaves), st.integers(1, 5),
)  # fmt: skip


def run(scalar: Scalar, at: dict[str, int]) -> int:
    if isinstance(scalar, Number):
        return int(scalar.value)
    if isinstance(scalar, Index):
        return at[scalar.name]
    a, b = (run(operand, at) for operand in scalar.operands)
    return {"addi": a + b, "subi": a - b, "muli": a * b, "minsi": min(a, b), "maxsi": max(a, b)}[scalar.op]


def trips(loop: Range, at: dict[str, int]) -> int:
    return len(range(run(loop.lower, at), run(loop.upper, at), run(loop.step, at)))


def counted_by_hand(nest: Nest, grid: tuple[int, int, int]) -> tuple[int, int, int]:
    found = []
    for point in product(*map(range, grid)):
        at = dict(zip(GRID, point, strict=True))
        found += [trips(nest[1], at | {"outer": i}) for i in range(trips(nest[0], at))]
    return min(found, default=0), max(found, default=0), sum(found)


@settings(max_examples=200, deadline=None)
@given(nests, st.tuples(*[st.integers(1, 4)] * 3))
def test_nested_loops_are_counted_as_they_run(nest: Nest, grid: tuple[int, int, int]) -> None:
    found = counts(nest, [np.array([extent]) for extent in grid])
    fewest, most, total = counted_by_hand(nest, grid)
    assert (int(found.most[0]), int(found.total[0])) == (most, total)
    assert int(found.fewest[0]) == (fewest if total or most else found.fewest[0])


def test_block_shapes_are_counted_side_by_side() -> None:
    rows = np.array([32, 96, 160, 352])
    upper = Apply("minsi", (Apply("addi", (Apply("muli", (X, Number(rows))), Number(rows))), Number(1000)))
    nest = (Range("k", Apply("muli", (X, Number(rows))), upper, Number(32)),)
    blocks = -(-1000 // rows)
    found = counts(nest, [blocks, np.full(4, 3), np.full(4, 1)])
    for index, height in enumerate(rows.tolist()):
        by_hand = [-(-(min(first + height, 1000) - first) // 32) for first in range(0, 1000, height)]
        assert (found.fewest[index], found.most[index]) == (min(by_hand), max(by_hand))
        assert found.total[index] == 3 * sum(by_hand)
