"""Conditions that a kernel decides while it is compiled, and what they say of other block shapes."""

from __future__ import annotations

from pathlib import Path

from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.conditions import Condition, watched

HERE = Path(__file__).parent
ATTENTION = HERE.parents[1] / "examples" / "attention.py"
CHOOSY = HERE / "kernels" / "choosy.py"


def conditions(path: Path, *argv: str) -> list[Condition]:
    launch = capture_launches(str(path), argv=list(argv))[0]
    with watched() as found:
        build(launch)
    return found


def test_an_assertion_is_known_with_its_line_and_the_values_in_it() -> None:
    (assertion,) = [item for item in conditions(ATTENTION) if item.asserted]
    line = next(i for i, text in enumerate(ATTENTION.read_text().splitlines(), 1) if "static_assert" in text)
    assert assertion.place == f"{ATTENTION}:{line}"
    assert (assertion.names, assertion.outcome) == ({"BLOCK_M": 64, "BLOCK_N": 32}, True)


def test_it_can_be_asked_for_other_values() -> None:
    (assertion,) = [item for item in conditions(ATTENTION) if item.asserted]
    assert assertion.asked({"BLOCK_M": 96, "BLOCK_N": 32})
    assert not assertion.asked({"BLOCK_M": 96, "BLOCK_N": 64})


def test_branches_on_constexprs_are_conditions_and_those_on_values_are_not() -> None:
    found = conditions(CHOOSY, "even", "3072")
    assert {(item.text, item.outcome) for item in found} == {("EVEN", True)}
    assert conditions(HERE / "kernels" / "rows.py", "early") == []  # it returns early depending on the program id


def test_a_called_function_is_watched_with_its_own_names() -> None:
    (assertion,) = [item for item in conditions(CHOOSY, "nested_assertion") if item.asserted]
    assert assertion.names == {"HALF": 16}


def test_triton_is_left_as_it_was() -> None:
    import triton.language as tl
    from triton.compiler.code_generator import CodeGenerator

    before = CodeGenerator.visit_If, CodeGenerator.statically_implemented_functions[tl.static_assert]
    conditions(ATTENTION)
    assert (CodeGenerator.visit_If, CodeGenerator.statically_implemented_functions[tl.static_assert]) == before
