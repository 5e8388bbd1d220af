"""What the reader does with files from outside: exact numbers, positions in errors, bases, no code."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpplan.device.df import context
from cpplan.device.exact import format_exact
from cpplan.device.lint import lint
from cpplan.device.source import load
from cpplan.device.spec import load_device
from cpplan.device.syntax import DfParser, parse_optional_number
from cpplan.errors import SpecError

LINE = (Path(__file__).parent / "toys" / "line.mlir").read_text()


def write(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.mlir"
    path.write_text(text)
    return str(path)


@given(st.fractions(max_denominator=10**6))
def test_numbers_survive_printing_and_parsing(value: Fraction) -> None:
    assert parse_optional_number(DfParser(context(), format_exact(value), "number")) == value


def test_decimals_are_exact(tmp_path: Path) -> None:
    path = write(tmp_path, "line", LINE.replace("link_rate = 32", "link_rate = 0.1"))
    assert load_device(path).nocs[0].link_rate == Fraction(1, 10)


@pytest.mark.parametrize(
    ("old", "new", "where", "message"),
    [
        ("extent = 4", "extend = 4", "3:22", "df.spatial_dim has no field 'extend'; it has extent, positions"),
        ("extent = 4", "extent = @four", "3:22", "field 'extent' cannot be @four"),
        ("extent = 4", "extent = 4.5", "3:22", "'extent' must be a whole number, got 4.5"),
        ("extent = 4", "extent = 5", "3:34", "4 positions for an extent of 5"),
        ("clock_mhz = 1000, ", "", "2:11", "df.device @line: needs the field 'clock_mhz'"),
        ("clock_mhz = 1000", "clock_mhz = 1000, clock_mhz = 1", "2:36", "field 'clock_mhz' is given twice"),
        ("load|compute|store", "all|at|once", "2:57", "'all|at|once' is not one of"),
        ("[@i]", "[@z]", "4:18", "there is no df.spatial_dim @z"),
        ('["+i"]', '["i"]', "15:26", "'i' needs a sign"),
        ('["+i"]', '["+q"]', "15:26", "'+q' is not a signed spatial dim, such as +i"),
        ("[[0], [5]]", "[[0]]", "23:54", "lists 1 routers for 2 banks"),
        ("[[0], [5]]", "[[0, 0], [5, 0]]", "23:54", "is not a coordinate of 1 spatial dims"),
        ("df.mux @banks", "df.mat @banks", "23:18", "df.mat has no field 'source'"),
        ("df.transfer @write", "df.transfer @post", "16:13", "needs a df.transfer @write in its body"),
        ("df.transfer @write", "df.transfer @read", "16:13", "holds df.transfer @read more than once"),
        ("cycles = 32", "cycles = 32, bytes_per_cycle = 1", "9:15", "give either 'cycles' or 'bytes_per_cycle'"),
        ("df.vec", "df.gpu", "11:12", "Operation df.gpu is not registered"),
        ("df.vec @vec", "builtin.module {} df.vec @vec", "1:1", "a df.device cannot hold builtin.module"),
        ("df.device", "builtin.module {} df.device", "1:1", "expected exactly one df.device"),
    ],
)
def test_errors_name_file_line_and_column(tmp_path: Path, old: str, new: str, where: str, message: str) -> None:
    assert old in LINE
    path = write(tmp_path, "broken", LINE.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        load_device(path)
    assert str(caught.value).startswith(f"{path}:{where}")
    assert message in str(caught.value)
    assert lint(path)


@pytest.mark.parametrize(
    "text",
    ["", "garbage", "df.device @a (", "[" * 5000, "df.device @a (x = " + "[" * 5000, "module {}", "\x00"],
    ids=["empty", "words", "cut off", "brackets", "deep", "no device", "nul"],
)
def test_any_other_file_gives_one_message(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "noise", text)
    with pytest.raises(SpecError, match=r"noise\.mlir:\d+:\d+: "):
        load_device(path)


def test_a_file_that_is_not_text_gives_one_message(tmp_path: Path) -> None:
    path = tmp_path / "binary.mlir"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(SpecError, match="cannot be read as text"):
        load_device(str(path))


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = write(tmp_path, "huge", "// " + "x" * (1 << 21))
    with pytest.raises(SpecError, match="not a hardware spec"):
        load_device(path)


def test_a_base_is_looked_for_beside_the_file_first(tmp_path: Path) -> None:
    write(tmp_path, "wormhole", LINE)
    path = write(tmp_path, "mine", 'df.device @mine base "wormhole" (clock_mhz = 7 cite "x") {}')
    assert load_device(path).clock_mhz == 7
    assert load_device(path).cores == 4


def test_overrides_keep_what_they_do_not_name() -> None:
    base, derived = load_device("blackhole"), load_device("blackhole_13x10")
    assert derived.units == base.units
    assert derived.dram == base.dram
    assert derived.dims[1] == base.dims[1]


def test_an_override_drops_the_citation_of_the_figure_it_replaces(tmp_path: Path) -> None:
    path = write(tmp_path, "mine", 'df.device @mine base "wormhole" (clock_mhz = 900) {}')
    assert "clock_mhz" not in load(path).device.sources()


def test_a_base_cannot_lead_back_to_itself(tmp_path: Path) -> None:
    write(tmp_path, "a", 'df.device @a base "b" () {}')
    path = write(tmp_path, "b", 'df.device @b base "a" () {}')
    with pytest.raises(SpecError, match="its own base"):
        load_device(path)


def test_an_unknown_base_is_reported_where_it_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a", 'df.device @a base "nothing" () {}')
    with pytest.raises(SpecError, match=r"a\.mlir:1:11: base of df.device @a: no device 'nothing'"):
        load_device(path)
