"""A stand-in for TT-Lang that executes an emitted operation without its simulator, and counts what it moves.

Data movement runs first, node by node; blocks that come through pipes and blocks that are stored are looked up when
somebody needs them. Then all nodes compute, each in a thread. So it finds wrong tiles, wrong pipes and wrong
arithmetic, but no races and not every deadlock: for those there is the vendor's simulator (tests/vendor).
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

TILE = 32
PATIENCE = 20
"""Seconds after which a block that nobody fills is an error."""
Node = tuple[int, ...]


class Tensor:
    """A matrix of hardware tiles, sliced in tiles."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.name, self.array = name, array

    def __getitem__(self, key: tuple[slice, slice]) -> Region:
        rows, columns = (slice(TILE * part.start, TILE * part.stop) for part in key)
        view = self.array[rows, columns]
        wanted = tuple(TILE * (part.stop - part.start) for part in key)
        assert view.shape == wanted, f"{self.name}[{key}] is outside of {self.array.shape}"
        return Region(self.name, view)


class Region:
    def __init__(self, tensor: str, view: np.ndarray) -> None:
        self.tensor, self.view = tensor, view
        self.tiles = view.size // TILE**2


class Value:
    """A block as a value."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __add__(self, other: Value) -> Value:
        return Value(self.array + other.array)

    def __sub__(self, other: Value) -> Value:
        return Value(self.array - other.array)

    def __mul__(self, other: Value) -> Value:
        return Value(self.array * other.array)

    def __truediv__(self, other: Value) -> Value:
        with np.errstate(all="ignore"):  # beyond the elements of a block anything may be divided
            return Value(self.array / other.array)

    def __matmul__(self, other: Value) -> Value:
        return Value(self.array @ other.array)


class Slot(Value):
    """One block of a buffer on one node: its content is known, or comes from elsewhere."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.source: Callable[[], np.ndarray] | None = None
        self.filled = threading.Event()

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        assert self.filled.wait(PATIENCE), "nothing comes into a block that is read"
        assert self.source is not None
        return self.source()

    def fill(self, source: Callable[[], np.ndarray]) -> None:
        """What is in the block, or where it comes from."""
        self.source = source
        self.filled.set()

    def store(self, value: Value) -> None:
        array = value.array
        assert array.shape == tuple(TILE * n for n in self.shape)
        self.fill(lambda: array)

    def pop(self) -> None:
        """Given back."""

    def __enter__(self) -> Slot:
        return self

    def __exit__(self, *_: object) -> None:
        """Pushed, or given back."""


class Pipe:
    def __init__(self, src: Node, dst: tuple[int | slice, ...]) -> None:
        self.src = src
        self.sides = [range(d.start, d.stop) if isinstance(d, slice) else range(d, d + 1) for d in dst]
        self.sent: list[Slot] = []
        self.received: Counter[Node] = Counter()

    def goes_to(self, node: Node) -> bool:
        return all(at in side for at, side in zip(node, self.sides, strict=True))


class Machine:
    """What a program does with ``ttl``; ``grid`` is known when an operation starts."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.nets: list[list[Pipe]] = []
        self.buffers: list[tuple[str, tuple[int, int], int]] = []
        self.threads: list[tuple[str, Callable[[], None]]] = []
        self.places = threading.local()
        self.late: list[Callable[[], None]] = []

    @property
    def here(self) -> Node:
        """The node that runs in this thread."""
        found: Node = self.places.node
        return found

    def module(self) -> ModuleType:
        """The module ``ttl``."""
        made = ModuleType("ttl")
        made.operation, made.node = self._operation, lambda dims: self.here  # type: ignore[attr-defined]
        made.compute, made.datamovement = self._thread("compute"), self._thread("move")  # type: ignore[attr-defined]
        made.copy, made.Pipe = self._copy, Pipe  # type: ignore[attr-defined]
        made.PipeNet = lambda pipes: Net(self, pipes)  # type: ignore[attr-defined]
        made.make_dataflow_buffer_like = lambda like, shape, block_count: Buffer(  # type: ignore[attr-defined]
            self, like.name, shape, block_count
        )
        made.block = SimpleNamespace(**BLOCK)  # type: ignore[attr-defined]
        made.math = SimpleNamespace(**MATH)  # type: ignore[attr-defined]
        return made

    def _thread(self, kind: str) -> Callable[[], Callable[[Callable[[], None]], Callable[[], None]]]:
        def registered(thread: Callable[[], None]) -> Callable[[], None]:
            self.threads.append((kind, thread))
            return thread

        return lambda: registered

    def _operation(self, grid: Node) -> Callable[[Callable[..., None]], Callable[..., None]]:
        def operation(body: Callable[..., None]) -> Callable[..., None]:
            def run(*tensors: Tensor) -> None:
                body(*tensors)
                nodes = list(itertools.product(*map(range, grid)))
                for node in nodes:
                    self._on(node, "move")
                with ThreadPoolExecutor(len(nodes)) as pool:
                    for done in [pool.submit(self._on, node, "compute") for node in nodes]:
                        done.result()
                for write in self.late:
                    write()

            return run

        return operation

    def _on(self, node: Node, kind: str) -> None:
        self.places.node = node
        for thread in [thread for name, thread in self.threads if name == kind]:
            thread()

    def _copy(self, source: Any, target: Any) -> Any:
        if isinstance(source, Region):
            self.read[source.tensor] += source.tiles
            assert target.shape == tuple(n // TILE for n in source.view.shape)
            array = source.view.copy()
            target.fill(lambda: array)
        elif isinstance(target, Region):
            self.written[target.tensor] += target.tiles
            self.late.append(lambda: np.copyto(target.view, source.array))
        elif isinstance(target, Pipe):
            target.sent.append(source)
        else:
            number = source.received[self.here]
            source.received[self.here] += 1
            if source.src != self.here:  # the sender has the block already
                target.fill(lambda: source.sent[number].array)
        return SimpleNamespace(wait=lambda: None)


class Net:
    def __init__(self, machine: Machine, pipes: list[Pipe]) -> None:
        self.machine, self.pipes = machine, pipes
        machine.nets.append(pipes)

    def if_src(self, act: Callable[[Pipe], None]) -> None:
        for pipe in self.pipes:
            if pipe.src == self.machine.here:
                act(pipe)

    def if_dst(self, act: Callable[[Pipe], None]) -> None:
        for pipe in self.pipes:
            if pipe.goes_to(self.machine.here):
                act(pipe)

    def is_dst(self) -> bool:
        return any(pipe.goes_to(self.machine.here) for pipe in self.pipes)


class Buffer:
    """A dataflow buffer of every node; how deep it is matters to the simulator alone."""

    def __init__(self, machine: Machine, like: str, shape: tuple[int, int], block_count: int) -> None:
        self.machine, self.shape = machine, shape
        self.slots: dict[Node, list[Slot]] = defaultdict(list)
        self.made: Counter[Node] = Counter()
        self.taken: Counter[Node] = Counter()
        machine.buffers.append((like, shape, block_count))

    def reserve(self) -> Slot:
        return self._next(self.made)

    def wait(self) -> Slot:
        return self._next(self.taken)

    def _next(self, count: Counter[Node]) -> Slot:
        """Whoever comes first, producer or consumer, makes the slot."""
        node, slots = self.machine.here, self.slots[self.machine.here]
        count[node] += 1
        while len(slots) < count[node]:
            slots.append(Slot(self.shape))
        return slots[count[node] - 1]


def _fill(value: float, shape: Sequence[int]) -> Value:
    return Value(np.full([TILE * n for n in shape], value, dtype=np.float64))


def _broadcast(block: Value, dims: Sequence[int], shape: Sequence[int]) -> Value:
    array = block.array
    for axis in dims:
        array = np.take(array, [0], axis=axis)
    return Value(np.broadcast_to(array, [TILE * n for n in shape]))


def _reduce(function: Callable[..., np.ndarray]) -> Callable[..., Value]:
    def reduced(block: Value, dims: Sequence[int], shape: Sequence[int]) -> Value:
        """The result lies in the first column or row; what is beside it means nothing."""
        (axis,) = dims
        out = np.full([TILE * n for n in shape], np.nan)
        where = [slice(None), slice(None)]
        where[axis] = slice(0, 1)
        out[tuple(where)] = function(block.array, axis=axis, keepdims=True)
        return Value(out)

    return reduced


def _lifted(function: Callable[..., np.ndarray]) -> Callable[..., Value]:
    def applied(*blocks: Value) -> Value:
        with np.errstate(all="ignore"):
            return Value(np.asarray(function(*(block.array for block in blocks)), dtype=np.float64))

    return applied


BLOCK = {
    "fill": _fill,
    "broadcast": _broadcast,
    "transpose": _lifted(np.transpose),
    "where": _lifted(lambda test, left, right: np.where(test == 1, left, right)),
}
MATH = {
    **{name: _lifted(getattr(np, name)) for name in ("exp", "exp2", "log", "sqrt", "tanh", "abs")},
    "max": _lifted(np.maximum),
    "min": _lifted(np.minimum),
    "lt": _lifted(np.less),
    "gt": _lifted(np.greater),
    "eq": _lifted(np.equal),
    "ne": _lifted(np.not_equal),
    "neg": _lifted(np.negative),
    "sigmoid": _lifted(lambda x: 1 / (1 + np.exp(-x))),
    "reduce_sum": _reduce(np.sum),
    "reduce_max": _reduce(np.max),
}


def execute(source: str, name: str, tensors: dict[str, np.ndarray]) -> Machine:
    """Runs ``name`` of ``source`` on ``tensors``, which are changed in place."""
    machine = Machine()
    ttnn = SimpleNamespace(Tensor=Tensor)
    with mock.patch.dict(sys.modules, {"ttl": machine.module(), "ttnn": ttnn, "torch": ModuleType("torch")}):  # type: ignore[dict-item]
        space: dict[str, Any] = {"__name__": "operation"}
        exec(compile(source, "operation.py", "exec"), space)
    space[name](*(Tensor(key, array) for key, array in tensors.items()))
    return machine


def sent(machine: Machine) -> list[int]:
    """Blocks through every pipe."""
    return [len(pipe.sent) for net in machine.nets for pipe in net]


def receivers(pipe: Pipe) -> int:
    """Nodes in the rectangle of a pipe."""
    return math.prod(len(side) for side in pipe.sides)
