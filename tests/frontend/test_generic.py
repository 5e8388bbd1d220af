"""The reader of MLIR's generic form."""

import math
from pathlib import Path

import pytest

from cpplan.errors import InternalError
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.generic import Location, parse_module, parse_type
from cpplan.frontend.lower import lower

TEXT = """\
#loc1 = loc("k.py":3:1)
"builtin.module"() ({
  "tt.func"() <{sym_name = "f", sym_visibility = "public"}> ({
  ^bb0(%p: !tt.ptr<f32> loc("p"(#loc1)), %n: i32 loc(#loc1)):
    %c = "arith.constant"() <{value = dense<0xFF800000> : tensor<4xf32>}> : () -> tensor<4xf32> loc(#loc2)
    %b = "arith.cmpi"(%n, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1 loc(#loc1)
    "cf.cond_br"(%b)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> () loc(#loc1)
  ^bb1:  // 2 preds: ^bb0, ^bb0
    %r:2 = "scf.if"(%b) ({
      "scf.yield"(%n, %n) : (i32, i32) -> () loc(#loc1)
    }, {
      %n_0 = "arith.addi"(%n, %n) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32 loc(#loc3)
      "scf.yield"(%n_0, %n) : (i32, i32) -> () loc(#loc1)
    }) : (i1) -> (i32, i32) loc(#loc4)
    "test.use"(%r#1, %p) {flag, list = array<i32>} : (i32, !tt.ptr<f32>) -> () loc(unknown)
  }) : () -> () loc(#loc1)
}) : () -> () loc(#loc1)
#loc2 = loc("minimum"(#loc1))
#loc3 = loc(callsite("lib.py":7:2 at #loc1))
#loc4 = loc("pair"(callsite("/x/triton/language/core.py":9:9 at "user.py":5:1)))
"""


def test_operations_regions_and_types() -> None:
    function = parse_module(TEXT).regions[0][0].operations[0]
    entry, rest = function.regions[0]
    assert [op.name for op in entry.operations] == ["arith.constant", "arith.cmpi", "cf.cond_br"]
    assert entry.operations[2].successors == ["^bb1", "^bb1"]
    branch, use = rest.operations
    assert [len(region) for region in branch.regions] == [1, 1]
    assert use.operands == [branch.results[1], entry.arguments[0]]
    assert use.attributes == {"flag": True, "list": []}


def test_attributes_are_values() -> None:
    constant, compare, branch = parse_module(TEXT).regions[0][0].operations[0].regions[0][0].operations
    assert constant.attributes["value"] == -math.inf
    assert compare.integer("predicate") == 2
    assert branch.integers("operandSegmentSizes") == [1, 0, 0]


def test_locations_name_lines_and_variables() -> None:
    function = parse_module(TEXT).regions[0][0].operations[0]
    constant = function.regions[0][0].operations[0]
    branch = function.regions[0][1].operations[0]
    assert constant.location == Location("k.py", 3, "minimum")
    assert branch.regions[1][0].operations[0].location == Location("lib.py", 7)  # a helper: its own line
    assert branch.location == Location("user.py", 5, "pair")  # Triton's library: the line that calls it
    assert function.regions[0][0].arguments[0].label == "p"


@pytest.mark.parametrize(
    ("text", "shape", "element"),
    [
        ("i32", (), "i32"),
        ("tensor<128x64x!tt.ptr<f16>>", (128, 64), "!tt.ptr<f16>"),
        ("tensor<8xf32, #blocked>", (8,), "f32"),
        ("!tt.tensordesc<tensor<128x64xbf16>>", (), "!tt.tensordesc<tensor<128x64xbf16>>"),
    ],
)
def test_types(text: str, shape: tuple[int, ...], element: str) -> None:
    assert (parse_type(text).shape, parse_type(text).element) == (shape, element)


def test_other_text_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="generic form"):
        parse_module("module {\n}\n")
    with pytest.raises(InternalError, match="cannot read Triton's IR"):
        parse_module('"builtin.module"() ({ %x = 5 }) : () -> ()')


def test_this_triton_prints_generic_form() -> None:
    example = Path(__file__).parents[2] / "examples" / "elementwise.py"
    module = lower(capture_launches(str(example))[0])
    assert module.name == "builtin.module"
    assert {"tt.load", "tt.store", "math.erf"} <= {op.name for op in module.walk()}
