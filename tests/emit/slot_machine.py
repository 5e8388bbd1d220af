"""A machine with slots that runs lines of a compute kernel: what the calls of one DST phase do, in numpy.

Written from the comments of the vendor's headers, apart from both the emitter and the emulation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

CALL = re.compile(r"(\w+)(?:<([^()]*)>)?\((.*)\);")
LOOP = re.compile(r"for \(uint32_t (\w+) = 0; \1 < (\d+); \+\+\1\) \{")
BINARY = {
    "add_binary_tile": np.add, "sub_binary_tile": np.subtract, "mul_binary_tile": np.multiply,
    "binary_max_tile": np.maximum, "binary_min_tile": np.minimum,
}  # fmt: skip
UNARY = {"negative_tile": np.negative, "abs_tile": np.abs}
SCALAR = {"add_unary_tile": np.add, "mul_unary_tile": np.multiply}


def as_float(bits: str) -> np.float32:
    """The float whose bits a literal such as ``0x3f800000u`` gives."""
    return np.uint32(int(bits.rstrip("u"), 0)).view(np.float32)


class Machine:
    """``pages[buffer][number]`` are arrays; slots hold zeros at first. ``most`` is the highest slot written to."""

    def __init__(self, pages: Mapping[str, list[np.ndarray]], capacity: int) -> None:
        self.pages, self.capacity, self.most = pages, capacity, -1
        self.slots = {slot: np.zeros_like(next(iter(pages.values()))[0]) for slot in range(capacity)}

    def run(self, lines: list[str], variables: dict[str, int] | None = None) -> None:
        """Execute lines, loops included."""
        at, known = 0, dict(variables or {})
        while at < len(lines):
            loop = LOOP.fullmatch(lines[at].strip())
            if loop is None:
                self.call(lines[at].strip(), known)
                at += 1
                continue
            indent = len(lines[at]) - len(lines[at].lstrip())
            end = next(i for i in range(at + 1, len(lines)) if lines[i] == " " * indent + "}")
            for value in range(int(loop[2])):
                self.run(lines[at + 1 : end], known | {loop[1]: value})
            at = end + 1

    def call(self, line: str, known: Mapping[str, int]) -> None:
        """One call."""
        match = CALL.fullmatch(line)
        assert match, line
        name, arguments = match[1], [a.strip() for a in match[3].split(",")]
        if name.endswith("_init") or name.startswith("reconfig"):
            return
        if name == "copy_tile":
            buffer, page, slot = arguments[0], eval(arguments[1], {}, dict(known)), int(arguments[2])
            self.put(slot, self.pages[buffer][page])
        elif name == "fill_tile_bitcast":
            self.put(int(arguments[0]), np.full_like(self.slots[0], as_float(arguments[1])))
        elif name == "copy_dest_values":
            self.put(int(arguments[1]), self.slots[int(arguments[0])])
        elif name in BINARY:
            left, right, out = map(int, arguments)
            self.put(out, BINARY[name](self.slots[left], self.slots[right]))
        elif name in UNARY:
            self.put(int(arguments[0]), UNARY[name](self.slots[int(arguments[0])]))
        elif name in SCALAR:
            self.put(int(arguments[0]), SCALAR[name](self.slots[int(arguments[0])], as_float(arguments[1])))
        elif name == "where_tile":
            test, yes, no, out = map(int, arguments)
            self.put(out, np.where(self.slots[test] != 0, self.slots[yes], self.slots[no]))
        else:
            raise NotImplementedError(line)

    def put(self, slot: int, value: np.ndarray) -> None:
        """Write a slot, which must exist."""
        assert 0 <= slot < self.capacity, f"slot {slot} of {self.capacity}"
        self.most = max(self.most, slot)
        self.slots[slot] = np.array(value)
