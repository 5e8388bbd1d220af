"""How long blocks live, which may share a buffer, and when loops take over what they carry."""

from __future__ import annotations

import itertools

import pytest
from emit.small import Small
from hypothesis import given
from hypothesis import strategies as st

from cpplan.emit_ttmetal.carries import updates
from cpplan.emit_ttmetal.lives import Life, Lives, shared

OUTER, LOOP, GUARD = (), (3,), (3, 1)


def test_a_block_ends_in_the_innermost_list_that_holds_all_of_its_uses() -> None:
    first = Lives({})
    run(first)
    assert first.seen == {"a": Life(OUTER, 1, 3), "b": Life(GUARD, 2, 4)}
    second = Lives(first.seen)
    assert run(second) == [("b", GUARD), ("a", OUTER)]
    assert second.given_up == {"a": 4, "b": 4}


def run(lives: Lives) -> list[tuple[str, tuple[int, ...]]]:
    """``a`` is made before a loop, ``b`` under a guard in it; ``a`` is used once and then ``b``."""
    ended = []
    lives.made("a", 1, OUTER, ())
    lives.made("b", 1, GUARD, ((LOOP, "m < 4"),))
    lives.used(["a"], GUARD)
    ended += [(block.buffer, GUARD) for block, _ in lives.ended(GUARD, ((LOOP, "m < 4"),), at_end=False)]
    lives.used(["b"], GUARD)
    ended += [(block.buffer, GUARD) for block, _ in lives.ended(GUARD, ((LOOP, "m < 4"),), at_end=True)]
    ended += [(block.buffer, LOOP) for block, _ in lives.ended(LOOP, (), at_end=True)]
    ended += [(block.buffer, OUTER) for block, _ in lives.ended(OUTER, (), at_end=False)]
    return ended


def test_a_block_that_was_made_under_a_guard_is_given_up_under_it() -> None:
    lives = Lives({"a": Life(LOOP, 1, 2)})
    lives.made("a", 1, GUARD, ((LOOP, "m < 4"),))
    lives.used(["a"], LOOP)
    ((block, condition),) = lives.ended(LOOP, (), at_end=False)
    assert (block.buffer, condition) == ("a", "m < 4")


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10), st.sampled_from("xy")), max_size=12))
def test_buffers_are_shared_by_blocks_of_a_kind_that_never_meet(drawn: list[tuple[int, int, str]]) -> None:
    lives = Lives({})
    lives.seen = {f"b{i}": Life(OUTER, first, first + length) for i, (first, length, _) in enumerate(drawn)}
    lives.given_up = {f"b{i}": first + length for i, (first, length, _) in enumerate(drawn)}
    kinds = {f"b{i}": kind for i, (_, _, kind) in enumerate(drawn)}
    owners = shared(lives, kinds)
    assert all(owners[owner] == owner and kinds[name] == kinds[owner] for name, owner in owners.items())
    for a, b in itertools.combinations(owners, 2):
        if owners[a] == owners[b]:
            one, other = lives.seen[a], lives.seen[b]
            assert one.last < other.first or other.last < one.first


def body(*rules: tuple[str, str, tuple[str, ...]], carried: dict[str, str]) -> Small:
    """A loop with ops (name, kind, operands); ``carried`` maps what is carried to its next value."""
    small = Small()
    start = small.load((64,))
    names = {"x": small.load((64,), loop=None)}
    for name in carried:
        names[name] = small.carry("k", small.op("abs", start), trips=2)
    for name, kind, operands in rules:
        names[name] = small.op(kind, *(names[o] for o in operands), loop="k")
    for name, value in carried.items():
        small.store(small.next("k", names[name], names[value]))
    small.names = names  # type: ignore[attr-defined]
    return small


CASES = {
    "nobody else wants it": (body(("b", "add", ("a", "x")), carried={"a": "b"}), "", {"a": "end"}),
    "the next value is used and the old one no more": (
        body(("b", "add", ("a", "x")), ("c", "exp", ("b",)), carried={"a": "b", "d": "c"}), "c",
        {"a": "op", "d": "copy"},
    ),
    "the old value is used after the next one": (
        body(("b", "max", ("a", "x")), ("c", "sub", ("a", "b")), carried={"a": "b", "d": "c"}), "c",
        {"a": "copy", "d": "copy"},
    ),
    "the next value is cheap to compute again": (
        body(("b", "add", ("a", "x")), ("c", "exp", ("b",)), carried={"a": "b", "d": "c"}), "",
        {"a": "end", "d": "end"},
    ),
    "the next value is kept anyway": (body(("b", "add", ("a", "x")), carried={"a": "b"}), "b", {"a": "copy"}),
    "two take their values from each other": (
        body(("b", "add", ("d", "x")), ("c", "sub", ("a", "x")), carried={"a": "b", "d": "c"}), "",
        {"a": "copy", "d": "end"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_when_loops_take_over_their_next_values(case: str) -> None:
    small, kept, expected = CASES[case]
    names = small.names  # type: ignore[attr-defined]
    program = small.program()
    carried = {names[name] for name in expected}
    found = updates(program, program.loops[0], {names[k] for k in kept}, carried, ())
    assert {u.carry.argument: u.when for u in found} == {names[name]: when for name, when in expected.items()}


def test_an_old_value_is_read_before_it_is_replaced() -> None:
    small = body(("b", "add", ("a", "x")), ("c", "sub", ("d", "a")), carried={"a": "b", "d": "c"})
    program = small.program()
    found = updates(program, program.loops[0], (), {c.argument for c in program.loops[0].carries}, ())
    assert [u.carry.argument for u in found] == [small.names["d"], small.names["a"]]  # type: ignore[attr-defined]
