"""Terms as text: what they say about a plan, and one clear message for what is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
import toy
from restrictions import terms_of

from cpplan.errors import InputError
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.plan.terms import parse_restriction
from cpplan.tile.family import stack
from cpplan.tile.program import Problem


def problem() -> Problem:
    """The toy matmul with two block shapes on offer."""
    shapes = [replace(toy.program(), block=(("BM", size),)) for size in (128, 256)]
    return replace(toy.problem(), families=(stack(shapes),))


PLAN = replace(toy.plan(), block=(("BM", 128),))


def holds(text: str, plan: Plan = PLAN) -> bool:
    pinned = parse_restriction(problem(), toy.device(), [text]).allows(toy.device(), plan)
    forbidden = parse_restriction(problem(), toy.device(), [], [text]).allows(toy.device(), plan)
    assert pinned != forbidden
    return pinned


def test_everything_that_can_be_said_about_a_plan_holds_of_it() -> None:
    said = list(terms_of(toy.device(), PLAN))
    assert len(said) > 20
    assert all(parse_restriction(problem(), toy.device(), [text]).allows(toy.device(), PLAN) for text in said)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("BM=128", True),
        ("BM=256", False),
        ("m.cores=2", True),
        ("n.cores=2", True),
        ("m.cores=1", False),
        ("n.on=x", True),
        ("n.on=x,y", False),
        ("m.on=none", False),
        ("x=n/2", True),
        ("x=none", False),
        ("order=m,n", True),
        ("order=n,m", False),
        ("order=m.n", False),
        ("combine=none", True),
        ("combine=tree", False),
        ("combine.noc=0", False),
        ("load_a.level=wave.m", True),
        ("load_a.hoist=launch", False),
        ("store_c.level=wave.n", True),
        ("load_a.depth=2", True),
        ("load_a.broadcast=x", True),
        ("load_a.broadcast=row", True),
        ("load_a.broadcast=column", False),
        ("load_a.broadcast=x,y", False),
        ("load_a.broadcast=multicast", True),
        ("load_a.pattern=private", False),
        ("store_c.broadcast=private", True),
        ("load_a.group=2x1", True),
        ("load_a.noc=0", True),
        ("load_a.reader=first", True),
        ("load_b.reader=first", True),
        ("store_c.reader=first", False),
    ],
)
def test_terms(text: str, answer: bool) -> None:
    assert holds(text) == answer


def test_a_fused_loop_has_the_names_of_all_nestings_of_its_dims_in_their_order() -> None:
    places = tuple(replace(p, level="wave.m.n" if p.level.startswith("wave") else p.level) for p in PLAN.placements)
    fused = replace(PLAN, order=(("m", "n"),), placements=places)
    for text in ("order=m.n", "order=m,n", "store_c.level=wave.n", "store_c.level=wave.n.m"):
        assert holds(text, fused), text
    for text in ("order=n,m", "store_c.level=wave.m"):
        assert not holds(text, fused), text


def test_reader_rules_that_name_the_same_cores_are_one_rule() -> None:
    """With one group along the other dim the diagonal begins at the first core."""
    place = Placement("load_a", "k", 2, (2, 1), "multicast", 0, "first")
    plan = replace(PLAN, spatial=((Split("n", 2),), ()), placements=(place, *PLAN.placements[1:]))
    assert holds("load_a.reader=diagonal", plan)
    assert not holds("load_a.reader=diagonal")


def test_a_text_about_all_accesses_is_about_those_that_can_have_the_value() -> None:
    restriction = parse_restriction(problem(), toy.device(), ["*.level=k", "*.depth=1"])
    assert [term.text for term in restriction.pins] == [
        "load_a.level=k", "load_b.level=k", "load_a.depth=1", "load_b.depth=1", "store_c.depth=1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BM", "write NAME=VALUE or NAME.DECISION=VALUE"),
        ("BM=64", "'64' is not one of the values offered 128, 256"),
        ("BM=large", "'large' is not a number"),
        (
            "BMM=64",
            "matmul on toy has no 'BMM', did you mean 'BM'.*dims and loops m, n.*accesses load_a, load_b",
        ),
        ("Z=64", "has no 'Z'. There are block parameters BM"),
        ("m.size=4", "m has the decisions cores and on"),
        ("m.cores=7", "toy has 6 cores for m: choose 1 to that many"),
        ("m.on=z", "'z' is not one of the spatial dims x, y"),
        ("x=m/4", "these are 4 cores, toy has 3 along x"),
        ("x=m", "write digits such as m/4"),
        ("x=k/2", "'k' is not one of the dims and loops m, n"),
        ("k.cores=2", "cores may not share loop k; they may divide m, n among themselves"),
        ("combine=star", "'star' is not one of the ways to combine none, tree, ring"),
        ("combine.noc=2", "'2' is not one of the networks 0"),
        ("x=m/2.m/2", "these are 4 cores"),
        ("order=m,m", "at most one wave loop"),
        ("order=m,k", "'k' is not one of the parallel dims m, n"),
        ("load_a=k", "say which decision about load_a: load_a.level"),
        ("load_a.size=4", "access load_a has the decisions level, depth, broadcast, group, noc, reader"),
        ("load_a.level=q", "'q' is not one of the levels of load_a launch, wave.m, wave.n, k"),
        ("store_c.level=k", "'k' is not one of the levels of store_c launch, wave.m, wave.n"),
        ("load_a.depth=3", "'3' is not one of the depths 1, 2"),
        ("load_a.broadcast=forward", "'forward' is not one of the broadcasts private, multicast, x, y, row, column"),
        ("store_c.broadcast=x", "'x' is not one of the patterns of store_c, which cores cannot share, private"),
        ("load_a.group=4x1", "at most 3x2"),
        ("load_a.noc=1", "'1' is not one of the networks 0"),
        ("load_a.reader=last", "'last' is not one of the reader rules first, diagonal, nearest"),
        ("*.colour=red", "accesses have the decisions level"),
    ],
)
def test_what_is_not_there_is_an_error_that_lists_what_is(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_restriction(problem(), toy.device(), [], [text])
    assert str(caught.value).startswith(f"--forbid {text}: ")


@pytest.mark.parametrize(
    ("pins", "forbids", "answer"),
    [
        (["load_a.depth=1", "load_a.depth=2"], [], True),
        (["load_a.depth=1", "load_b.depth=2"], [], False),
        (["load_a.broadcast=row", "load_a.group=1x1"], [], True),
        (["load_a.broadcast=multicast", "load_a.broadcast=row", "load_a.group=2x1"], [], False),
        (["order=m,n", "order=m.n"], [], False),
        (["load_a.reader=first", "load_a.reader=diagonal"], [], False),
        (["load_a.level=k"], ["load_a.level=k"], True),
        ([], ["load_a.depth=1", "load_a.depth=2"], False),
    ],
)
def test_pins_that_contradict_each_other_in_any_kernel_are_seen_at_once(
    pins: list[str], forbids: list[str], answer: bool
) -> None:
    assert parse_restriction(problem(), toy.device(), pins, forbids).contradicts_itself() == answer
