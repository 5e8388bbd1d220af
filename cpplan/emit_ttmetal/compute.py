"""The compute kernel of a schedule: C++ text, the unit's configuration, and the buffers it keeps besides the plan's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cpplan.cost.fidelity import math_fidelity
from cpplan.emit_ttmetal.arguments import digit_lines
from cpplan.emit_ttmetal.body import Body
from cpplan.emit_ttmetal.dst import OutOfSlots
from cpplan.emit_ttmetal.expansions import expanded
from cpplan.emit_ttmetal.facts import computes_in_32_bits, dtypes_of, live_carries, zeroed_axes
from cpplan.emit_ttmetal.forms import COLUMNS, LANES, ROWS
from cpplan.emit_ttmetal.index_pages import FLOAT_BITS, drop_pages, make_pages, with_sources
from cpplan.emit_ttmetal.kept import Kept, index_buffers, placed_behind
from cpplan.emit_ttmetal.lives import Life, shared
from cpplan.emit_ttmetal.movement.device_text import functions_used
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.needs import NeedHome, Unavailable
from cpplan.emit_ttmetal.outlined import outlined
from cpplan.emit_ttmetal.places import Lane
from cpplan.emit_ttmetal.points import Maker, NotInPlace
from cpplan.emit_ttmetal.program import ComputeConfig, MathFidelity
from cpplan.emit_ttmetal.roles import role, size, title
from cpplan.emit_ttmetal.text import Text
from cpplan.emit_ttmetal.tidy import tidied
from cpplan.emit_ttmetal.tree import Trees
from cpplan.emit_ttmetal.unit import Unit
from cpplan.errors import InternalError, ScheduleError
from cpplan.schedule.orientation import orientation
from cpplan.schedule.schedule import Buffer, Schedule
from cpplan.tile.program import TileProgram

ROUNDS = 1000
"""More values than a kernel can need buffers for."""


@dataclass(frozen=True)
class ComputeSource:
    """``buffers`` are those of the schedule, then those that the kernel keeps besides, all with offsets."""

    source: str
    config: ComputeConfig
    buffers: tuple[Buffer, ...]


def compute_kernel(schedule: Schedule) -> ComputeSource:
    """The compute kernel of ``schedule``; its run-time arguments are the digits of the core.

    Which values need buffers besides those of the plan, and when blocks can be given up, is found by writing the kernel
    and noting what was missing, until nothing is. Raises :class:`~cpplan.errors.ScheduleError` for ops that the table
    has not, expressions that do not fit DST, and kernels whose buffers do not fit SRAM.
    """
    schedule = expanded(schedule)
    kept, lives, full = Kept(carried=live_carries(schedule.program)), dict[str, Life](), False
    for _ in range(ROUNDS):
        attempt = _Attempt(schedule, kept, lives, full)
        try:
            attempt.run()
        except NeedHome as need:
            if not kept.want(need.value, need.home):
                raise InternalError(f"{need.value} is kept as {need.home} and yet not found so") from need
        except Unavailable as error:
            raise InternalError(
                f"{schedule.program.source or schedule.program.name}: {error.args[0]} is used where nothing made it"
            ) from error
        except NotInPlace as error:
            if error.args[0] in kept.copied:
                raise InternalError(f"{error.args[0]} cannot take its next value in place") from error
            kept.copied.add(error.args[0])
        except OutOfSlots:
            if full:
                raise _too_large(schedule.program) from None
            full = True
        else:
            if attempt.settled:
                return _given_up_early(attempt) or attempt.result()
            lives = attempt.body.lives.seen
            kept.index_pages |= attempt.trees.forms.index_pages
    raise InternalError("the buffers of the compute kernel do not settle")


def _given_up_early(attempt: _Attempt) -> ComputeSource | None:
    """The kernel with every block given up after its last use, so that others can have its buffer; None where that
    changes anything else."""
    again = replace(attempt, early=True, text=Text(depth=1))
    try:
        again.run()
    except (NeedHome, NotInPlace, OutOfSlots, Unavailable):
        return None
    return again.result() if again.settled else None


def _too_large(program: TileProgram) -> ScheduleError:
    slots = _slots(program, full=True)
    return ScheduleError(
        f"{program.source or program.name}: an expression takes more than the {slots} hardware tiles that the "
        "destination registers hold: split it, for instance by storing a part of it"
    )


def _fidelity(schedule: Schedule) -> MathFidelity:
    """The math fidelity that plans reckon with. Products are all that it matters to in emitted kernels."""
    names: tuple[MathFidelity, ...] = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
    reckoned = math_fidelity(schedule.program.ops, schedule.device)
    return next((name for name in names if name == reckoned), "HiFi4")


def _slots(program: TileProgram, full: bool) -> int:
    return ComputeConfig(fp32_dest_acc=computes_in_32_bits(program), dst_full_sync=full).dst_tiles


@dataclass
class _Attempt:
    """One run over the steps, with what was found to be needed so far."""

    schedule: Schedule
    kept: Kept
    lives: Mapping[str, Life]
    full: bool
    early: bool = False
    text: Text = field(default_factory=lambda: Text(depth=1))

    def __post_init__(self) -> None:
        program = self.schedule.program
        dtypes = dtypes_of(program)
        self.wide, self.slots = computes_in_32_bits(program), _slots(program, self.full)
        filled = frozenset(s.buffer for s in self.schedule.streams if self.schedule.layout(s.layout).padding)
        self.trees = Trees(program, self._vector_lane, {}, dtypes, zeroed=zeroed_axes(program), filled=filled)
        formats = _Formats({b.name: b.format for b in self.schedule.buffers})
        formats |= dict.fromkeys((ROWS, COLUMNS, LANES), "fp32")
        self.unit = Unit(_Names(), formats, "Float32" if self.wide else "Float16_b")
        indices = [dim.name for dim in program.dims] + [loop.name for loop in program.loops]
        taken = frozenset(map(identifier, indices))
        maker = Maker(self.trees, self.unit, self.slots, formats, taken)
        self.body = Body(self.schedule, maker, self.kept, dtypes, self.lives, self.early, self.text)
        formats.extra = self.body.extra

    def _vector_lane(self, value: str) -> Lane:
        return "row" if orientation(self.schedule.program, value) == "column" else "col"

    def run(self) -> None:
        """Write the body."""
        pages = with_sources(self.kept.index_pages)
        make_pages(self.text, self.unit, pages, self.slots)
        self.body.steps(self.schedule.thread("compute").steps)
        drop_pages(self.text, self.unit, pages)

    @property
    def settled(self) -> bool:
        """Whether the run knew all that it found."""
        known = self.trees.forms.index_pages <= self.kept.index_pages
        return known and self.body.lives.seen == self.lives

    def result(self) -> ComputeSource:
        """The kernel."""
        extra, multiplied = self.body.extra, self.unit.multiplied
        kinds = {name: (b.format, b.pages, name in multiplied) for name, b in extra.items()}
        owners = shared(self.body.lives, kinds)
        own = [buffer for name, buffer in extra.items() if owners[name] == name]
        pages = index_buffers(with_sources(self.kept.index_pages))
        buffers = placed_behind(self.schedule, (*own, *pages))
        config = ComputeConfig(
            math_fidelity=_fidelity(self.schedule),
            fp32_dest_acc=self.wide,
            dst_full_sync=self.full,
            unpack_to_dest_fp32=tuple(
                b.index for b in buffers if b.format == "fp32" and b.name in self.unit.copied - multiplied
            ),
        )
        return ComputeSource(self._whole(buffers, owners), config, buffers)

    def _whole(self, buffers: tuple[Buffer, ...], owners: Mapping[str, str]) -> str:
        unit = self.unit
        body = "\n".join(self.text.lines)
        text = Text(lines=title(self.schedule, "the computation"))
        text.line("#include <cstdint>")
        for header in sorted(unit.headers):
            text.line(f'#include "api/compute/{header}"')
        text.line()
        for part in (functions_used(body), FLOAT_BITS if "plan::float_bits(" in body else ""):
            if part:
                text.lines += [*part.rstrip("\n").split("\n"), ""]
        with text.block("void kernel_main()"):
            for buffer in (b for b in buffers if unit.names[b.name] in body or b.name in owners):
                what = f"{size(buffer)}: {role(self.schedule, buffer.name)}"
                text.line(f"constexpr uint32_t {unit.names[buffer.name]} = {buffer.index};  // {what}")
            for name, owner in owners.items():
                if name != owner:
                    text.line(f"constexpr uint32_t {unit.names[name]} = {unit.names[owner]};  // once that is given up")
            for line in digit_lines(self.schedule):
                text.line(line)
            text.line()
            text.line(self._startup(buffers))
            text.lines += self.text.lines
        return tidied(outlined(str(text)))

    def _startup(self, buffers: tuple[Buffer, ...]) -> str:
        """The hardware is set up once, for products if there are any, which take their operands crosswise."""
        names = self.unit.names
        sources = [names[name] for name in self.unit.first] or [names[buffers[0].name]]
        out = names[next(b.name for b in buffers if b.role == "store")]
        order = "<SrcOrder::Reverse>" if len(sources) == 2 else ""
        return f"compute_kernel_hw_startup{order}({', '.join([*sources, out])});"


class _Names(dict[str, str]):
    """C++ names of circular buffers, made up at first sight."""

    def __missing__(self, name: str) -> str:
        wanted = f"cb_{identifier(name)}"
        while wanted in self.values():
            wanted += "_"
        self[name] = wanted
        return wanted


class _Formats(dict[str, str]):
    """Formats of buffers, those kept besides the plan's included."""

    extra: Mapping[str, Buffer] = {}

    def __missing__(self, name: str) -> str:
        return self.extra[name].format
