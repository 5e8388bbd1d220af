"""Options that several commands share: which kernel launch, and which device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from cpplan.device.device import Device

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


def kernel_file(command: Command) -> Command:
    """The ``path`` of a kernel file."""
    return click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))(command)


def take_launch(values: dict[str, Any]) -> LaunchOptions:
    """Move the launch options out of a command's keyword arguments."""
    free = tuple(name for text in values.pop("free") for name in text.split(",") if name)
    names = ("path", "entry", "kernel", "arg", "constexpr", "grid", "tensors", "gpu", "multiprocessors", "argv")
    return LaunchOptions(free=free, **{name: values.pop(name) for name in names})


def take_device(values: dict[str, Any]) -> DeviceOptions:
    """Move the device options out of a command's keyword arguments."""
    return DeviceOptions(**{name: values.pop(name) for name in ("device", "cores", "disable_core", "derate")})


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
]

_DEVICE: list[Callable[[Any], Any]] = [
    click.option("--cores", metavar="WxH@X,Y", help="Use only this part of the array, e.g. 4x8@0,2."),
    click.option("--disable-core", multiple=True, metavar="X,Y", help="Plan around a faulty core."),
    click.option("--derate", multiple=True, metavar="KIND=FACTOR", help="Slow a resource down: dram=0.7 or noc=0.5."),
]
