"""C++ text, line by line, and integer expressions in it."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cpplan.tile.program import Affine

ZERO = Affine()


@dataclass
class Text:
    """Lines of C++ under construction; ``depth`` counts the open blocks."""

    lines: list[str] = field(default_factory=list)
    depth: int = 0
    calls: list[int] = field(default_factory=list)

    def line(self, text: str = "") -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.depth + text if text else "")

    def call(self, text: str) -> None:
        """A line that does something to slots; ``calls`` has their numbers. All others are set-up or control."""
        self.calls.append(len(self.lines))
        self.line(text)

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        """A block in braces with ``head`` before it."""
        self.line(f"{head} {{" if head else "{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


class Calls(Text):
    """Calls alone, without what is set up for them."""

    def line(self, text: str = "") -> None:
        """Nothing."""

    def call(self, text: str) -> None:
        """One call."""
        self.lines.append("    " * self.depth + text)


def plus(*parts: Affine) -> Affine:
    """Their sum."""
    total: dict[str, int] = {}
    for part in parts:
        for name, factor in part.terms:
            total[name] = total.get(name, 0) + factor
    terms = tuple(sorted((name, factor) for name, factor in total.items() if factor))
    return Affine(sum(part.const for part in parts), terms)


def scaled(form: Affine, factor: int) -> Affine:
    """``factor * form``."""
    return Affine(form.const * factor, tuple((n, f * factor) for n, f in form.terms) if factor else ())


def number(value: int) -> Affine:
    """A constant."""
    return Affine(value)


def symbol(name: str) -> Affine:
    """A C++ variable, or an expression in parentheses."""
    return Affine(0, ((name, 1),))


def written(form: Affine) -> str:
    """The expression in C++, the constant last: ``4 * i_r + i_c + 1``."""
    text = ""
    for name, factor in form.terms:
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + (name if abs(factor) == 1 else f"{abs(factor)} * {name}")
    if not text:
        return str(form.const)
    if form.const:
        text += f" {'-' if form.const < 0 else '+'} {abs(form.const)}"
    return text


def bits(value: float) -> str:
    """The number as the 32 bits of a float, in C++; numbers beyond the largest float become infinities."""
    if math.isnan(value):
        return "0x7fc00000u"
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, value))
    return f"0x{struct.unpack('<I', packed)[0]:08x}u"
