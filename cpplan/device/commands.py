"""``cpplan hw``: list, show and check hardware specs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cpplan.errors import SpecError

if TYPE_CHECKING:
    from rich.table import Table

    from cpplan.device.device import Device
    from cpplan.device.lint import Finding

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def hw() -> None:
    """List, show and check hardware specs.

    \b
    Example:
      cpplan hw list
      cpplan hw show wormhole --cores 4x8@0,2
      cpplan hw lint my_device.mlir
    """


@hw.command("list")
@as_json
def list_specs(as_json: bool) -> None:
    """List the devices that come with cpplan.

    \b
    Example:
      cpplan hw list --json
    """
    from cpplan.device.spec import list_devices, load_device

    rows = [_overview(load_device(name)) for name in list_devices()]
    if as_json:
        click.echo(json.dumps({"schema": 1, "devices": rows}, indent=2))
        return
    table = _table("device", "cores", "SRAM", "DRAM read", "clock", "NoCs", "multicast")
    for row in rows:
        table.add_row(
            row["name"],
            "x".join(map(str, row["shape"])),
            f"{row['sram_bytes'] // 1024} KiB",
            f"{row['dram_gb_per_s']:.0f} GB/s",
            f"{row['clock_mhz']} MHz",
            str(row["nocs"]),
            "yes" if row["multicast"] else "no",
        )
    _print(table)


def _overview(device: Device) -> dict[str, Any]:
    rate = min(device.dram.bank_read_rate, device.dram.port_read_rate * len(device.nocs)) * device.dram.banks
    return {
        "name": device.name,
        "shape": [dim.extent for dim in device.dims],
        "cores": device.cores,
        "sram_bytes": device.sram.usable,
        "dram_gb_per_s": round(float(rate * device.clock_mhz / 1000), 1),
        "clock_mhz": device.clock_mhz,
        "nocs": len(device.nocs),
        "multicast": device.multicast is not None,
        "fingerprint": device.fingerprint,
    }


@hw.command("show")
@click.argument("device")
@click.option("--cores", metavar="4x8@0,2", help="Only this sub-mesh: extents @ offset.")
@click.option("--disable-core", multiple=True, metavar="X,Y", help="Leave out a core; may be repeated.")
@click.option("--derate", multiple=True, metavar="dram=0.7", help="Slow a resource (dram, noc); may be repeated.")
@click.option("--mlir", "as_mlir", is_flag=True, help="Print the df spec, its base applied.")
@as_json
def show(
    device: str, cores: str | None, disable_core: tuple[str, ...], derate: tuple[str, ...], as_mlir: bool, as_json: bool
) -> None:
    """Show what planning knows about DEVICE, a name or a .mlir file.

    \b
    Example:
      cpplan hw show blackhole --derate dram=0.7
      cpplan hw show wormhole_8x7 --mlir
    """
    from cpplan.device.spec import load_device

    loaded = load_device(device, cores=cores, disable=disable_core, derate=derate)
    if as_mlir:
        from cpplan.device.source import load

        click.echo(str(load(device).device))
    elif as_json:
        click.echo(json.dumps({"schema": 1, "device": _plain(loaded)}, indent=2))
    else:
        _print(_details(loaded))


def _plain(device: Device) -> dict[str, Any]:
    """The device as JSON values; rates become exact text."""
    import dataclasses
    from fractions import Fraction

    from cpplan.device.exact import format_exact

    def exact(value: object) -> str:
        assert isinstance(value, Fraction)
        return format_exact(value)

    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(device), default=exact))
    return plain


def _details(device: Device) -> Table:
    table = _table("what", "value", title=device.name)
    for what, value in _lines(device):
        table.add_row(what, value)
    return table


def _lines(device: Device) -> list[tuple[str, str]]:
    from cpplan.device.exact import format_exact as text
    from cpplan.device.free_boxes import free_boxes

    sram, dram = device.sram, device.dram
    lines = [
        ("cores", " x ".join(f"{dim.name} {dim.extent}" for dim in device.dims)),
        *((f"routers of {dim.name}", " ".join(map(str, dim.positions))) for dim in device.dims),
        ("disabled cores", " ".join(",".join(map(str, core)) for core in device.disabled) or "none"),
        ("boxes of cores", " ".join(map(str, free_boxes(device)))),
        ("clock", f"{device.clock_mhz} MHz"),
        ("side by side", device.overlap.replace("|", " | ")),
        ("launch", f"{device.launch_cycles} cycles"),
        ("SRAM", f"{sram.usable} B of {sram.size} B, {sram.alignment} B aligned, {sram.max_buffers} buffers"),
        ("DRAM", f"{dram.banks} banks of {dram.bank_bytes} B, {dram.alignment} B aligned"),
        ("bank", f"read {text(dram.bank_read_rate)}, write {text(dram.bank_write_rate)} B/cycle"),
        ("bank port", f"read {text(dram.port_read_rate)}, write {text(dram.port_write_rate)} B/cycle per NoC"),
    ]
    for noc, routers in zip(device.nocs, dram.endpoints, strict=True):
        route = " then ".join(_hop(noc.wraps, step, device.dims[axis].name) for axis, step in noc.route)
        shape = f"{'torus' if noc.wraps else 'mesh'} {'x'.join(map(str, noc.torus))}"
        lines.append((noc.name, f"{shape}, {route}, {text(noc.link_rate)} B/cycle per link"))
        lines.append((f"banks on {noc.name}", " ".join(",".join(map(str, router)) for router in routers)))
    lines.append(("multicast", "to rectangles" if device.multicast else "none"))
    lines.append(("forwarding", "along " + ", ".join(device.forward.dims) if device.forward else "none"))
    for unit in device.units:
        costs = ", ".join(f"{name} {text(cost)}" for name, cost in unit.costs)
        lines.append((f"{unit.name} ({unit.thread})", costs))
    lines.append(("fingerprint", device.fingerprint))
    return lines


def _hop(wraps: bool, step: int, axis: str) -> str:
    return f"{'+' if step > 0 else '-'}{axis}" if wraps else axis


@hw.command("lint")
@click.argument("specs", nargs=-1, required=True)
@as_json
def lint_specs(specs: tuple[str, ...], as_json: bool) -> None:
    """Check SPECS (names or .mlir files): exit code 0 when all are consistent, 2 otherwise.

    \b
    Example:
      cpplan hw lint wormhole my_device.mlir
    """
    from cpplan.device.lint import lint

    findings = {spec: lint(spec) for spec in specs}
    if as_json:
        click.echo(json.dumps(_report(findings), indent=2))
    else:
        for spec, found in findings.items():
            for finding in found:
                click.echo(str(finding))
            click.echo(f"{spec}: {len(found) or 'no'} finding{'s' if len(found) != 1 else ''}")
    if any(findings.values()):
        raise SystemExit(SpecError.exit_code)


def _report(findings: dict[str, list[Finding]]) -> dict[str, Any]:
    import dataclasses

    specs = [{"spec": spec, "findings": [dataclasses.asdict(f) for f in found]} for spec, found in findings.items()]
    return {"schema": 1, "clean": not any(findings.values()), "specs": specs}


def _table(*columns: str, title: str | None = None) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for position, column in enumerate(columns):
        table.add_column(column, no_wrap=position == 0)
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    Console(markup=False).print(table)
