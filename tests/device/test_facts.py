"""Figures in shipped specs equal the fact of hwspecs/facts.toml they cite; derived facts follow their formula."""

from __future__ import annotations

import ast
import operator
import statistics
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute

from cpplan.device.exact import format_exact
from cpplan.device.operation import DfOp
from cpplan.device.source import FOLDERS, load
from cpplan.device.spec import list_devices, load_device
from cpplan.device.syntax import NumberAttr

FOLDER = next(folder for folder in FOLDERS if folder.is_dir())
TEXT = (FOLDER / "facts.toml").read_text(encoding="utf-8")
DOCUMENT = tomllib.loads(TEXT, parse_float=Decimal)


def leaves(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, entry in table.items():
        if "source" in entry:
            yield prefix + key, entry
        elif isinstance(entry, dict):
            yield from leaves(entry, f"{prefix}{key}.")


FACTS = dict(leaves({key: table for key, table in DOCUMENT.items() if key != "sources"}))
FORMULAS = [key for key, fact in FACTS.items() if "formula" in fact]


def exact(value: Any) -> Any:
    """A fact's value in the form in which spec fields are compared."""
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Fraction(value)
    return value


def plain(value: Attribute) -> Any:
    match value:
        case NumberAttr() | StringAttr():
            return value.data
        case ArrayAttr():
            return [plain(item) for item in value.data]
        case DictionaryAttr():
            return {key: plain(item) for key, item in value.data.items()}
    raise AssertionError(f"{value} cannot be compared with a fact")


def cited_fields(name: str) -> Iterator[tuple[str, str, Attribute, str]]:
    for op in load(name).device.walk():
        assert isinstance(op, DfOp)
        sources = op.sources()
        for field, value in op.fields().items():
            if field in sources:
                yield op.label, field, value, sources[field]


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def compute(node: ast.expr) -> Fraction:
    """Value of a formula: numbers, + - * /, median(...), keys of other facts."""
    match node:
        case ast.Constant(value=int() | float()):
            return Fraction(str(node.value))
        case ast.BinOp():
            return OPERATORS[type(node.op)](compute(node.left), compute(node.right))
        case ast.Call(func=ast.Name(id="median")):
            return statistics.median(map(compute, node.args))
        case ast.Attribute():
            return Fraction(FACTS[ast.unparse(node)]["value"])
    raise AssertionError(f"not a formula: {ast.unparse(node)}")


@pytest.mark.parametrize("name", list_devices())
def test_cited_facts_exist_and_say_what_the_spec_says(name: str) -> None:
    for label, field, value, key in cited_fields(name):
        where = f"{name}: {label} {field} cites {key}"
        assert key in FACTS, where
        fact = FACTS[key]
        if "value" not in fact or isinstance(value, AffineMapAttr | IntegerAttr | SymbolRefAttr):
            continue
        if field in ("source", "destination", "receivers"):
            continue
        if field == "positions":
            routers = exact(fact["value"])
            assert [p for p in routers if p in plain(value)] == plain(value), where
        else:
            assert plain(value) == exact(fact["value"]), where


@pytest.mark.parametrize("key", FORMULAS)
def test_derived_facts_follow_their_formula(key: str) -> None:
    fact = FACTS[key]
    value = compute(ast.parse(fact["formula"], mode="eval").body)
    assert round(value, fact["digits"]) == Fraction(fact["value"]) if "digits" in fact else value == fact["value"]


@pytest.mark.parametrize("key", list(FACTS))
def test_facts_name_a_known_source(key: str) -> None:
    fact = FACTS[key]
    known = (*DOCUMENT["sources"], "tt-llk or tt-metal pull request, thread not recorded")
    assert fact["source"].split(":")[0].split(" #")[0] in known
    assert fact.get("choice") or fact["conf"] in ("high", "medium", "low")


def test_no_fact_is_left_over() -> None:
    cited = {key for name in list_devices() for *_, key in cited_fields(name)}
    used = {key for key in FACTS if any(key in FACTS[formula]["formula"] for formula in FORMULAS)}
    background = {"wormhole.l1.usable", "blackhole.l1.usable"}
    assert set(FACTS) - cited - used - background == set()


def test_golden_figures_of_the_tenstorrent_devices() -> None:
    """Vendor figures, written down here a second time: ISA documentation, ttnn 0.81.1 headers, GEMM_FLOPS.md."""
    wormhole, blackhole = load_device("wormhole"), load_device("blackhole")
    assert (wormhole.clock_mhz, blackhole.clock_mhz) == (1000, 1350)
    assert (wormhole.sram.usable, blackhole.sram.usable) == (1393312, 1461120)
    assert (wormhole.dram.banks, blackhole.dram.banks) == (12, 8)
    assert (wormhole.sram.max_buffers, blackhole.sram.max_buffers) == (32, 64)
    for device in (wormhole, blackhole):
        assert [noc.route for noc in device.nocs] == [((0, 1), (1, 1)), ((1, -1), (0, -1))]
        costs = [device.unit("matrix").cost(f"mac.{fidelity}") for fidelity in ("LoFi", "HiFi2", "HiFi3", "HiFi4")]
        assert costs == [16, 32, 48, 64]
    assert (wormhole.nocs[0].torus, blackhole.nocs[0].torus) == ((10, 12), (17, 12))


def test_all_banks_together_stay_below_the_peak_of_the_memory() -> None:
    """288 and 512 GB/s: GDDR6 at 12 GT/s on 12 x 16 bit, and at 16 GT/s on 8 x 32 bit."""
    for name, peak in (("wormhole", 288), ("blackhole", 512)):
        device = load_device(name)
        for rate in (device.dram.bank_read_rate, device.dram.bank_write_rate):
            assert rate * device.dram.banks * device.clock_mhz / 1000 < peak


def test_cores_avoid_the_columns_and_rows_that_hold_something_else() -> None:
    """Wormhole: DRAM in columns 0 and 5, ethernet in rows 0 and 6. Blackhole: DRAM in 0 and 9, routers in 8."""
    for name in list_devices():
        if name.startswith("wormhole") and name != "wormhole_tileloom":
            x, y = load_device(name).dims
            assert not {0, 5} & set(x.positions) and not {0, 6} & set(y.positions)
        if name.startswith("blackhole"):
            x, y = load_device(name).dims
            assert not {0, 8, 9} & set(x.positions) and not {0, 1} & set(y.positions)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(223, 10), "22.3"), (Fraction(-1, 8), "-0.125"), (Fraction(4096, 49), "4096/49"), (Fraction(7), "7")],
)
def test_numbers_print_exactly(value: Fraction, text: str) -> None:
    assert format_exact(value) == text
