"""The expression behind one hardware tile of a value, from the ops of the kernel body.

Element-wise ops commute with broadcasts, reshapes and transposes, so these are followed down to what lies in a circular
buffer, and only there a page is spread or turned. What cannot be read that way (a broadcast reduction, a product that
is wanted transposed) must be in a buffer of its own first: :class:`NeedHome` says which value and how it should lie.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from cpplan.emit_ttmetal import ops as table
from cpplan.emit_ttmetal.elementwise import applied, check_known, converted, refuse
from cpplan.emit_ttmetal.forms import Forms
from cpplan.emit_ttmetal.needs import NeedHome, Unavailable
from cpplan.emit_ttmetal.nodes import Apply, Fold, Node, Number, Read
from cpplan.emit_ttmetal.places import (
    LANE_SIZE,
    Home,
    Lane,
    Place,
    Role,
    View,
    lanes_of,
    long_axes,
    natural_home,
    reading,
)
from cpplan.emit_ttmetal.products import product
from cpplan.emit_ttmetal.text import ZERO, symbol
from cpplan.emit_ttmetal.views import aligned, reshaped, scan_home, transposed
from cpplan.errors import ScheduleError
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Op, TileProgram

_NEUTRAL = {"sum": 0.0, "max": -math.inf, "min": math.inf}
_AXES: dict[str, tuple[Literal["ROW", "COL"], ...]] = {"run": ("ROW", "COL"), "col": ("ROW",), "row": ("COL",)}
"""Reductions of a hardware tile along each lane: of its rows, of its columns."""
SMALL = 8
"""Pages up to which a computed vector is kept rather than computed again for every tile that it is spread over."""


@dataclass
class Trees:
    """Builder of expressions.

    ``places`` holds what is in buffers at the moment; ``position`` is the loop of the point that is computed,
    ``making`` what it makes; ``vector_lane`` tells along which lane a value of one long axis lies by itself. Along the
    axes ``zeroed`` of a value unused elements must be 0; in the buffers ``filled`` they are something else. Buffers
    ``widened`` hold floating-point numbers whatever the type of the value. ``extra`` ops are known besides those of the
    program.
    """

    program: TileProgram
    vector_lane: Callable[[str], Lane]
    places: dict[str, list[Place]]
    dtypes: Mapping[str, str]
    position: str | None = None
    making: tuple[str, Home] | None = None
    zeroed: Mapping[str, frozenset[int]] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    widened: set[str] = field(default_factory=set)
    extra: Mapping[str, Op] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ops = {op.name: op for op in self.program.ops}
        self.loads = {access.value: access for access in self.program.loads()}
        self.forms = Forms(self.program)
        self._made: dict[tuple[str, View, frozenset[Lane]], Node] = {}
        self._names = 0

    def begin(self, position: str | None, making: tuple[str, Home] | None = None) -> None:
        """A new point at ``position``, which makes a value in the way given by ``making``."""
        self.position, self.making = position, making
        self._made.clear()
        self._names = 0

    def op(self, name: str) -> Op | None:
        """The op that makes ``name``."""
        return self.extra.get(name) or self.ops.get(name)

    def node(self, name: str, view: View, lanes: frozenset[Lane]) -> Node:
        """The tile ``view`` of a value as far as it matters along ``lanes``."""
        key = (name, view, lanes)
        if key not in self._made:
            self._made[key] = self._read(name, view, lanes) or self._computed(name, view, lanes)
        return self._made[key]

    # -- leaves --------------------------------------------------------------------------------------------------------

    def _read(self, name: str, view: View, lanes: frozenset[Lane]) -> Node | None:
        places = self.places.get(name, [])
        for place in places:
            mode = reading(place.home, view, lanes)
            if mode is not None:
                page = place.page({axis: role.index for axis, role in enumerate(view)})
                return self._brought(name, Read(place.buffer, page, mode), place)
        home = tuple(role.lane for role in view)
        if places and (name, home) != self.making:
            raise NeedHome(name, home)
        if places and self.op(name) is None:
            raise self._unreachable(name)
        return None

    def _brought(self, name: str, page: Read, place: Place) -> Node:
        """A page as its elements are worked on."""
        dtype = self.dtypes.get(name, "fp32")
        if dtype in ("int32", "uint32"):
            return replace(page, domain="int")
        if dtype in table.NARROW and place.buffer not in self.widened:
            return Apply(table.widened(table.NARROW[dtype]), (replace(page, domain="int"),))
        if dtype in ("int8", "int16", "int64") and name in self.loads:
            access = self.loads[name]
            raise ScheduleError(
                f"{access.source or self.program.source}: the compute unit has no elements of type {dtype}, such as "
                f"{access.tensor} has: use int32"
            )
        return page

    def _unreachable(self, name: str) -> ScheduleError:
        access = self.loads.get(name)
        place = f"{access.source}: " if access is not None and access.source else ""
        return ScheduleError(
            f"{place}{name} is wanted one row or column at a time, which lie inside hardware tiles; use blocks of one "
            "element along that axis"
        )

    def _computed(self, name: str, view: View, lanes: frozenset[Lane]) -> Node:
        op = self.op(name)
        if op is None:
            raise Unavailable(name)
        try:
            return self._node_of(op, view, lanes)
        except Unavailable:
            if op.loop != self.position and name in self.ops:
                raise NeedHome(name, tuple(role.lane for role in view)) from None
            raise

    def _node_of(self, op: Op, view: View, lanes: frozenset[Lane]) -> Node:
        match op.kind:
            case "constant":
                return Number(constant_of(op), "float")
            case "index":
                return self.forms.index(op, view)
            case "mask":
                return self.forms.mask(op, view)
            case "broadcast":
                return self._broadcast(op, view, lanes)
            case "reshape":
                return self.node(op.operands[0], reshaped(op, view), lanes)
            case "transpose":
                return self.node(op.operands[0], transposed(op, view), lanes)
            case "dot":
                return product(self, op, view, lanes)
            case "fill":
                return self._filled(op, view, lanes)
        if op.kind.startswith("reduce_"):
            return self._reduced(op, view, lanes)
        if op.kind.startswith("scan_"):
            raise NeedHome(op.name, scan_home(op))
        check_known(op)
        operands = [
            self.node(name, view if shape else (), lanes)
            for name, shape in zip(op.operands, op.operand_shapes, strict=True)
        ]
        return applied(op, operands)

    # -- views ---------------------------------------------------------------------------------------------------------

    def _broadcast(self, op: Op, view: View, lanes: frozenset[Lane]) -> Node:
        source = aligned(op)
        long = long_axes(op.shape)
        roles = tuple(role for axis, role in zip(long, view, strict=True) if source and source[axis] > 1)
        value = op.operands[0]
        spread = math.prod(
            ceil_div(op.shape[axis], LANE_SIZE[role.lane])
            for axis, role in zip(long, view, strict=True)
            if not source or source[axis] == 1
        )
        pages = math.prod(
            ceil_div(extent, LANE_SIZE[role.lane])
            for extent, role in zip((e for e in source if e > 1), roles, strict=True)
        )
        kept = self._computed_source(value)
        if kept is not None and ((spread > 1 and pages <= SMALL) or self._holds_whole(kept)):
            raise NeedHome(kept, tuple(role.lane for role in roles))
        return self.node(value, roles, lanes)

    def _computed_source(self, name: str) -> str | None:
        """The op with a cost that ``name`` is a view or a cast of; None when it is in a buffer or known otherwise."""
        while not self.places.get(name):
            op = self.op(name)
            if op is None or op.kind in ("constant", "index", "mask"):
                return None
            if op.kind not in ("reshape", "cast", "broadcast", "transpose"):
                return name
            name = op.operands[0]
        return None

    def _holds_whole(self, name: str) -> bool:
        """Whether ``name`` takes a reduction, a product or a running sum, which are no functions of single elements."""
        op = self.op(name)
        if op is None or self.places.get(name):
            return False
        return op.kind.startswith(("reduce", "scan", "dot")) or any(map(self._holds_whole, op.operands))

    def _filled(self, op: Op, view: View, lanes: frozenset[Lane]) -> Node:
        """A load with another number in place of the elements that its mask leaves out."""
        valid = self.forms.valid(self.loads[op.operands[0]], view)
        value = self.node(op.operands[0], view, lanes)
        return Apply(table.FLOAT["where"], (valid, value, Number(constant_of(op))))

    # -- reductions and products ---------------------------------------------------------------------------------------

    def _reduced(self, op: Op, view: View, lanes: frozenset[Lane]) -> Node:
        if _reduction(op) not in _NEUTRAL:
            raise refuse(op, "the compute unit reduces by sum, max and min")
        if lanes - lanes_of(view):
            raise NeedHome(op.name, tuple(role.lane for role in view))
        value, shape = op.operands[0], op.operand_shapes[0]
        axis = int(dict(op.attributes)["axis"]) % len(shape)
        if shape[axis] == 1:
            return self.node(value, view, lanes)
        flat = self.op(value)
        if flat is not None and flat.kind == "reshape" and not view and not self.places.get(value):
            value, shape = flat.operands[0], flat.operand_shapes[0]  # all of its elements, in whatever order
            home = natural_home(len(long_axes(shape)), bool(self.program.in_runs), self.vector_lane(value) == "row")
            return self._folded(op, value, shape, dict(enumerate(home)), view)
        position = long_axes(shape).index(axis)
        return self._folded(op, value, shape, {position: self._free_lane(value, view)}, view)

    def _folded(self, op: Op, value: str, shape: tuple[int, ...], reduced: Mapping[int, Lane], view: View) -> Node:
        """``value`` reduced along the long axes ``reduced``, each in a lane; ``view`` is that of the other axes."""
        kind = _reduction(op)
        extents, rest = [shape[axis] for axis in long_axes(shape)], iter(view)
        roles, loops = list[Role](), list[tuple[str, int]]()
        for position, extent in enumerate(extents):
            if position not in reduced:
                roles.append(next(rest))
                continue
            lane = reduced[position]
            count = ceil_div(extent, LANE_SIZE[lane])
            if count > 1:
                loops.append((self.new("t"), count))
            roles.append(Role(lane, symbol(loops[-1][0]) if count > 1 else ZERO))
        whole = tuple(roles)
        body = self.node(value, whole, lanes_of(whole))
        if body.domain == "int":
            raise refuse(op, "reductions of 32-bit integers are not emitted; convert to fp32 before")
        valid = self.forms.inside({position: extents[position] for position in reduced}, whole)
        if valid is not None:
            body = Apply(table.FLOAT["where"], (valid, body, Number(_NEUTRAL[kind])))
        axes = tuple(axis for lane in ("run", "col", "row") if lane in reduced.values() for axis in _AXES[lane])
        return Fold(kind, tuple(loops), axes, body)

    def _free_lane(self, operand: str, view: View) -> Lane:
        """A lane for the axis that is reduced: the one that the others leave, or the one in which a vector lies."""
        if self.program.in_runs:
            return "run"
        taken = lanes_of(view)
        if not taken:
            return self.vector_lane(operand)
        return "at" if len(taken) == 2 else ("col" if "row" in taken else "row")

    def new(self, prefix: str) -> str:
        """A C++ variable of the point at hand."""
        self._names += 1
        return f"{prefix}{self._names}"


def _reduction(op: Op) -> str:
    """How a reduction joins elements; of booleans, which are 0 and 1, "and" is the minimum and "or" the maximum."""
    kind = op.kind.removeprefix("reduce_")
    return {"and": "min", "or": "max"}.get(kind, kind) if op.dtype == "bool" else kind


def as_stored(node: Node, format_: str) -> Node:
    """``node`` as its buffer holds it."""
    if format_ in table.NARROW:
        return Apply(table.narrowed(table.NARROW[format_]), (converted(node, "float"),))
    return converted(node, "int" if format_ in ("int32", "uint32") else "float")


def constant_of(op: Op) -> float:
    """The number of a constant, or that a fill puts in."""
    text = str(dict(op.attributes)["value"])
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    try:
        return float(text)
    except ValueError:
        raise refuse(op, f"has the value {text}, which is not one number") from None
