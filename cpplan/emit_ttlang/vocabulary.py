"""Ops of the body as words of TT-Lang: ``{0}``, ``{1}``, ... are the operands, ``{shape}`` the blocks of the result.

TT-Lang compares with 0 and 1 in the type of the operands, so booleans are numbers.
"""

from __future__ import annotations

import math

_MATH = ("abs", "exp", "exp2", "expm1", "log", "sqrt", "rsqrt", "recip", "tanh", "sigmoid", "sin", "cos", "floor",
         "ceil", "trunc", "neg")  # fmt: skip

WORDS: dict[str, str] = {
    **{kind: f"ttl.math.{kind}({{0}})" for kind in _MATH},
    "log1p": "ttl.math.logp1({0})",
    "log2": f"ttl.math.log({{0}}) * ttl.block.fill({1 / math.log(2)}, shape={{shape}})",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "max": "ttl.math.max({0}, {1})",
    "min": "ttl.math.min({0}, {1})",
    "where": "ttl.block.where({0}, {1}, {2})",
    "and": "ttl.math.min({0}, {1})",
    "or": "ttl.math.max({0}, {1})",
    "cmp_lt": "ttl.math.lt({0}, {1})",
    "cmp_gt": "ttl.math.gt({0}, {1})",
    "cmp_eq": "ttl.math.eq({0}, {1})",
    "cmp_ne": "ttl.math.ne({0}, {1})",
    "cmp_le": "ttl.math.max(ttl.math.lt({0}, {1}), ttl.math.eq({0}, {1}))",
    "cmp_ge": "ttl.math.max(ttl.math.gt({0}, {1}), ttl.math.eq({0}, {1}))",
}
"""Element by element; ``cmp_`` and the predicate for comparisons."""

REDUCTIONS = ("reduce_sum", "reduce_max")
"""Along one axis, whose tiles become one; other elements of the tiles that are left mean nothing."""
