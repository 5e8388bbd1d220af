"""Tables of plans for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from cpplan.cli import words
from cpplan.cli.console import table
from cpplan.plan.schema import PlanFile


def plan_table(files: Sequence[PlanFile], gaps: Sequence[float]) -> Table:
    """One row per plan: time, what limits it, where it runs, what it takes."""
    out = table(
        ">#", ">time us", ">cycles", "bound by", ">gap", "cores", "mapping", "block", "waves", ">SRAM KiB", ">DRAM MB"
    )
    for file, gap in zip(files, gaps, strict=True):
        cost, chosen = file.cost, file.decisions
        out.add_row(
            str(file.rank),
            words.microseconds(cost.makespan_cycles, file.device.clock_mhz),
            f"{cost.makespan_cycles:,}",
            cost.bound_by,
            f"{gap:.1%}",
            words.cores(file),
            words.mapping(chosen),
            words.block(chosen),
            words.order(chosen),
            f"{words.kib(cost.sram_bytes)}/{words.kib(cost.sram_limit_bytes)}",
            words.megabytes(cost.dram_bytes),
        )
    return out


def movement_table(files: Sequence[PlanFile]) -> Table:
    """One row per plan, one column per access: who shares the read, in which loop, how deep, on which network."""
    names = [access.access for access in files[0].decisions.accesses]
    out = table(">#", *names)
    for file in files:
        dims = words.dims(file)
        out.add_row(str(file.rank), *(words.movement(access, dims) for access in file.decisions.accesses))
    return out


def level_table(file: PlanFile) -> Table:
    """Where the time goes: one row per level of the loop nest, cycles per iteration except ``total``."""
    out = table(
        "level", ">trips", ">load", ">store", ">serial load", ">serial store", ">combine", ">compute", ">period",
        ">total", "busiest", ">cycles",
    )  # fmt: skip
    for level in file.cost.levels:
        numbers = (level.trips, level.load, level.store, level.serial_load, level.serial_store, level.combine)
        rest = (level.ops, level.period, level.total)
        out.add_row(
            level.name, *(f"{n:,}" for n in (*numbers, *rest)), level.busiest_name, f"{level.busiest:,}"
        )  # fmt: skip
    return out


def utilisation_table(file: PlanFile) -> Table:
    """Share of the makespan each kind of resource is busy, with a bar."""
    out = table("resource", ">busy", "")
    for name, share in sorted(file.cost.utilisation.items(), key=lambda item: -item[1]):
        out.add_row(name, f"{share:.1%}", "#" * round(share * 40))
    return out


def memory_table(file: PlanFile) -> Table:
    """SRAM of every buffer and DRAM traffic of every access."""
    traffic = {item.name: item.bytes for item in file.cost.traffic}
    out = table("buffer", ">SRAM bytes", ">DRAM MB")
    for buffer in file.cost.buffers:
        moved = words.megabytes(traffic[buffer.name]) if buffer.name in traffic else "-"
        out.add_row(buffer.name, f"{buffer.bytes:,}", moved)
    out.add_row("all", f"{file.cost.sram_bytes:,}", words.megabytes(file.cost.dram_bytes))
    out.add_row("limit", f"{file.cost.sram_limit_bytes:,}", "")
    return out
