"""Index arithmetic against plain evaluation on every point and lane."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cpplan.frontend.boxes import Blocks, find_box, normalised
from cpplan.frontend.integers import EXACT, Integers
from cpplan.frontend.linear import Atom, Linear, Predicate
from cpplan.frontend.space import Space

GRID = (6, 4, 1)
LANES = (8,)
ATOMS = [Atom("axis", 0), Atom("axis", 1), Atom("lane", 0)]

forms = st.builds(
    lambda const, coefficients: Linear.of(zip(ATOMS, coefficients, strict=True), const),
    st.integers(0, 9),
    st.tuples(*[st.integers(0, 40)] * 3),
)
scalars = forms.map(lambda form: form.keeping(lambda atom: atom.kind != "lane", const=True))
divisors = st.integers(1, 64).map(Linear)


def value(form: Linear, space: Space, x: int, y: int, lane: int) -> int:
    total = form.const
    for atom, coefficient in form.terms:
        if atom.kind == "table":
            table = space.tables[atom.number]
            part = int(np.broadcast_to(table, (*GRID, *([1] * (space.rank - 3))))[(x, y, 0)].flat[0])
        else:
            part = {Atom("axis", 0): x, Atom("axis", 1): y, Atom("lane", 0): lane}[atom]
        total += coefficient * part
    return total


def points() -> product:  # type: ignore[type-arg]
    return product(range(GRID[0]), range(GRID[1]), range(LANES[0]))


@given(st.sampled_from(sorted(EXACT.keys() - {"shli", "shrsi", "shrui", "divui", "remui"})), scalars, scalars)
def test_scalar_operations_are_exact_on_every_program(name: str, a: Linear, b: Linear) -> None:
    space = Space(GRID, 0)
    result = Integers(space).binary(name, a, b, ())
    assert result.kinds() <= {"axis", "table"}
    for x, y, _ in points():
        left, right = np.int64(value(a, space, x, y, 0)), np.int64(value(b, space, x, y, 0))
        assert value(result, space, x, y, 0) == int(EXACT[name](left, right))


@given(st.sampled_from(["divsi", "remsi", "andi", "minsi", "maxsi"]), forms, divisors)
def test_lane_operations_are_exact_or_say_so(name: str, a: Linear, b: Linear) -> None:
    space = Space(GRID, 0)
    integers = Integers(space)
    result = integers.binary(name, a, b, LANES)
    if result.kinds() & {"lanes", "opaque", "data"}:
        return
    for x, y, lane in points():
        wrapped = any(value(wrap.below_bound, space, x, y, lane) < 0 for wrap in result.wraps)
        left = np.int64(value(a, space, x, y, lane))
        assert wrapped or value(result, space, x, y, lane) == int(EXACT[name](left, np.int64(b.const)))


@given(st.integers(0, 9), forms, forms)
def test_comparisons_are_conjunctions_of_inequalities(predicate: int, a: Linear, b: Linear) -> None:
    space = Space(GRID, 0)
    result = Integers(space).compare(predicate, a, b, LANES)
    rules = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
    rule = rules[predicate if predicate < 6 else predicate - 4]
    if result.exact:
        for x, y, lane in points():
            holds = all(value(form, space, x, y, lane) >= 0 for form in result.forms)
            assert holds == bool(rule(value(a, space, x, y, lane), value(b, space, x, y, lane)))


@given(scalars, scalars, scalars)
def test_selects_of_scalars_are_exact(bound: Linear, a: Linear, b: Linear) -> None:
    space = Space(GRID, 0)
    integers = Integers(space)
    condition = Predicate((bound.shifted(-20),))
    result = integers.select(condition, a, b, ())
    for x, y, _ in points():
        chosen = a if value(bound, space, x, y, 0) >= 20 else b
        assert value(result, space, x, y, 0) == value(chosen, space, x, y, 0)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5))
def test_grouped_orders_are_the_box_they_visit(rows: int, columns: int, group: int) -> None:
    space = Space((rows * columns, 1, 1), 0)
    pid = np.arange(rows * columns)
    first = pid // (group * columns) * group
    height = np.minimum(rows - first, group)
    inside = pid % (group * columns)
    functions = [normalised(first + inside % height), normalised(inside // height)]
    box = find_box([f for f in functions if f is not None], Blocks(space))
    assert box is not None
    assert sorted(box.extents) == sorted(extent for extent in (rows, columns) if extent > 1)
    assert box.affine(64 * (first + inside % height)) is not None


def test_heads_that_share_keys_split_into_group_and_member() -> None:
    space = Space((24, 1, 1), 0)
    head = np.arange(24)
    box = find_box([head, head // 4], Blocks(space))
    assert box is not None
    assert sorted(box.extents) == [4, 6]
    assert box.affine(head) is not None
    assert box.affine(head // 4) is not None
    assert box.affine(head % 3) is None
