"""Ops that are others put together, taken apart before the compute kernel is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cpplan.schedule.schedule import Compute, For, Guard, Schedule, Step
from cpplan.tile.program import Op


def expanded(schedule: Schedule) -> Schedule:
    """``schedule`` with such ops replaced, in the program and in its steps."""
    parts = {op.name: tuple(_parts(op)) for op in schedule.program.ops}
    parts = {name: made for name, made in parts.items() if made}
    if not parts:
        return schedule
    ops = tuple(part for op in schedule.program.ops for part in parts.get(op.name, (op,)))
    names = {name: tuple(op.name for op in made) for name, made in parts.items()}
    threads = tuple(replace(thread, steps=_renamed(thread.steps, names)) for thread in schedule.threads)
    return replace(schedule, program=replace(schedule.program, ops=ops), threads=threads)


def _parts(op: Op) -> Iterator[Op]:
    if op.kind == "scan_sum" and dict(op.attributes).get("reverse"):
        yield from _backwards(op)


def _backwards(op: Op) -> Iterator[Op]:
    """A running sum from the end: the total, less the running sum from the front, and the element itself again."""
    (value,), axis = op.operands, int(dict(op.attributes)["axis"]) % len(op.shape)
    without = (*op.shape[:axis], *op.shape[axis + 1 :])
    one = (*op.shape[:axis], 1, *op.shape[axis + 1 :])
    along = (("axis", axis),)

    def part(name: str, kind: str, operands: tuple[str, ...], shape: tuple[int, ...], before: tuple[int, ...]) -> Op:
        return replace(
            op, name=name, kind=kind, operands=operands, shape=shape, attributes=along if kind != "broadcast" else (),
            operand_shapes=(before,) * len(operands), operand_dtypes=(op.dtype,) * len(operands),
        )  # fmt: skip

    yield part(f"{op.name}.front", "scan_sum", (value,), op.shape, op.shape)
    yield part(f"{op.name}.total", "reduce_sum", (value,), without, op.shape)
    yield part(f"{op.name}.line", "reshape", (f"{op.name}.total",), one, without)
    yield part(f"{op.name}.all", "broadcast", (f"{op.name}.line",), op.shape, one)
    yield part(f"{op.name}.behind", "sub", (f"{op.name}.all", f"{op.name}.front"), op.shape, op.shape)
    yield part(op.name, "add", (f"{op.name}.behind", value), op.shape, op.shape)


def _renamed(steps: tuple[Step, ...], names: Mapping[str, tuple[str, ...]]) -> tuple[Step, ...]:
    out: list[Step] = []
    for step in steps:
        match step:
            case Compute(ops=ops):
                out.append(replace(step, ops=tuple(part for op in ops for part in names.get(op, (op,)))))
            case For(body=body) | Guard(body=body):
                out.append(replace(step, body=_renamed(body, names)))
            case _:
                out.append(step)
    return tuple(out)
