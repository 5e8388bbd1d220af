"""Terms of a restriction as text: ``BLOCK_M=128``, ``m.cores=8``, ``m.on=x``, ``x=m/2.n/6``, ``A.level=k``, ...

The same text goes into certificates and plan files, so that what restricted a solve can be given again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import cast

from cpplan.device.device import Device
from cpplan.errors import InputError
from cpplan.plan.plan import Split, wave
from cpplan.plan.restrict import OF_ACCESS, Decision, Restriction, Term, as_loops, level_name
from cpplan.plan.space import METHODS, READERS, axes, is_shareable
from cpplan.tile.program import Access, Problem, TileProgram

ALIASES = {"hoist": "level", "pattern": "broadcast", "groups": "group"}
"""Other words for decisions of an access."""
NONE = "none"
"""No cores of a spatial dim, no wave loop, no loop that cores share."""
LAUNCH = "launch"
"""Level outside all loops."""


def parse_restriction(
    problem: Problem,
    device: Device,
    pins: Iterable[str] = (),
    forbids: Iterable[str] = (),
    of_files: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> Restriction:
    """The restriction that texts state about plans of ``problem`` on ``device``.

    ``of_files`` holds further pins by the name of the file that they come from. Raises :class:`InputError` for names
    that the launch or the device does not have and for values that no plan has.
    """
    reader = _Reader(problem, device)
    sources = [("--pin ", list(pins)), *((f"{name}: ", list(texts)) for name, texts in of_files.items())]
    return Restriction(
        tuple(term for source, texts in sources for text in texts for term in reader.terms(text, source)),
        tuple(term for text in forbids for term in reader.terms(text, "--forbid ")),
    )


@dataclass(frozen=True)
class _Reader:
    problem: Problem
    device: Device

    @property
    def programs(self) -> list[TileProgram]:
        return [family.stacked for family in self.problem.families]

    @property
    def dims(self) -> list[str]:
        return list(dict.fromkeys(dim.name for program in self.programs for dim in program.dims))

    @property
    def spread(self) -> list[str]:
        """What cores may divide among themselves: parallel dims, and loops that several cores may share."""
        return list(dict.fromkeys(name for program in self.programs for name in axes(program, self.device)))

    @property
    def accesses(self) -> dict[str, list[tuple[TileProgram, Access]]]:
        """Accesses by name, in every variant of the kernel that has them."""
        found: dict[str, list[tuple[TileProgram, Access]]] = {}
        for program in self.programs:
            for access in program.accesses:
                found.setdefault(access.name, []).append((program, access))
        return found

    @property
    def blocks(self) -> dict[str, list[int]]:
        """Values that are offered for every block parameter."""
        offered: dict[str, set[int]] = {}
        for family in self.problem.families:
            for block in family.blocks:
                for name, value in block:
                    offered.setdefault(name, set()).add(value)
        return {name: sorted(values) for name, values in offered.items()}

    @property
    def axes(self) -> list[str]:
        return [dim.name for dim in self.device.dims]

    def terms(self, text: str, source: str) -> list[Term]:
        """The terms of one text; several for a text about all accesses. Errors begin with ``source``."""
        left, equals, value = (part.strip() for part in text.partition("="))
        try:
            if not equals or not left or not value:
                raise ValueError("write NAME=VALUE or NAME.DECISION=VALUE")
            return self._terms(left, value)
        except ValueError as error:
            raise InputError(f"{source}{text}: {error}") from error

    def _terms(self, left: str, value: str) -> list[Term]:
        text = f"{left}={value}"
        if left in self.blocks:
            return [Term("block", left, self._one_of(value, self.blocks[left], "values offered"), text)]
        if left in self.axes:
            return [Term("digits", left, self._digits(left, value), text)]
        if left == "origin":
            return [Term("origin", "", self._core(value), text)]
        if left == "order":
            return [Term("order", "", self._order(value), text)]
        if left in ("combine", "combine.noc"):
            return [self._combine(left, value)]
        subject, _, word = left.rpartition(".")
        if subject in self.spread and word in ("cores", "on"):
            return [Term(cast(Decision, word), subject, self._mapped(subject, word, value), text)]
        decision = ALIASES.get(word, word)
        if subject == "*":
            return self._of_all(decision, value)
        if subject in self.accesses and decision in OF_ACCESS:
            return [self._of_access(subject, decision, value)]
        raise ValueError(self._unknown(left, subject))

    def _unknown(self, left: str, subject: str) -> str:
        if subject in self.accesses:
            return f"access {subject} has the decisions {', '.join(OF_ACCESS)}"
        if subject in self.spread or left in self.spread:
            return f"{subject or left} has the decisions cores and on"
        if subject in (loop.name for program in self.programs for loop in program.loops):
            return f"cores may not share loop {subject}; they may divide {_listed(self.spread)} among themselves"
        if left in self.accesses:
            return f"say which decision about {left}: {', '.join(f'{left}.{word}' for word in OF_ACCESS)}"
        name = subject or left
        near = get_close_matches(name, [*self.blocks, *self.spread, *self.axes, *self.accesses], 1)
        return (
            f"{self.problem.name} on {self.device.name} has no '{name}'"
            + (f", did you mean '{near[0]}'?" if near else ".")
            + f" There are block parameters {_listed(self.blocks)}; dims and loops {_listed(self.spread)} (.cores, "
            f".on); spatial dims {_listed(self.axes)}; origin; order; combine (.noc); "
            f"accesses {_listed(self.accesses)} (.{', .'.join(OF_ACCESS)})"
        )

    def _of_all(self, decision: str, value: str) -> list[Term]:
        """A term for every access that can have ``value``."""
        if decision not in OF_ACCESS:
            raise ValueError(f"accesses have the decisions {', '.join(OF_ACCESS)}")
        found, problems = [], []
        for name in self.accesses:
            try:
                found.append(self._of_access(name, decision, value))
            except ValueError as error:
                problems.append(error)
        if not found:
            raise problems[0]
        return found

    def _of_access(self, name: str, decision: str, value: str) -> Term:
        readers: dict[str, Callable[[str, str], Hashable]] = {
            "level": self._level,
            "depth": lambda _, text: self._one_of(text, (1, 2), "depths"),
            "broadcast": self._broadcast,
            "group": self._group,
            "noc": lambda _, text: self._one_of(text, range(len(self.device.nocs)), "networks"),
            "reader": lambda _, text: self._word(text, READERS, "reader rules"),
        }
        return Term(cast(Decision, decision), name, readers[decision](name, value), f"{name}.{decision}={value}")

    def _mapped(self, dim: str, word: str, value: str) -> Hashable:
        if word == "on":
            names = [] if value == NONE else value.split(",")
            return tuple(sorted(self.axes.index(self._word(name, self.axes, "spatial dims")) for name in names))
        cores = _integer(value)
        if not 1 <= cores <= self.device.cores:
            raise ValueError(f"{self.device.name} has {self.device.cores} cores for {dim}: choose 1 to that many")
        return cores

    def _digits(self, axis: str, value: str) -> Hashable:
        number = self.axes.index(axis)
        splits, cores = [], 1
        for digit in [] if value == NONE else value.split("."):
            dim, slash, factor = digit.partition("/")
            if not slash or _integer(factor) < 2:
                raise ValueError(f"write digits such as {self.spread[0]}/4, most significant first, joined by '.'")
            splits.append(Split(self._word(dim, self.spread, "dims and loops"), _integer(factor)))
            cores *= splits[-1].factor
        extent = self.device.dims[number].extent
        if cores > extent:
            raise ValueError(f"these are {cores} cores, {self.device.name} has {extent} along {axis}")
        if len({split.dim for split in splits}) < len(splits):
            raise ValueError("a dim or loop has at most one digit on a spatial dim")
        return number, tuple(splits)

    def _combine(self, left: str, value: str) -> Term:
        if left == "combine.noc":
            noc = self._one_of(value, range(len(self.device.nocs)), "networks")
            return Term("combine noc", "", noc, f"{left}={value}")
        method = self._word(value, (NONE, *METHODS), "ways to combine")
        return Term("combine", "", None if method == NONE else method, f"{left}={value}")

    def _core(self, value: str) -> Hashable:
        core = tuple(_integer(part) for part in value.split(","))
        limits = [dim.extent for dim in self.device.dims]
        if len(core) != len(limits) or any(c >= limit for c, limit in zip(core, limits, strict=True)):
            raise ValueError(
                f"write the first core in use as {','.join(self.axes)}, below {','.join(map(str, limits))}"
            )
        return core if any(core) else ()

    def _order(self, value: str) -> Hashable:
        groups = [] if value == NONE else [group.split(".") for group in value.split(",")]
        names = [self._word(name, self.dims, "parallel dims") for group in groups for name in group]
        if len(set(names)) < len(names):
            raise ValueError("a parallel dim has at most one wave loop")
        return as_loops(groups)

    def _level(self, access: str, value: str) -> str:
        if value == LAUNCH:
            return ""
        if value.startswith("wave."):
            dims = [self._word(name, self.dims, "parallel dims") for name in value.split(".")[1:]]
            return level_name(wave(*dims))
        paths = [program.loop_path(found.loop) for program, found in self.accesses[access]]
        loops = list(dict.fromkeys(loop for path in paths for loop in path))
        waves = [wave(name) for name in self.dims]
        return self._word(value, (LAUNCH, *waves, *loops), f"levels of {access}") if value not in loops else value

    def _broadcast(self, access: str, value: str) -> Hashable:
        if not any(is_shareable(program, found) for program, found in self.accesses[access]):
            return self._word(value, ("private",), f"patterns of {access}, which cores cannot share,")
        patterns = ["private"]
        patterns += ["multicast"] if self.device.multicast is not None else []
        patterns += ["forward"] if self.device.forward is not None else []
        if value in patterns:
            return value
        rows = dict(zip(("row", "column"), self.axes, strict=False)) if len(self.axes) == 2 else {}
        axes = [rows.get(name, name) for name in value.split(",")]
        known = [*patterns, *self.axes, *rows]
        return tuple(sorted({self.axes.index(self._word(name, self.axes, "broadcasts", known)) for name in axes}))

    def _group(self, access: str, value: str) -> Hashable:
        sizes = tuple(_integer(part) for part in value.split("x"))
        limits = [dim.extent for dim in self.device.dims]
        if len(sizes) != len(limits) or any(not 1 <= n <= limit for n, limit in zip(sizes, limits, strict=True)):
            raise ValueError(
                f"write one size per spatial dim ({', '.join(self.axes)}) such as {'x'.join(['1'] * len(limits))}, "
                f"at most {'x'.join(map(str, limits))}"
            )
        return sizes

    def _one_of(self, value: str, allowed: Iterable[int], what: str) -> int:
        return int(self._word(str(_integer(value)), [str(number) for number in allowed], what))

    def _word(self, value: str, allowed: Sequence[str], what: str, listed: Sequence[str] = ()) -> str:
        if value not in allowed:
            raise ValueError(f"'{value}' is not one of the {what} {_listed(listed or allowed)}")
        return value


def _integer(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"'{text}' is not a number")
    return int(text)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "(none)"
