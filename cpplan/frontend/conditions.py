"""Conditions that a kernel decides while it is compiled: ``tl.static_assert``, ``if`` and ``... if ...`` on constexprs.

Which way they go may depend on the block shape, and only some block shapes can be lowered. So each condition is kept as
the expression that it is, to be asked again for other values of the names in it.
"""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

Key = tuple[str, str, int]
"""Place, text and number of a decision."""


@dataclass(frozen=True)
class Condition:
    """One decision of one lowering. ``names`` are the constexprs in it with their values then; of conditions at one
    place, ``number`` counts the decisions. ``scope`` holds what else it mentions, such as modules."""

    place: str
    text: str
    number: int
    asserted: bool
    names: Mapping[str, Any]
    outcome: bool
    scope: Mapping[str, Any] = field(repr=False)

    @property
    def key(self) -> Key:
        """The same decision in another lowering has the same key."""
        return self.place, self.text, self.number

    def asked(self, values: Mapping[str, Any], code: CodeType | None = None) -> bool:
        """The outcome for other values of the names."""
        return bool(eval(code or self.code, dict(self.scope), dict(values)))

    @property
    def code(self) -> CodeType:
        """The expression, compiled once for many :meth:`asked`."""
        return compile(self.text, self.place, "eval")


@contextmanager
def watched() -> Iterator[list[Condition]]:
    """The list that conditions join in the order in which kernels decide them, while the context is open."""
    import triton.language as tl
    from triton.compiler.code_generator import CodeGenerator

    found: list[Condition] = []
    table = CodeGenerator.statically_implemented_functions
    visits = {name: getattr(CodeGenerator, name) for name in ("visit_If", "visit_IfExp")}
    asserts = table[tl.static_assert]

    def noting(rule: Callable[[Any, Any], Any], test: Callable[[Any], ast.expr], asserted: bool) -> Any:
        def visit(generator: Any, node: Any) -> Any:
            condition = _condition(generator, test(node), asserted, found)
            found.extend([condition] if condition is not None else [])
            return rule(generator, node)

        return visit

    for name, rule in visits.items():
        setattr(CodeGenerator, name, noting(rule, lambda node: node.test, False))
    table[tl.static_assert] = noting(asserts, lambda node: node.args[0], True)
    try:
        yield found
    finally:
        for name, rule in visits.items():
            setattr(CodeGenerator, name, rule)
        table[tl.static_assert] = asserts


def _condition(generator: Any, test: ast.expr, asserted: bool, earlier: list[Condition]) -> Condition | None:
    """None where the condition depends on run-time values, is no plain expression, or is Triton's own, as those ask for
    powers of two."""
    import triton
    from triton.language.core import base_value, constexpr

    if generator.file_name.startswith(os.path.dirname(triton.__file__) + os.sep):
        return None
    names: dict[str, Any] = {}
    scope: dict[str, Any] = {}
    for name in sorted({node.id for node in ast.walk(test) if isinstance(node, ast.Name)}):
        known = generator.lscope.get(name, generator.gscope.get(name, getattr(builtins, name, None)))
        if isinstance(known, constexpr):
            names[name] = known.value
        elif isinstance(known, base_value):
            return None
        else:
            scope[name] = known
    place = f"{generator.file_name}:{generator.begin_line + test.lineno}"
    text = ast.unparse(test)
    number = sum(item.place == place and item.text == text for item in earlier)
    try:
        outcome = Condition(place, text, number, asserted, names, False, scope).asked(names)
    except Exception:  # something that only Triton can evaluate
        return None
    return Condition(place, text, number, asserted, names, outcome, scope)
