"""Emitted C++ made tidy: what goes, what stays, and that loops of calls are the calls that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from cpplan.emit_ttmetal.tidy import tidied


def main(*lines: str) -> str:
    """A kernel with these lines."""
    return "\n".join(["void kernel_main() {", *(f"    {line}" for line in lines), "}", ""])


def test_constants_that_nothing_uses_go_and_those_they_alone_use() -> None:
    source = main(
        "const int32_t core_m = get_arg_val<uint32_t>(0);",
        "const int32_t m = core_m;  // m",
        "// m is mentioned",
        "f(0);",
    )
    assert tidied(source) == main("// m is mentioned", "f(0);")


def test_a_constant_is_used_in_its_own_block_alone() -> None:
    source = main("{", "    const int32_t i = 1;", "    f(i);", "}", "{", "    const int32_t i = 2;", "    f(3);", "}")
    assert tidied(source) == main("{", "    const int32_t i = 1;", "    f(i);", "}", "{", "    f(3);", "}")


def test_preprocessor_lines_end_no_block() -> None:
    source = main("const uint64_t flags = address(1);", "f(0);") + "\n"
    source = source.replace("    f(0);", "#ifdef ARCH_BLACKHOLE\n    f(0);\n#endif\n    g(flags);")
    assert tidied(source) == source


def test_else_stands_behind_its_brace() -> None:
    source = main("if (a) {", "    f(0);", "}", "else if (b) {", "    f(1);", "}", "else {", "    f(2);", "}")
    wanted = main("if (a) {", "    f(0);", "} else if (b) {", "    f(1);", "} else {", "    f(2);", "}")
    assert tidied(source) == wanted


def test_what_both_branches_do_stands_outside() -> None:
    source = main(
        "if (page < 3) {", "    begin();", "    read(0);", "    add(0);", "    end();", "} else {", "    begin();",
        "    read(0);", "    end();", "}",
    )  # fmt: skip
    wanted = main("begin();", "read(0);", "if (page < 3) {", "    add(0);", "}", "end();")
    assert tidied(source) == wanted
    little = main("if (page < 3) {", "    begin();", "    add(0);", "} else {", "    begin();", "}")
    assert tidied(little) == little


def test_branches_that_differ_keep_what_differs() -> None:
    source = main(
        "if (first) {", "    begin();", "    fill(0);", "    more();", "    end();", "} else {", "    begin();",
        "    fill(1);", "    more();", "    end();", "}",
    )  # fmt: skip
    wanted = ["begin();", "if (first) {", "    fill(0);", "} else {", "    fill(1);", "}", "more();", "end();"]
    assert tidied(source) == main(*wanted)


def test_three_calls_in_progression_become_a_loop_and_two_do_not() -> None:
    calls = ["copy_tile(cb_a, 2 * row, 0);", "copy_tile(cb_a, 2 * row + 1, 2);", "copy_tile(cb_a, 2 * row + 2, 4);"]
    assert tidied(main(*calls[:2])) == main(*calls[:2])
    loop = ["for (uint32_t slot = 0; slot < 3; ++slot) {", "    copy_tile(cb_a, 2 * row + slot, 2 * slot);", "}"]
    assert tidied(main(*calls)) == main(*loop)


def test_a_name_that_is_taken_is_no_counter() -> None:
    calls = [f"pack_tile({n}, cb);" for n in range(3)]
    assert "uint32_t slot_ = 0" in tidied(main("g(slot);", *calls))


CALLS = st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9), st.integers(0, 3), st.integers(1, 6))


@given(st.lists(CALLS, min_size=1, max_size=5))
def test_loops_do_the_calls_that_they_replace(runs: list[tuple[int, int, int, int, int]]) -> None:
    calls = [f"f(row + {a + n * da}, cb, {b + n * db});" for a, da, b, db, count in runs for n in range(count)]
    assert list(executed(tidied(main(*calls)))) == list(executed(main(*calls)))


def executed(source: str) -> Iterator[tuple[int, int]]:
    """The numbers of the calls of ``f`` in the order in which they happen, with row 100."""
    lines = source.splitlines()[1:-1]
    at = 0
    while at < len(lines):
        head = re.fullmatch(r"for \(uint32_t slot = 0; slot < (\d+); \+\+slot\) \{", lines[at].strip())
        body = lines[at + 1] if head else lines[at]
        for slot in range(int(head[1]) if head else 1):
            first, second = re.fullmatch(r"f\((.*), cb, (.*)\);", body.strip()).groups()  # type: ignore[union-attr]
            yield eval(first, {"row": 100, "slot": slot}), eval(second, {"row": 100, "slot": slot})
        at += 3 if head else 1


def test_numbered_counters_get_words_and_inner_ones_a_number() -> None:
    source = main(
        "for (uint32_t t3 = 0; t3 < 2; ++t3) {", "    for (uint32_t t7 = 0; t7 < 4; ++t7) {", "        f(t3, t7);",
        "    }", "}", "for (uint32_t k2 = 0; k2 < 2; ++k2) {", "    g(k2, 2 * k2);", "}",
    )  # fmt: skip
    assert tidied(source) == main(
        "for (uint32_t tile = 0; tile < 2; ++tile) {", "    for (uint32_t tile2 = 0; tile2 < 4; ++tile2) {",
        "        f(tile, tile2);", "    }", "}", "for (uint32_t depth = 0; depth < 2; ++depth) {",
        "    g(depth, 2 * depth);", "}",
    )  # fmt: skip


def test_bits_of_floats_get_their_number() -> None:
    assert "fill_tile_bitcast(0, 0x3f000000u);  // 0.5" in tidied(main("fill_tile_bitcast(0, 0x3f000000u);"))
    assert "fill_tile_bitcast(0, 0xff800000u);  // -inf" in tidied(main("fill_tile_bitcast(0, 0xff800000u);"))


@given(st.lists(st.text("abc_", min_size=1, max_size=30), min_size=1, max_size=12), st.booleans())
def test_long_lines_are_broken_between_arguments_and_words(names: list[str], commented: bool) -> None:
    call = f"const auto x = function({', '.join(names)});"
    line = f"{call}  // {' '.join(names)}" if commented else call
    out = tidied(main(line, "g(x);"))
    assert all(len(part) <= 120 for part in out.splitlines())
    code = "".join(part.partition("//")[0] for part in out.splitlines())
    assert re.sub(r"\s", "", code) == re.sub(r"\s", "", main(call, "g(x);"))
