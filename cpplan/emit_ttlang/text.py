"""Lines of Python, and integer expressions in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from cpplan.emit_ttlang.names import Names
from cpplan.schedule.schedule import Index, Term
from cpplan.tile.program import Affine, Profile


@dataclass
class Lines:
    """Python under construction; ``depth`` counts the open blocks."""

    lines: list[str] = field(default_factory=list)
    depth: int = 0

    def add(self, *texts: str) -> None:
        """Lines at the current depth."""
        self.lines += [f"{'    ' * self.depth}{text}" if text else "" for text in texts]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block after ``head``; one in which nothing was written is a ``pass``."""
        self.add(head)
        before = len(self.lines)
        self.depth += 1
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    @contextmanager
    def where(self, conditions: Iterable[str]) -> Iterator[None]:
        """Lines under an ``if``, or as they are where there is no condition; nothing if there are no lines."""
        tests = list(conditions)
        if not tests:
            yield
            return
        self.add(f"if {' and '.join(tests)}:")
        before = len(self.lines)
        self.depth += 1
        yield
        self.depth -= 1
        if len(self.lines) == before:
            self.lines.pop()

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


def index_text(index: Index, names: Names, instead: Mapping[str, str] | None = None) -> str:
    """``core_m + 8 * (wave_m // 2 % 3)``; ``instead`` has other texts for some symbols."""
    known = instead or {}

    def term(item: Term) -> str:
        text = known.get(item.symbol, names.index(item.symbol))
        text += f" // {item.divisor}" if item.divisor > 1 else ""
        return times(text + (f" % {item.modulus}" if item.modulus else ""), item.factor)

    return added([*map(term, index.terms), *([str(index.const)] if index.const else [])])


def affine_text(form: Affine, names: Names) -> str:
    """``4 * m + 2``."""
    terms = [times(names.index(name), factor) for name, factor in form.terms]
    return added([*terms, *([str(form.const)] if form.const else [])])


def trips_text(profile: Profile, block: str) -> str:
    """Trips of a loop in ``block``: ``min(3, max(0, block))``."""
    common = math.gcd(profile.slope, profile.offset, profile.divisor)
    slope, offset, divisor = profile.slope // common, profile.offset // common, profile.divisor // common
    line = added([*([times(block, slope)] if slope else []), *([str(offset)] if offset else [])])
    wanted = line if divisor == 1 else f"-(-({line}) // {divisor})"
    return f"min({profile.high}, max({profile.low}, {wanted}))"


def times(text: str, factor: int) -> str:
    """``factor * text``."""
    if factor == 1:
        return text
    return f"{factor} * ({text})" if " " in text else f"{factor} * {text}"


def added(parts: Iterable[str]) -> str:
    """Their sum."""
    return " + ".join(parts).replace("+ -", "- ") or "0"


def total(*forms: Affine) -> Affine:
    """Their sum."""
    factors: dict[str, int] = {}
    for form in forms:
        for name, factor in form.terms:
            factors[name] = factors.get(name, 0) + factor
    terms = tuple(sorted((name, factor) for name, factor in factors.items() if factor))
    return Affine(sum(form.const for form in forms), terms)


def scaled(form: Affine, factor: int) -> Affine:
    """``factor * form``."""
    return Affine(form.const * factor, tuple((name, f * factor) for name, f in form.terms) if factor else ())
