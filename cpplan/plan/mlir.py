"""plan.mlir: the tile program, and the plan as the loop nest that every core runs, with each transfer at its level.

The two parts are separated by a ``// -----`` line, as MLIR tools split files. In the second,
``affine.parallel`` runs over the cores in use (counted from ``first_core`` where the kernel has one), ``affine.for``
over waves, ``scf.for`` over the kernel's own loops. The ``plan`` ops are descriptions, not yet instructions::

    plan.buffer     a circular buffer: bytes in all, how many tiles it holds per slot, slots (1 or 2)
    plan.load       DRAM to the buffer, by the reading core of each sharing group
    plan.multicast  from the reading core to all cores of its group (plan.forward: from neighbour to neighbour)
    plan.block      one block of the grid; skipped where an index has left the grid (partial last waves)
    plan.compute    tile ops of the kernel, by name
    plan.combine    partial states of the cores that share a loop, one step of it per round or pass
    plan.store      buffer to DRAM; with ``first_of``, by the first of the cores that share this loop

Cores that share a loop take turns: core ``p`` of ``c`` runs the trips ``p``, ``p + c``, ``p + 2c``, ...

The second part is MLIR that any tool reads which accepts unregistered ops.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from cpplan.cost.model import COMBINE, Cost, tiles_per_transfer
from cpplan.device.device import Device
from cpplan.plan.nest import Nest, build_nest, cores_per_dim
from cpplan.plan.plan import LAUNCH, Placement, Plan, wave
from cpplan.plan.space import shared_loop
from cpplan.tile.layout import layout_of
from cpplan.tile.mlir import print_program
from cpplan.tile.program import Access, Affine, Loop, TileProgram

INDENT = "  "
SEPARATOR = "// -----"


def print_plan(program: TileProgram, device: Device, plan: Plan, cost: Cost) -> str:
    """``program`` and its plan as MLIR text."""
    nest = "\n".join(_Printer(program, device, plan, cost).module())
    return f"{print_program(program).rstrip()}\n\n{SEPARATOR}\n\n{nest}\n"


class _Printer:
    def __init__(self, program: TileProgram, device: Device, plan: Plan, cost: Cost) -> None:
        self.program, self.device, self.plan, self.cost = program, device, plan, cost
        self.nest: Nest = build_nest(program, plan.spatial, plan.order)
        self.sram = dict(cost.buffers)
        self.names = {level: _symbol(name) for level, name in enumerate(self.nest.names)}
        self.block_level = self.nest.home[""]
        self.shared = shared_loop(program, plan.spatial)

    def module(self) -> Iterator[str]:
        """The whole text, line by line."""
        yield f"// {self.program.name} on {self.device.name}: {self.cost.makespan_cycles} cycles, {self.cost.bound_by}"
        yield "builtin.module {"
        yield from _indented(self.kernel())
        yield "}"

    def kernel(self) -> Iterator[str]:
        """The ``plan.kernel`` op: block shape, layout of tiles in memory, and what every core runs."""
        block = ", ".join(f"{_key(name)} = {value} : i64" for name, value in self.plan.block)
        attributes = f'sym_name = "{self.program.name}", device = "{self.device.name}", block = {{{block}}}, '
        attributes += f'layout = "{layout_of(self.program)}"'
        if self.plan.origin:
            attributes += f", first_core = [{', '.join(f'{c} : i64' for c in self.plan.origin)}]"
        yield '"plan.kernel"() ({'
        yield from _indented(self.cores())
        yield f"}}) {{{attributes}}} : () -> ()"

    def cores(self) -> Iterator[str]:
        """``affine.parallel`` over the cores in use, in the generic form that all MLIR tools share."""
        extents = [self.plan.cores_along(i) for i in range(len(self.device.dims))]
        rank = len(extents)
        zeros, sizes = ", ".join(["0"] * rank), ", ".join(map(str, extents))
        groups = f"dense<1> : vector<{rank}xi32>"
        yield '"affine.parallel"() <{'
        yield f"  lowerBoundsMap = affine_map<() -> ({zeros})>, lowerBoundsGroups = {groups},"
        yield f"  upperBoundsMap = affine_map<() -> ({sizes})>, upperBoundsGroups = {groups},"
        yield f"  steps = [{', '.join(['1 : i64'] * rank)}], reductions = []"
        yield "}> ({"
        yield f"^bb0({', '.join(f'%{dim.name} : index' for dim in self.device.dims)}):"
        yield from _indented(self.core())
        yield f'{INDENT}"affine.yield"() : () -> ()'
        yield "}) : () -> ()"

    def core(self) -> Iterator[str]:
        """What one core runs: its buffers, then the nest."""
        for access, place in self._placed():
            tiles = tiles_per_transfer(self.nest, access, place)
            yield self.buffer(access.name, tiles, place.depth)
        for buffer in self.program.buffers:
            yield self.buffer(buffer.name, 1, 1)
        if self.plan.combine is not None:
            yield self.buffer(COMBINE, 1, 1)
        yield from self.index_of(self._resident())
        yield from self.part()
        if any(loop.trips > 1 for loop in self.program.loops):
            yield "%zero = arith.constant 0 : index"
            yield "%one = arith.constant 1 : index"
        yield from self.level(0)

    def part(self) -> Iterator[str]:
        """The turn of this core among those that share a loop."""
        if self.shared is not None:
            operands: list[str] = []
            terms: list[str] = []
            for axis, digit, weight in self.digits(self.shared[0]):
                terms.append(_times(digit.format(core=f"d{len(operands)}"), weight))
                operands.append(f"%{self.device.dims[axis].name}")
            inputs = ", ".join(f"d{i}" for i in range(len(operands)))
            total, name = " + ".join(terms), _symbol(self.shared[0])
            yield f"%part_{name} = affine.apply affine_map<({inputs}) -> ({total})>({', '.join(operands)})"

    def buffer(self, name: str, tiles: int, slots: int) -> str:
        """A circular buffer."""
        size = self.sram[name]
        return (
            f'"plan.buffer"() {{name = "{name}", bytes = {size} : i64, tiles = {tiles} : i64, slots = {slots} : i64}} '
            ": () -> ()"
        )

    def level(self, node: int) -> Iterator[str]:
        """Everything in the body of one level: loads, own ops and inner levels, stores."""
        name = self.nest.names[node]
        loads = [pair for pair in self._placed() if pair[1].level == name and pair[0].kind == "load"]
        stores = [pair for pair in self._placed() if pair[1].level == name and pair[0].kind != "load"]
        for access, place in loads:
            yield from self.load(access, place)
        if node == self.block_level:
            yield from self.block(node)
        else:
            yield from self.body(node)
        for access, place in stores:
            yield self.transfer("store", access, place)

    def block(self, node: int) -> Iterator[str]:
        """One block of the grid."""
        names = [dim.name for dim in self.program.dims]
        extents = ", ".join(f"{dim.extent} : i64" for dim in self.program.dims)
        yield f'"plan.block"({", ".join(f"%{_symbol(n)}" for n in names)}) ({{'
        yield from _indented(self.body(node))
        yield f"}}) {{extents = [{extents}]}} : ({', '.join(['index'] * len(names))}) -> ()"

    def body(self, node: int) -> Iterator[str]:
        """Own ops that come before the inner levels, the inner levels, own ops that come after."""
        before, after = self.ops(node)
        yield from before
        for child in self.nest.children(node):
            yield from self.loop(child)
        if node == self.block_level:
            yield from self.combine()
        yield from after

    def combine(self) -> Iterator[str]:
        """The combining of partial states, after the loop that is shared."""
        if self.shared is not None and self.plan.combine is not None:
            loop, cores = self.shared
            way = f'method = "{self.plan.combine.method}", noc = {self.plan.combine.noc} : i64'
            part = f"%part_{_symbol(loop)}"
            yield f'"plan.combine"({part}) {{loop = "{loop}", cores = {cores} : i64, {way}}} : (index) -> ()'

    def loop(self, node: int) -> Iterator[str]:
        """A wave loop or a loop of the kernel."""
        names = [name for name, _ in self.nest.indices[node]]
        if wave(*names) == self.nest.names[node]:
            yield f"affine.for %{self.names[node]} = 0 to {self.nest.trips[node]} {{"
            yield from _indented(self.index_of(names))
        else:
            yield from self.kernel_loop(node)
        yield from _indented(self.level(node))
        yield "}"

    def kernel_loop(self, node: int) -> Iterator[str]:
        """The head of a loop of the kernel."""
        name, first, step = self.names[node], "%zero", "%one"
        if self.shared is not None and self.shared[0] == self.nest.names[node]:
            first, step = f"%part_{name}", f"%cores_{name}"
            yield f"{step} = arith.constant {self.shared[1]} : index"
        yield from _trips(name, self.program.loop(self.nest.names[node]))
        yield f"scf.for %{name} = {first} to %trips_{name} step {step} {{"

    def index_of(self, dims: Iterable[str]) -> Iterator[str]:
        """Block indices of parallel dims: wave number times cores, plus the core's digits."""
        for dim in dims:
            operands, terms = [], []
            for node in range(len(self.nest.names)):
                if dim in dict(self.nest.indices[node]):
                    operands.append(f"%{self.names[node]}")
                    terms.append(_times(self.wave_number(node, dim), cores_per_dim(self.plan.spatial).get(dim, 1)))
            for axis, digit, weight in self.digits(dim):
                terms.append(_times(digit.format(core=f"d{len(operands)}"), weight))
                operands.append(f"%{self.device.dims[axis].name}")
            inputs = ", ".join(f"d{i}" for i in range(len(operands)))
            total = " + ".join(terms) or "0"
            yield f"%{_symbol(dim)} = affine.apply affine_map<({inputs}) -> ({total})>({', '.join(operands)})"

    def wave_number(self, node: int, dim: str) -> str:
        """The wave of ``dim`` as a formula of its loop's index d0; of dims fused in one loop the last runs fastest."""
        pairs = self.nest.indices[node]
        position = [name for name, _ in pairs].index(dim)
        inner = math.prod(trips for _, trips in pairs[position + 1 :])
        number = "d0" if inner == 1 else f"(d0 floordiv {inner})"
        return number if position == 0 else f"({number} mod {pairs[position][1]})"

    def digits(self, dim: str) -> Iterator[tuple[int, str, int]]:
        """(spatial dim, the digit that stands for ``dim`` as a formula of {core}, weight of the digit)."""
        left = cores_per_dim(self.plan.spatial).get(dim, 1)
        for axis, splits in enumerate(self.plan.spatial):
            below = self.plan.cores_along(axis)
            for split in splits:
                below //= split.factor
                if split.dim == dim:
                    left //= split.factor
                    digit = "{core}" if below == 1 else f"({{core}} floordiv {below})"
                    yield axis, digit if split is splits[0] else f"({digit} mod {split.factor})", left

    def load(self, access: Access, place: Placement) -> Iterator[str]:
        """The read, and the passing on when cores share it."""
        yield self.transfer("load", access, place)
        if place.pattern != "private":
            groups = ", ".join(f"{group} : i64" for group in place.groups)
            yield (
                f'"plan.{place.pattern}"() {{buffer = "{access.name}", groups = [{groups}], noc = {place.noc} : i64, '
                f'reader = "{place.reader}"}} : () -> ()'
            )

    def transfer(self, verb: str, access: Access, place: Placement) -> str:
        """A DRAM transfer; its operands are the indices that are known at its level."""
        level = self.nest.names.index(place.level)
        known = self._known(level)
        starts = ", ".join(_start(start, known) for start in access.starts)
        names = [_symbol(name) for name in known if name in access.indices]
        tile = ", ".join(f"{extent} : i64" for extent in access.tile)
        below = ", ".join(f'"{n}"' for n in self._below(access, level))
        noc = f"noc = {place.noc} : i64"
        operands = ", ".join(f"%{name}" for name in names)
        who = f', first_of = "{self.shared[0]}"' if self.shared is not None and verb == "store" else ""
        return (
            f'"plan.{verb}"({operands}) {{tensor = "{access.tensor}", buffer = "{access.name}", '
            f"start = affine_map<({', '.join(names)}) -> ({starts})>, tile = [{tile}], all_of = [{below}], {noc}{who}}}"
            f" : ({', '.join(['index'] * len(names))}) -> ()"
        )

    def _known(self, level: int) -> list[str]:
        """Dims and loops whose index is fixed in the body of ``level``."""
        return self._resident() + [name for i in self.nest.path(level) for name, _ in self.nest.indices[i]]

    def _resident(self) -> list[str]:
        """Parallel dims whose blocks all run in one wave, and a shared loop of which every core runs one trip."""
        waves = {name for group in self.plan.order for name in group}
        shared = [self.shared[0]] if self.shared is not None and self.shared[0] not in self.nest.names else []
        return [dim.name for dim in self.program.dims if dim.name not in waves] + shared

    def _below(self, access: Access, level: int) -> list[str]:
        """Dims and loops over which one transfer fetches all tiles."""
        home = self.nest.home[access.loop or ""]
        inner = [i for i in self.nest.path(home) if i not in self.nest.path(level)]
        return [name for i in inner for name, _ in self.nest.indices[i] if name in access.indices]

    def ops(self, node: int) -> tuple[list[str], list[str]]:
        """Own ops of a level: those before its inner levels, and those that use what inner levels computed."""
        inner = {
            name for name, home in self.nest.home.items() if name and home != node and node in self.nest.path(home)
        }
        late = {c.result for loop in self.program.loops if loop.name in inner for c in loop.carries}
        late |= {op.name for op in self.program.ops if op.loop in inner}
        early: list[str] = []
        after: list[str] = []
        for op in self.program.ops:
            if self.nest.home[op.loop or ""] != node or op.loop in inner:
                continue
            if late.intersection(op.operands):
                late.add(op.name)
            (after if op.name in late else early).append(f"{op.kind} {op.name}")
        return _compute(early), _compute(after)

    def _placed(self) -> list[tuple[Access, Placement]]:
        return list(zip(self.program.accesses, self.plan.placements, strict=True))


def _trips(name: str, loop: Loop) -> Iterator[str]:
    """How often a loop of the kernel runs for the block at hand, whether or not several cores share it."""
    profile = loop.profile
    if profile is None:
        yield f"%trips_{name} = arith.constant {loop.trips} : index"
        return
    formula = f"(d0 * {profile.slope} + {profile.offset}) ceildiv {profile.divisor}"
    yield f"%line_{name} = affine.apply affine_map<(d0) -> ({formula})>(%{_symbol(profile.dim)})"
    yield f"%low_{name} = arith.constant {profile.low} : index"
    yield f"%high_{name} = arith.constant {profile.high} : index"
    yield f"%some_{name} = arith.maxsi %line_{name}, %low_{name} : index"
    yield f"%trips_{name} = arith.minsi %some_{name}, %high_{name} : index"


def _times(term: str, factor: int) -> str:
    return term if factor == 1 else f"{term} * {factor}"


def _start(start: Affine, known: list[str]) -> str:
    """First element along one axis as far as its indices are known."""
    terms = [_times(_symbol(name), factor) for name, factor in start.terms if name in known]
    return " + ".join(terms + [str(start.const)] * (start.const != 0 or not terms))


def _compute(ops: list[str]) -> list[str]:
    listed = ", ".join(f'"{op}"' for op in ops)
    return [f'"plan.compute"() {{ops = [{listed}]}} : () -> ()'] if ops else []


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (INDENT + line for line in lines)


def _symbol(name: str) -> str:
    """A name as an SSA value or affine dim: letters, digits and underscores."""
    return "".join(c if c.isalnum() else "_" for c in name) or LAUNCH


def _key(name: str) -> str:
    """A name as an attribute key."""
    return name if name.isidentifier() else f'"{name}"'
