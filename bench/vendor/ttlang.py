"""A schedule as a TT-Lang operation under the vendor's simulator: results, and traffic against the plan's figures."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.cost.traffic import tiles_moved
from cpplan.emit_ttlang.body import Body, Lanes
from cpplan.emit_ttlang.elements import from_matrix, numbers, to_matrix
from cpplan.emit_ttlang.exchange import Teams
from cpplan.emit_ttlang.matrices import Matrix, matrices_of, window_of
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.operation import Operation, Parameter
from cpplan.emit_ttlang.wanted import Wanted
from cpplan.emit_ttmetal.pages import strided
from cpplan.plan.nest import build_nest, cores_per_dim
from cpplan.schedule.schedule import Schedule, Stream

Array = npt.NDArray[Any]
HERE = Path(__file__).parent
TYPES = {"bf16": "bfloat16", "fp32": "float32"}


Buffers = Counter[tuple[str, tuple[int, ...], int]]
"""Parameter whose tiles a dataflow buffer holds, shape of a block in tiles, blocks -> how many there are on a node."""


@dataclass(frozen=True)
class Traffic:
    """What the simulator saw: tiles from and to DRAM by parameter, tiles sent and received by pipe, buffers, and the
    most blocks of a load that any buffer held."""

    read: Mapping[str, int]
    written: Mapping[str, int]
    pipes: Mapping[str, tuple[int, int]]
    buffers: Buffers
    deepest: int


@dataclass(frozen=True)
class Expected:
    """The plan's own figures; ``shared`` has, for every shared load, its pipes with their receivers, and the tiles that
    go through all of them."""

    read: Mapping[str, int]
    written: Mapping[str, int]
    shared: Sequence[tuple[Mapping[str, int], int]]
    buffers: Buffers
    deepest: int


class Failed(Exception):
    """The simulator stopped, in its own words."""


def simulated(
    home: Path, folder: Path, operation: Operation, schedule: Schedule, memory: Mapping[str, Array], limit: int
) -> tuple[dict[str, Array], Traffic]:
    """Tensors after the operation, in the form of ``memory``, and what it moved."""
    file, trace = folder / "operation.py", folder / "trace.jsonl"
    file.write_text(operation.source)
    kinds = [(item.name, TYPES[item.format]) for item in operation.parameters]
    (folder / "call.json").write_text(json.dumps({"function": operation.name, "tensors": kinds}))
    for item in operation.parameters:
        np.save(folder / f"{item.name}.npy", _elements(item, schedule, memory))
    tools = home / "ttlang" / "bin"
    command = [tools / "tt-lang-sim", HERE / "on_ttlang.py", "--trace", trace, file, folder]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=limit, check=False)
    if result.returncode != 0:
        raise Failed(_complaint(result.stdout + result.stderr))
    stats = subprocess.run([str(tools / "tt-lang-sim-stats"), str(trace)], capture_output=True, text=True, check=True)
    buffers = [(name, tuple(shape), count) for name, shape, count in json.loads((folder / "buffers.json").read_text())]
    events = (json.loads(line) for line in trace.read_text().splitlines())
    held = [event["occupied"] for event in events if event["event"] == "dfb_reserve_end" and "-noc" in event["kernel"]]
    after = dict(memory)
    for item in operation.parameters:
        if isinstance(item.of, Matrix) and schedule.program.is_written(item.of.layout.tensor):
            after[item.of.layout.tensor] = _memory(item.of, schedule, memory, np.load(folder / f"{item.name}.npy"))
    return after, Traffic(*_tables(stats.stdout), Counter(buffers), max(held, default=0))


def planned(schedule: Schedule, operation: Operation) -> Expected:
    """Figures of :func:`cpplan.cost.traffic.tiles_moved`, of the groups and of the depths in the plan."""
    names = {item.of.layout.name: item.name for item in operation.parameters if isinstance(item.of, Matrix)}
    plan, program = schedule.plan, schedule.program
    nest = build_nest(program, plan.spatial, plan.order)
    read, written, buffers, shared, deepest = Counter[str](), Counter[str](), Buffers(), [], 0
    for access, place in zip(program.accesses, plan.placements, strict=True):
        stream = schedule.stream(access.name)
        window = window_of(schedule, stream, matrices_of(schedule)[stream.layout])
        tiles = tiles_moved(program, plan.spatial, nest, access, place) * window.rows * window.columns
        name, shape = names[stream.layout], (window.rows, window.columns)
        (read if access.kind == "load" else written)[name] += tiles
        buffers[name, shape, place.depth] += math.prod(span for _, span in stream.inner)
        if access.name in operation.unread:
            buffers[name, shape, 1] += 1
        if access.kind == "load":
            deepest = max(deepest, min(place.depth, nest.iterations(nest.names.index(place.level))))
        if stream.pattern == "forward":
            shared.append((pipes_of(stream), tiles * (math.prod(place.groups) - 1)))
        elif stream.pattern == "multicast":
            shared.append((pipes_of(stream), tiles))
    for pipes, tiles, states in combined(schedule):
        shared.append((pipes, tiles))
        buffers.update(states)
    for item in operation.parameters:
        if isinstance(item.of, Lanes):  # which every node reads once
            read[item.name] = plan.cores * item.of.tiles
            buffers[item.name, item.of.shape, 1] += 1
    return Expected(read, written, shared, buffers, deepest)


def combined(schedule: Schedule) -> Iterator[tuple[Mapping[str, int], int, Buffers]]:
    """Pipes through which the nodes that share a loop hand their states on, tiles through them, and their buffers.

    All but the first of every team hand on a whole state once per block of the grid.
    """
    if schedule.combining is None:
        return
    loop, reduction = schedule.combining.loop, schedule.program.reduction
    assert reduction is not None
    names = Names()
    teams = Teams(schedule, names, Wanted(schedule, names))
    body = Body(schedule, names)
    pipes = {f"pipe_{_place(a)}_to_{_place(b)}": 1 for number in teams.rounds() for a, b in teams.pipes(number)}
    shapes = [teams.blocks(body, state) for state in reduction.state]
    blocks = math.prod(dim.extent for dim in schedule.program.dims)
    cores = cores_per_dim(schedule.plan.spatial)[loop]
    models = [teams.model(matrices_of(schedule), shape) for shape in shapes]
    buffers = Buffers((model, shape, 1) for model, shape in zip(models, shapes, strict=True) for _ in range(2))
    yield pipes, blocks * (cores - 1) * sum(rows * columns for rows, columns in shapes), buffers


def pipes_of(stream: Stream) -> dict[str, int]:
    """Pipes of a shared load as the simulator calls them, and how many nodes receive from each."""
    if stream.pattern == "forward":
        links = [(core, end.following) for core, end in stream.endpoints.items() if end.following is not None]
        return {f"pipe_{_place(a)}_to_{_place(b)}": 1 for a, b in links}
    ends = {(end.reader, end.low, end.high) for end in stream.endpoints.values()}
    wide = {axis for core, end in stream.endpoints.items() for axis, at in enumerate(core) if at != end.reader[axis]}
    out = {}
    for reader, low, high in ends:
        corners = list(enumerate(zip(low, high, strict=True)))
        sides = [f"{a}:{b + 1}" if axis in wide else f"{a}" for axis, (a, b) in corners]
        out[f"pipe_{_place(reader)}_to_({','.join(sides)})"] = math.prod(b - a + 1 for _, (a, b) in corners)
    return out


def differences(found: Traffic, wanted: Expected) -> list[str]:
    """What the simulator saw and the plan does not say, in words."""
    out = []
    for what, here, there in (("read", found.read, wanted.read), ("written", found.written, wanted.written)):
        for name in sorted({*here, *there}):
            if here.get(name, 0) != there.get(name, 0):
                out.append(f"{name}: {here.get(name, 0)} tiles {what}, the plan says {there.get(name, 0)}")
    out += _pipe_differences(found.pipes, wanted.shared)
    if found.buffers != wanted.buffers:
        more, less = found.buffers - wanted.buffers, wanted.buffers - found.buffers
        out.append(f"buffers {sorted(more)} instead of {sorted(less)}")
    if found.deepest > wanted.deepest:
        out.append(f"{found.deepest} blocks of a load in a buffer, the plan has room for {wanted.deepest}")
    return out


def _pipe_differences(
    found: Mapping[str, tuple[int, int]], shared: Sequence[tuple[Mapping[str, int], int]]
) -> Iterator[str]:
    """Loads with the same pipes are counted together, since the simulator does so."""
    totals = Counter[frozenset[str]]()
    receivers = {name: count for pipes, _ in shared for name, count in pipes.items()}
    for pipes, tiles in shared:
        totals[frozenset(pipes)] += tiles
    for name in sorted(found.keys() - receivers.keys()):
        yield f"{name} carries {found[name][0]} tiles and is no pipe of the plan"
    for name, count in sorted(receivers.items()):
        sent, received = found.get(name, (0, 0))
        if received != sent * count:
            yield f"{name}: {sent} tiles sent and {received} received, by {count} nodes of the plan"
    for names, tiles in _merged(totals).items():
        sent = sum(found.get(name, (0, 0))[0] for name in names)
        if sent != tiles:
            yield f"{', '.join(sorted(names)[:2])}, ...: {sent} tiles sent, the plan says {tiles}"


def _merged(totals: Mapping[frozenset[str], int]) -> dict[frozenset[str], int]:
    """Loads that have some pipes in common as one."""
    out: dict[frozenset[str], int] = {}
    for names, tiles in totals.items():
        for other in [other for other in out if other & names]:
            names, tiles = names | other, tiles + out.pop(other)
        out[names] = tiles
    return out


def _tables(text: str) -> tuple[dict[str, int], dict[str, int], dict[str, tuple[int, int]]]:
    """Tiles read from and written to DRAM per tensor, sent and received per pipe, as tt-lang-sim-stats prints."""
    read, written, pipes = dict[str, int](), dict[str, int](), dict[str, tuple[int, int]]()
    for line in text.splitlines():
        name, *cells = line.split() or [""]
        if name == "TOTAL" or not cells or not all(cell.isdigit() for cell in cells):
            continue
        numbers = list(map(int, cells))
        if len(numbers) == 8:
            read[name], written[name] = numbers[4], numbers[5]
        elif name.startswith("pipe_"):
            pipes[name] = (numbers[3], numbers[2])
    return read, written, pipes


def _complaint(text: str) -> str:
    """The simulator's message, without its frames and without what it says when it cannot find its own diagnostics."""
    lines = [line.strip() for line in text.splitlines() if re.match(r"\w*Error:|Deadlock", line.strip())]
    return " / ".join(line for line in lines if not line.startswith("FileNotFoundError"))[:400]


def _place(core: tuple[int, ...]) -> str:
    return f"({','.join(map(str, core))})"


def _elements(item: Parameter, schedule: Schedule, memory: Mapping[str, Array]) -> Array:
    """A parameter as a matrix of float32."""
    if isinstance(item.of, Lanes):
        return numbers(item.of)
    tensor = schedule.program.tensor(item.of.layout.tensor)
    return to_matrix(strided(memory[tensor.name], tensor), item.of).astype(np.float32)


def _memory(matrix: Matrix, schedule: Schedule, memory: Mapping[str, Array], values: Array) -> Array:
    """The memory of a tensor that the operation wrote."""
    tensor = schedule.program.tensor(matrix.layout.tensor)
    flat = np.array(memory[tensor.name])
    strided(flat, tensor)[...] = from_matrix(values, matrix, tensor.shape)
    return flat
