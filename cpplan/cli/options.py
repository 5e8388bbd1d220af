"""Options that several commands share: which kernel launch, and which device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from cpplan.device.device import Device
    from cpplan.plan.restrict import Restriction
    from cpplan.tile.program import Problem

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class LaunchOptions:
    """Which launches of which file to plan, as the command line says it."""

    path: Path
    entry: str | None = None
    kernel: str | None = None
    arg: tuple[str, ...] = ()
    constexpr: tuple[str, ...] = ()
    grid: str | None = None
    free: tuple[str, ...] = ()
    tensors: str = "fake"
    gpu: str | None = None
    multiprocessors: int | None = None
    format: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeviceOptions:
    """Devices by name or spec file, and the part or speed of them that may be used."""

    device: tuple[str, ...]
    cores: str | None = None
    disable_core: tuple[str, ...] = ()
    derate: tuple[str, ...] = ()

    def load(self) -> list[Device]:
        """The devices, each checked."""
        from cpplan.device.spec import load_device

        return [
            load_device(name, cores=self.cores, disable=self.disable_core, derate=self.derate)
            for name in dict.fromkeys(self.device)
        ]


@dataclass(frozen=True)
class RestrictionOptions:
    """Decisions that are pinned or forbidden, as texts and as partial plans."""

    pin: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    pin_file: tuple[Path, ...] = ()

    def read(self, problem: Problem, device: Device) -> Restriction:
        """What they mean for one launch on one device."""
        from cpplan.plan.partial import pins_of, read_partial
        from cpplan.plan.terms import parse_restriction

        of_files = {str(path): list(pins_of(read_partial(path))) for path in self.pin_file}
        return parse_restriction(problem, device, self.pin, self.forbid, of_files)


def launch_options(command: Command) -> Command:
    """Options of :class:`LaunchOptions`, and its ``argv``; the command itself declares ``path``."""
    for decorate in reversed(_LAUNCH):
        command = decorate(command)
    return command


def device_options(*, required: bool) -> Callable[[Command], Command]:
    """Options of :class:`DeviceOptions`."""
    about = "Device name or spec file; may be repeated."
    first = click.option("--device", multiple=True, required=required, metavar="NAME", help=about)

    def decorate(command: Command) -> Command:
        for option in reversed([first, *_DEVICE]):
            command = option(command)
        return command

    return decorate


def restriction_options(command: Command) -> Command:
    """Options of :class:`RestrictionOptions`."""
    for decorate in reversed(_RESTRICTION):
        command = decorate(command)
    return command


def kernel_file(command: Command) -> Command:
    """The ``path`` of a kernel file."""
    return click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))(command)


def take_launch(values: dict[str, Any]) -> LaunchOptions:
    """Move the launch options out of a command's keyword arguments."""
    free = tuple(name for text in values.pop("free") for name in text.split(",") if name)
    names = ("path", "entry", "kernel", "arg", "constexpr", "grid", "tensors", "gpu", "multiprocessors", "format")
    return LaunchOptions(free=free, argv=values.pop("argv"), **{name: values.pop(name) for name in names})


def take_device(values: dict[str, Any]) -> DeviceOptions:
    """Move the device options out of a command's keyword arguments."""
    return DeviceOptions(**{name: values.pop(name) for name in ("device", "cores", "disable_core", "derate")})


def take_restriction(values: dict[str, Any]) -> RestrictionOptions:
    """Move the options that restrict plans out of a command's keyword arguments."""
    return RestrictionOptions(**{name: values.pop(name) for name in ("pin", "forbid", "pin_file")})


_LAUNCH: list[Callable[[Any], Any]] = [
    click.argument("argv", nargs=-1),
    click.option(
        "--entry", metavar="CALL", help="Function of the file that launches the kernel, e.g. run or run(4096)."
    ),
    click.option("--kernel", metavar="NAME", help="Plan this kernel from --arg and --grid; the file is only imported."),
    click.option("--arg", multiple=True, metavar="NAME=VALUE", help="Argument: a=bf16[4096,4096] or M=4096."),
    click.option("--constexpr", multiple=True, metavar="NAME=VALUES", help="Constexpr; several values are candidates."),
    click.option(
        "--grid", metavar="X[,Y[,Z]]", help="Launch grid for --kernel; expressions of the arguments work too."
    ),
    click.option("--free", multiple=True, metavar="NAMES", help="Block sizes the solver chooses freely: BM,BN,BK."),
    click.option(
        "--tensors",
        type=click.Choice(["fake", "cpu"]),
        default="fake",
        show_default=True,
        help="What the file computes with: tensors without memory, or real ones when its code looks at values.",
    ),
    click.option("--as", "gpu", metavar="sm_NN", help="GPU that the file believes to run on.  [sm_90]"),
    click.option(
        "--multiprocessors", type=int, metavar="N", help="Its multiprocessors, the grid of persistent kernels.  [132]"
    ),
    click.option(
        "--format",
        multiple=True,
        metavar="TENSOR=FORMAT",
        help="The device stores this tensor as tiles of bfp8_b or bfp4_b, whatever its type in the file.",
    ),
]

_DEVICE: list[Callable[[Any], Any]] = [
    click.option("--cores", metavar="WxH@X,Y", help="Use only this part of the array, e.g. 4x8@0,2."),
    click.option("--disable-core", multiple=True, metavar="X,Y", help="Plan around a faulty core."),
    click.option("--derate", multiple=True, metavar="KIND=FACTOR", help="Slow a resource down: dram=0.7 or noc=0.5."),
]

_RESTRICTION: list[Callable[[Any], Any]] = [
    click.option(
        "--pin",
        multiple=True,
        metavar="TERM",
        help="Only plans of which this holds: BLOCK_M=128, m.cores=8, m.on=x, x=m/2.n/6, order=m,n, k.cores=4, "
        "combine=ring, A.level=k, A.depth=2, A.broadcast=row, A.group=8x1, A.noc=0, A.reader=diagonal; "
        "*.depth=1 for all accesses.",
    ),
    click.option("--forbid", multiple=True, metavar="TERM", help="Only plans of which this does not hold."),
    click.option(
        "--pin-file",
        multiple=True,
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Pin what this partial plan decides: plan.json with any decision left out.",
    ),
]
