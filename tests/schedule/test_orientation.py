"""Where one-dimensional tiles lie: as their uses say, and alike where they are computed element by element."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpplan.frontend import read_launches
from cpplan.schedule.orientation import orientation
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Carry, Loop, Op, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"
N, M = (16,), (16, 32)


def op(name: str, kind: str, operand: str, before: tuple[int, ...], after: tuple[int, ...], **attributes: int) -> Op:
    return Op(name, kind, (operand,), after, "fp32", None, tuple(attributes.items()), (before,), ("fp32",))


def program(*ops: Op, loops: tuple[Loop, ...] = ()) -> TileProgram:
    return TileProgram("p", (), loops, (), (), ops)


@pytest.mark.parametrize(("axis", "expected"), [(1, "column"), (0, "row")])
def test_reductions_and_spreads_decide(axis: int, expected: str) -> None:
    shape = (16, 1) if axis == 1 else (1, 16)
    assert orientation(program(op("r", "reduce_sum", "x", (16, 16), N, axis=axis)), "r") == expected
    assert orientation(program(op("s", "reshape", "x", N, shape, axis=axis)), "x") == expected


def test_what_is_computed_element_by_element_lies_alike() -> None:
    body = program(op("e", "exp", "x", N, N), op("c", "cast", "e", N, N), op("r", "reshape", "c", N, (16, 1), axis=1))
    assert [orientation(body, name) for name in ("x", "e", "c")] == ["column"] * 3


def test_what_loops_carry_lies_alike() -> None:
    body = program(
        op("next", "exp", "old", N, N),
        op("r", "reshape", "after", N, (16, 1), axis=1),
        loops=(Loop("k", 4, carries=(Carry("start", "old", "next", "after"),)),),
    )
    assert [orientation(body, name) for name in ("start", "old", "next", "after")] == ["column"] * 4


def test_of_both_uses_the_column_wins_and_without_any_it_is_a_row() -> None:
    both = program(op("a", "reshape", "x", N, (16, 1), axis=1), op("b", "reshape", "x", N, (1, 16), axis=0))
    assert orientation(both, "x") == "column"
    assert orientation(program(op("e", "exp", "x", N, N)), "x") == "row"


def test_two_axes_say_it_themselves() -> None:
    body = program(op("a", "exp", "x", (16, 1), (16, 1)), op("b", "exp", "y", (1, 16), (1, 16)))
    assert orientation(body, "x") == "column" and orientation(body, "y") == "row"


def test_statistics_of_rows_are_columns_and_weights_are_rows() -> None:
    problem = read_launches(str(EXAMPLES / "layer_norm.py"), argv=["64", "512"]).problems[0]
    body = candidate_program(problem.families[0], 0)
    values = {access.name: access.value for access in body.accesses}
    assert orientation(body, values["w_ptr"]) == "row" and orientation(body, values["mean_ptr"]) == "column"
