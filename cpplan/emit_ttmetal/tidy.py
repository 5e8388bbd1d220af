"""Emitted C++ made tidy, line by line: what its writers cannot know while they write.

Constants that nothing uses go, what both branches of a condition begin or end with stands outside of it, calls in
arithmetic progression become loops, counters that the compute kernel numbers get words for names, an ``else`` stands
behind its brace, and lines fit ``WIDTH`` columns. Statements come in one line each, as :mod:`cpplan.emit_ttmetal.text`
and :mod:`cpplan.emit_ttmetal.movement.lines` write them, and conditions are of constants.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

WIDTH = 120
INDENT = "    "
FEWEST_CALLS = 3
"""Calls that are worth a loop."""

DECLARATION = re.compile(r"\s*(?:constexpr|const) (?:u?int(?:32|64)_t|auto) (\w+) = .*")
CALL = re.compile(r"(\s*)([\w:]+(?:<[\w:, ]*>)?)\(([^()]*)\);")
ARGUMENT = re.compile(r"(?:(.*[^\d\s]) \+ )?(\d+)")
CALLED = re.compile(r"(?:const auto \w+ = )?[\w:<>]+")
FLOAT_BITS = re.compile(r" +[\w:<>, ]+\([^()]*(0x[0-9a-f]{8})u\);")
COUNTER = re.compile(r"(\s*)for \(uint32_t ([tk])\d+ = 0; ([tk]\d+) <")
COUNTER_NAMES = {"t": "tile", "k": "depth"}
"""Of the tiles that a reduction takes, and of the steps of a product."""


def tidied(source: str) -> str:
    """``source`` with all of that done."""
    lines = source.replace("}  // namespace plan\n\nnamespace plan {\n\n", "").split("\n")
    lines = _without_unused(_factored(_else_behind_brace(lines)))
    lines = _valued(_named_counters(_rolled(lines)))
    return "\n".join(part for line in lines for part in _fitted(line))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _code(line: str) -> str:
    return line.partition("//")[0]


def _mentions(name: str, text: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def _scope(lines: Sequence[str], at: int) -> int:
    """Where the block ends in which line ``at`` stands."""
    depth = _depth(lines[at])
    ends = (n for n in range(at + 1, len(lines)) if lines[n] and lines[n][0] != "#" and _depth(lines[n]) < depth)
    return next(ends, len(lines))


def _without_unused(lines: list[str]) -> list[str]:
    """Without the constants of functions that nothing in their block names."""
    while True:
        unused = {n for n, line in enumerate(lines) if line[:1] == " " and _is_unused(lines, n)}
        if not unused:
            return lines
        lines = [line for n, line in enumerate(lines) if n not in unused]


def _is_unused(lines: Sequence[str], at: int) -> bool:
    declared = DECLARATION.fullmatch(lines[at])
    if declared is None or not _code(lines[at]).rstrip().endswith(";"):
        return False
    return not any(_mentions(declared[1], _code(line)) for line in lines[at + 1 : _scope(lines, at)])


def _else_behind_brace(lines: Sequence[str]) -> list[str]:
    """``} else {`` on one line."""
    out: list[str] = []
    for line in lines:
        if line.lstrip().startswith("else") and out and out[-1] == INDENT * (_depth(line) // 4) + "}":
            out[-1] += f" {line.lstrip()}"
        else:
            out.append(line)
    return out


def _factored(lines: list[str]) -> list[str]:
    """With calls that begin or end both branches of a condition outside of it, where little is left of one branch."""
    at = 0
    while at < len(lines):
        parts = _branches(lines, at)
        if parts is None:
            at += 1
            continue
        first, second, end = parts
        head = _common(first, second)
        tail = _common(first[head:][::-1], second[head:][::-1])
        rest, other = first[head : len(first) - tail], second[head : len(second) - tail]
        if head + tail < FEWEST_CALLS or not rest:
            at += 1
            continue
        middle = [lines[at], *rest, *([f"{' ' * _depth(lines[at])}}} else {{", *other] if other else []), lines[end]]
        outside = [[line.removeprefix(INDENT) for line in part] for part in (first[:head], first[len(first) - tail :])]
        lines = [*lines[:at], *outside[0], *middle, *outside[1], *lines[end + 1 :]]
        at += head + 1
    return lines


def _branches(lines: Sequence[str], at: int) -> tuple[list[str], list[str], int] | None:
    """Both branches of a condition that begins in line ``at``, and its last line."""
    indent = " " * _depth(lines[at])
    if not re.fullmatch(r" *if \(.*\) \{", _code(lines[at]).rstrip()):
        return None
    ends = [n for n in range(at + 1, len(lines)) if lines[n].startswith(f"{indent}}}")][:2]
    if len(ends) < 2 or lines[ends[0]] != f"{indent}}} else {{" or lines[ends[1]] != f"{indent}}}":
        return None
    return list(lines[at + 1 : ends[0]]), list(lines[ends[0] + 1 : ends[1]]), ends[1]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines at the start of both are the same calls."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1] and CALL.fullmatch(pair[0]), pairs))


def _rolled(lines: Sequence[str]) -> list[str]:
    """With a loop in place of calls that differ in evenly growing numbers alone."""
    code = "\n".join(map(_code, lines))
    counter = next(name for name in ("slot", "slot_", "slot__") if not _mentions(name, code))
    out: list[str] = []
    at = 0
    while at < len(lines):
        count = _run(lines, at)
        if count < FEWEST_CALLS:
            out.append(lines[at])
            at += 1
            continue
        out += _loop(lines[at], lines[at + 1], counter, count)
        at += count
    return out


def _run(lines: Sequence[str], at: int) -> int:
    """How many lines from ``at`` on are calls in one progression."""
    steps = [_step(a, b) for a, b in itertools.pairwise(lines[at : at + 2])]
    if not steps or steps[0] is None or not any(steps[0]):
        return 1
    count = 2
    while at + count < len(lines) and _step(lines[at + count - 1], lines[at + count]) == steps[0]:
        count += 1
    return count


def _arguments(call: re.Match[str]) -> list[tuple[str, int]]:
    """(expression, number added to it) of every argument of a call."""
    out = []
    for argument in call[3].split(", "):
        number = ARGUMENT.fullmatch(argument)
        out.append((argument, 0) if number is None else (number[1] or "", int(number[2])))
    return out


def _step(line: str, following: str) -> tuple[int, ...] | None:
    """What is added to each argument from one call to the next; None where these are not two such calls."""
    first, second = CALL.fullmatch(line), CALL.fullmatch(following)
    if first is None or second is None or first.group(1, 2) != second.group(1, 2):
        return None
    pairs = list(zip(_arguments(first), _arguments(second), strict=False))
    if len(first[3].split(", ")) != len(second[3].split(", ")) or any(a[0] != b[0] for a, b in pairs):
        return None
    return tuple(b[1] - a[1] for a, b in pairs)


def _loop(line: str, following: str, counter: str, count: int) -> Iterator[str]:
    call, steps = CALL.fullmatch(line), _step(line, following)
    assert call is not None and steps is not None
    arguments = []
    for (text, number), step in zip(_arguments(call), steps, strict=True):
        grown = counter if step == 1 else f"{step} * {counter}"
        parts = [text, grown if step else "", str(number) if number else ""]
        arguments.append(" + ".join(part for part in parts if part) or "0")
    yield f"{call[1]}for (uint32_t {counter} = 0; {counter} < {count}; ++{counter}) {{"
    yield f"{call[1]}{INDENT}{call[2]}({', '.join(arguments)});"
    yield f"{call[1]}}}"


def _named_counters(lines: Sequence[str]) -> list[str]:
    """With words for the numbered counters; inside a loop of the same kind with a number behind."""
    out, code = list(lines), "\n".join(map(_code, lines))
    for at, line in enumerate(lines):
        head = COUNTER.match(line)
        if head is None:
            continue
        kind, old = head[2], head[3]
        heads = ((n, COUNTER.match(lines[n])) for n in range(at))
        outer = sum(1 for n, found in heads if found and found[2] == kind and _end_of_block(lines, n) > at)
        new = COUNTER_NAMES[kind] + (str(outer + 1) if outer else "")
        while _mentions(new, code):
            new += "_"
        for n in range(at, _end_of_block(lines, at)):
            out[n] = re.sub(rf"\b{old}\b", new, out[n])
    return out


def _valued(lines: Sequence[str]) -> list[str]:
    """With the number behind a call that is given the bits of a float."""
    return [f"{line}  // {_float(found[1])}" if (found := FLOAT_BITS.fullmatch(line)) else line for line in lines]


def _float(bits: str) -> str:
    """The shortest text of a 32-bit float."""
    return str(np.uint32(int(bits, 16)).view(np.float32))


def _end_of_block(lines: Sequence[str], head: int) -> int:
    """The line that closes the block of a loop's head."""
    return next(n for n in range(head + 1, len(lines)) if lines[n] == " " * _depth(lines[head]) + "}")


def _fitted(line: str) -> Iterator[str]:
    """``line``, broken where it is too long: a comment between words, a call between arguments."""
    if len(line) <= WIDTH:
        yield line
        return
    indent, text = " " * _depth(line), line.lstrip()
    if text.startswith("// "):
        yield from textwrap.wrap(text[3:], WIDTH, initial_indent=f"{indent}// ", subsequent_indent=f"{indent}// ",
                                 break_long_words=False, break_on_hyphens=False)  # fmt: skip
        return
    code, slashes, comment = text.partition("  // ")
    if slashes:
        yield from _fitted(f"{indent}// {comment}")
        yield from _fitted(indent + code)
        return
    head, bracket, rest = text.partition("(")
    if not text.endswith(");") or not CALLED.fullmatch(head):
        yield line
        return
    yield indent + head + bracket
    yield from _packed(_split(rest.removesuffix(");")), indent + INDENT)


def _split(arguments: str) -> list[str]:
    """Arguments of a call; commas in brackets part none."""
    out, depth = [""], 0
    for character in arguments:
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and not depth:
            out.append("")
        else:
            out[-1] += character
    return [part.strip() for part in out]


def _packed(arguments: Sequence[str], indent: str) -> Iterator[str]:
    """As many arguments on a line as fit."""
    line = indent
    for number, argument in enumerate(arguments):
        piece = argument + (");" if number + 1 == len(arguments) else ",")
        if line.strip() and len(line) + 1 + len(piece) > WIDTH:
            yield line
            line = indent
        line += f" {piece}" if line.strip() else piece
    yield line
