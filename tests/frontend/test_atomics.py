"""Atomics in the IR: which become a load, an op and an update, and which stay whole."""

from __future__ import annotations

import pytest

from cpplan.frontend.atomics import DESCRIPTOR_UPDATE, OLD, RMW, UPDATE, taken_apart
from cpplan.frontend.generic import Operation, parse_module

TEXT = """\
"builtin.module"() ({{
  "tt.func"() <{{sym_name = "kernel"}}> ({{
  ^bb0(%y: !tt.ptr<i32>, %x: i32, %m: i1):
    %old = "tt.atomic_rmw"(%y, %x, %m) <{{atomic_rmw_op = {code} : i32}}> : (!tt.ptr<i32>, i32, i1) -> i32
    "tt.store"(%y, %old) : (!tt.ptr<i32>, i32) -> ()
    "tt.return"() : () -> ()
  }}) : () -> ()
}}) : () -> ()
"""

FLOATS = """\
"builtin.module"() ({{
  "tt.func"() <{{sym_name = "kernel"}}> ({{
  ^bb0(%y: !tt.ptr<f32>, %x: f32, %n: i32, %z: i32, %true: i1):
    %bits = "tt.bitcast"(%x) : (f32) -> i32
    %p = "tt.bitcast"(%y) : (!tt.ptr<f32>) -> !tt.ptr<i32>
    %sign = "arith.shrui"(%bits, %n) : (i32, i32) -> i32
    %negative = "arith.cmpi"(%sign, %z) <{{predicate = 1 : i64}}> : (i32, i32) -> i1
    %positive = "arith.xori"(%negative, %true) : (i1, i1) -> i1
    %a = "tt.atomic_rmw"(%p, %bits, %positive) <{{atomic_rmw_op = {first} : i32}}> : (!tt.ptr<i32>, i32, i1) -> i32
    %b = "tt.atomic_rmw"(%p, %bits, %negative) <{{atomic_rmw_op = {second} : i32}}> : (!tt.ptr<i32>, i32, i1) -> i32
    {use}
    "tt.return"() : () -> ()
  }}) : () -> ()
}}) : () -> ()
"""


def operations(text: str) -> list[Operation]:
    return taken_apart(parse_module(text)).regions[0][0].operations[0].regions[0][0].operations


@pytest.mark.parametrize(("code", "name"), sorted(RMW.items()))
def test_every_kind_is_a_load_an_op_and_an_update(code: int, name: str) -> None:
    load, *made, update, store, _ = operations(TEXT.format(code=code))
    assert (load.name, load.attributes[OLD], update.name) == ("tt.load", True, UPDATE)
    pointer, operand, mask = load.operands[0], update.operands[1] if not made else made[0].operands[1], load.operands[1]
    new = made[0].results[0] if made else operand
    assert [op.name for op in made] == ([] if name == "exchange" else [name])
    assert update.operands == [pointer, new, load.results[0], mask]
    assert store.operands[1] is load.results[0] and load.results[0].op is load  # what the atomic returned


def test_a_kind_that_is_not_known_stays_whole() -> None:
    assert operations(TEXT.format(code=77))[0].name == "tt.atomic_rmw"


@pytest.mark.parametrize(("first", "second", "name"), [(6, 9, "arith.maxnumf"), (7, 8, "arith.minnumf")])
def test_two_atomics_on_the_bits_of_floats_are_one(first: int, second: int, name: str) -> None:
    *_, load, made, update, _ = operations(FLOATS.format(first=first, second=second, use=""))
    assert (load.name, made.name, update.name) == ("tt.load", name, UPDATE)
    assert load.operands[0].type.element == "!tt.ptr<f32>" and made.operands[1].type.element == "f32"
    assert len(load.operands) == 1  # no mask was there


@pytest.mark.parametrize(("first", "second"), [(6, 8), (9, 6), (4, 9)])
def test_others_on_bits_stay_two(first: int, second: int) -> None:
    names = [op.name for op in operations(FLOATS.format(first=first, second=second, use=""))]
    assert names.count(UPDATE) == 2


def test_two_whose_result_is_used_stay_two() -> None:
    use = '"tt.store"(%p, %a) : (!tt.ptr<i32>, i32) -> ()'
    assert [op.name for op in operations(FLOATS.format(first=6, second=9, use=use))].count(UPDATE) == 2


def test_reductions_of_descriptors() -> None:
    text = TEXT.format(code=4).replace('"tt.atomic_rmw"(%y, %x, %m) <{atomic_rmw_op = 4 : i32}>', "REDUCE")
    text = text.replace(
        "%old = REDUCE : (!tt.ptr<i32>, i32, i1) -> i32",
        '"tt.descriptor_reduce"(%y, %x, %x) <{kind = 3 : i32}> : (!tt.ptr<i32>, i32, i32) -> ()',
    )
    text = text.replace('    "tt.store"(%y, %old) : (!tt.ptr<i32>, i32) -> ()\n', "")
    load, made, update, _ = operations(text)
    assert (load.name, made.name, update.name) == ("tt.descriptor_load", "arith.maxsi", DESCRIPTOR_UPDATE)
    assert load.attributes[OLD] and update.operands[2] is load.results[0]
