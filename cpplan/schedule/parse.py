"""A schedule read back from its MLIR text (:mod:`cpplan.schedule.mlir`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cpplan.device.device import Device
from cpplan.errors import InputError
from cpplan.plan.plan import Combine, Placement, Plan, Split
from cpplan.schedule.mlir import SEPARATOR
from cpplan.schedule.schedule import (
    Await,
    Axis,
    Buffer,
    Combining,
    Compute,
    Coordinate,
    Drop,
    Endpoint,
    Exchange,
    For,
    Guard,
    Hand,
    Index,
    Let,
    Make,
    Move,
    Pass,
    Schedule,
    Step,
    Stream,
    Take,
    TensorLayout,
    Term,
    Thread,
    Turns,
)
from cpplan.tile.mlir import parse_program
from cpplan.tile.mlir_types import affine_of, attributes_of, bounds_of, fill_of, profile_of

_OPEN = re.compile(r'"(plan\.\w+)"\(\) \(\{')
_CLOSE = re.compile(r"\}\) (\{.*\}) : \(\) -> \(\)")
_LEAF = re.compile(r'"(plan\.\w+)"\(\) (\{.*\}) : \(\) -> \(\)')
_TERM = re.compile(r"(?:(-?\d+) \* )?([^\s\d-]\S*)(?: floordiv (\d+))?(?: mod (\d+))?")

Attributes = Mapping[str, Any]


@dataclass
class Item:
    """An op: name, attributes, ops inside."""

    name: str
    attributes: Attributes = field(default_factory=dict)
    inside: list[Item] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Item]:
        """Ops directly inside that are called so."""
        return (item for item in self.inside if item.name == name)


def parse_schedule(text: str, device: Device) -> Schedule:
    """The schedule that ``text`` describes, for ``device``.

    Raises :class:`~cpplan.errors.InputError` for text that :func:`cpplan.schedule.mlir.print_schedule` did not write,
    or wrote for another device.
    """
    before, _, after = text.partition(SEPARATOR)
    root = _items(after)
    given = root.attributes
    if given["device"] != device.name:
        raise InputError(f"schedule: it is one for {given['device']}, not for {device.name}")
    combine = Combine(given["combine"], given["combine_noc"]) if "combine" in given else None
    plan = Plan(
        block=_pairs(given["block"]),
        spatial=tuple(tuple(_split(item) for item in splits) for splits in given["spatial"]),
        order=tuple(tuple(group) for group in given["order"]),
        placements=tuple(_placement(item.attributes) for item in root.all("plan.placement")),
        combine=combine,
        origin=tuple(given["origin"]),
    )
    cores = [item.attributes for item in root.all("plan.core")]
    return Schedule(
        program=parse_program(before),
        device=device,
        plan=plan,
        layouts=tuple(_layout(item.attributes) for item in root.all("plan.layout")),
        buffers=tuple(_buffer(item.attributes) for item in root.all("plan.buffer")),
        streams=tuple(_stream(item.attributes, root) for item in root.all("plan.stream")),
        threads=tuple(Thread(item.attributes["name"], _steps(item)) for item in root.all("plan.thread")),
        digits={tuple(core["at"]): _pairs(core["digits"]) for core in cores},
        semaphores=given["semaphores"],
        combining=next((_combining(item.attributes, cores) for item in root.all("plan.combining")), None),
        turns=tuple(_turns(item.attributes, root) for item in root.all("plan.turns")),
    )


def index_of(text: str) -> Index:
    """Inverse of :func:`cpplan.schedule.mlir.index_text`."""
    const, terms = 0, []
    for part in text.split(" + "):
        match = _TERM.fullmatch(part)
        if match is not None:
            factor, symbol, divisor, modulus = match.groups()
            terms.append(Term(symbol, int(factor or 1), int(divisor or 1), int(modulus or 0)))
        elif re.fullmatch(r"-?\d+", part):
            const = int(part)
        else:
            raise InputError(f"schedule: {text!r} is no index expression")
    return Index(const, tuple(terms))


def _items(text: str) -> Item:
    """The one ``plan.schedule`` op of the text."""
    stack = [Item("module")]
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if (opened := _OPEN.fullmatch(stripped)) is not None:
            stack.append(Item(opened[1]))
        elif (closed := _CLOSE.fullmatch(stripped)) is not None and len(stack) > 1:
            item = stack.pop()
            item.attributes = dict(attributes_of(closed[1]))
            stack[-1].inside.append(item)
        elif (leaf := _LEAF.fullmatch(stripped)) is not None:
            stack[-1].inside.append(Item(leaf[1], dict(attributes_of(leaf[2]))))
        elif stripped not in ("", "builtin.module {", "}") and not stripped.startswith("//"):
            raise InputError(f"schedule: line {number + 1} after {SEPARATOR} is no plan op: {stripped!r}")
    found = list(stack[0].all("plan.schedule"))
    if len(stack) != 1 or len(found) != 1:
        raise InputError("schedule: the text does not hold one whole plan.schedule op")
    return found[0]


def _pairs(items: list[list[Any]]) -> tuple[tuple[Any, Any], ...]:
    return tuple((first, second) for first, second in items)


def _split(text: str) -> Split:
    dim, _, factor = text.rpartition("/")
    return Split(dim, int(factor))


def _placement(given: Attributes) -> Placement:
    return Placement(**{**given, "groups": tuple(given["groups"])})


def _layout(given: Attributes) -> TensorLayout:
    axes = tuple(Axis(*axis) for axis in given["axes"])
    padding = float(given["padding"])
    return TensorLayout(**{"rows": None, "columns": None, **given, "axes": axes, "padding": padding})


def _buffer(given: Attributes) -> Buffer:
    return Buffer(**{**given, "shape": tuple(given["shape"])})


def _stream(given: Attributes, root: Item) -> Stream:
    groups = [item for item in root.inside if item.name in ("plan.group", "plan.link")]
    endpoints = {
        core: _endpoint(item.attributes)
        for item in groups
        if item.attributes["access"] == given["access"]
        for core in map(tuple, item.attributes["cores"])
    }
    return Stream(
        access=given["access"],
        kind=given["kind"],
        buffer=given["buffer"],
        layout=given["layout"],
        tile=tuple(given["tile"]),
        starts=tuple(map(affine_of, given["starts"])),
        inner=_pairs(given["inner"]),
        bounds=tuple(map(bounds_of, given["bounds"])),
        fill=fill_of(given.get("fill")),
        noc=given["noc"],
        pattern=given["pattern"],
        endpoints=endpoints,
        ready=given.get("ready"),
        valid=given.get("valid"),
    )


def _endpoint(given: Attributes) -> Endpoint:
    reader, low, high = (tuple(given[name]) for name in ("reader", "low", "high"))
    previous, following = (tuple(given[name]) if name in given else None for name in ("previous", "following"))
    return Endpoint(reader, low, high, given["receivers"], previous, following)


def _combining(given: Attributes, cores: list[Attributes]) -> Combining:
    partners: dict[Coordinate, tuple[Coordinate | None, ...]] = {
        tuple(core["at"]): tuple(tuple(other) or None for other in core["partners"]) for core in cores
    }
    return Combining(given["loop"], given["noc"], partners, given["ready"], given["valid"], given.get("gathered"))


def _turns(given: Attributes, root: Item) -> Turns:
    lines = [item.attributes for item in root.all("plan.line")]
    cores = (tuple(map(tuple, line["cores"])) for line in lines if line["access"] == given["access"])
    return Turns(given["access"], given["load"], given["semaphore"], given["around"], tuple(cores))


def _steps(item: Item) -> tuple[Step, ...]:
    return tuple(_STEPS[inner.name](inner.attributes, inner) for inner in item.inside)


def _for(given: Attributes, item: Item) -> For:
    profile = profile_of(given["trips"]) if "trips" in given else None
    first = index_of(given["first"]) if "first" in given else Index()
    return For(given["counter"], given["stop"], _steps(item), first, given.get("step", 1), profile, given["source"])


def _exchange(given: Attributes, _: Item) -> Exchange:
    return Exchange(given["loop"], Combine(given["method"], given["noc"]))


_STEPS: dict[str, Callable[[Attributes, Item], Step]] = {
    "plan.for": _for,
    "plan.guard": lambda given, item: Guard(_pairs(given["extents"]), tuple(given["trips"]), _steps(item)),
    "plan.let": lambda given, _: Let(given["name"], index_of(given["value"])),
    "plan.move": lambda given, _: Move(given["stream"], given.get("ahead", False)),
    "plan.compute": lambda given, _: Compute(tuple(given["ops"]), given.get("loop")),
    "plan.exchange": _exchange,
    "plan.take": lambda given, _: Take(given["buffer"]),
    "plan.drop": lambda given, _: Drop(given["buffer"]),
    "plan.make": lambda given, _: Make(given["buffer"]),
    "plan.await": lambda given, _: Await(given["access"]),
    "plan.pass": lambda given, _: Pass(given["access"]),
    "plan.hand": lambda given, _: Hand(given["buffer"]),
}
