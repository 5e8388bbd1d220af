"""Cores that share a loop: each hands its partial state to a neighbour in a tree, until the first has all of it.

One net of pipes per round; the states of a node follow each other through its pipe. Blocks outside the grid are left
out on all nodes of a team alike, and only the first node of a team goes on after the last round.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpplan.cost.model import COMBINE
from cpplan.emit_ttlang.body import Blocks, Body
from cpplan.emit_ttlang.matrices import Matrix
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.support import refuse
from cpplan.emit_ttlang.text import Lines
from cpplan.emit_ttlang.wanted import Wanted
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.buffers import OUTGOING
from cpplan.schedule.orientation import Orientation
from cpplan.schedule.schedule import Coordinate, Schedule
from cpplan.tile.reduction import Reduction, State


@dataclass(frozen=True)
class Teams:
    """The exchange of a schedule in which several cores share a loop."""

    schedule: Schedule
    names: Names
    wanted: Wanted

    @property
    def loop(self) -> str:
        """What is shared."""
        assert self.schedule.combining is not None
        return self.schedule.combining.loop

    @property
    def reduction(self) -> Reduction:
        """What the loop computes."""
        found = self.schedule.program.reduction
        assert found is not None and found.loop == self.loop
        return found

    @property
    def cores(self) -> int:
        """Nodes of a team."""
        return cores_per_dim(self.schedule.plan.spatial)[self.loop]

    def rounds(self) -> range:
        """Their numbers."""
        return range((self.cores - 1).bit_length())

    def pipes(self, number: int) -> list[tuple[Coordinate, Coordinate]]:
        """(sender, receiver) of a round."""
        assert self.schedule.combining is not None
        out = []
        for core, partners in self.schedule.combining.partners.items():
            part, other = dict(self.schedule.digits[core])[self.loop], partners[number]
            if part % (2 << number) == 1 << number and other is not None:
                out.append((core, other))
        return out

    def blocks(self, body: Body, state: State) -> Blocks:
        """Hardware tiles of a state."""
        shape = tuple(int(extent) for extent in state.shape)
        reader = next(op for op in self.schedule.program.ops if state.argument in op.operands)
        return body.blocks(reader, state.argument, shape)

    # -- text ----------------------------------------------------------------------------------------------------------

    def define(self, out: Lines, body: Body, matrices: dict[str, Matrix]) -> None:
        """Pipes and buffers."""
        for number in self.rounds():
            out.add(f"{self._net(number)} = ttl.PipeNet([  # round {number} of combining loop {self.loop}")
            out.add(*(f"    ttl.Pipe(src={_place(a)}, dst={_place(b)})," for a, b in self.pipes(number)), "])")
        for state in self.reduction.state:
            shape = self.blocks(body, state)
            like = self.model(matrices, shape)
            for name in (self._arriving(state), self._leaving(state)):
                out.add(f"{name} = ttl.make_dataflow_buffer_like({like}, shape={shape}, block_count=1)")

    def model(self, matrices: dict[str, Matrix], shape: Blocks) -> str:
        """A tensor with at least so many tiles, which TT-Lang models buffers on."""
        for name, matrix in matrices.items():
            if matrix.others * matrix.rows >= shape[0] and matrix.columns >= shape[1]:
                return self.names.tensor(name)
        source = self.schedule.program.source or self.schedule.program.name
        raise refuse(source, f"no tensor is as large as a state of loop {self.loop}, which buffers are modelled on")

    def move(self, out: Lines) -> None:
        """What the network does; pipes themselves say who sends and who receives."""
        for number in self.rounds():
            for state in self.reduction.state:
                with out.block("def send(pipe):"), out.block(f"with {self._leaving(state)}.wait() as blk:"):
                    out.add("ttl.copy(blk, pipe).wait()")
                out.add("")
                with out.block("def receive(pipe):"), out.block(f"with {self._arriving(state)}.reserve() as blk:"):
                    out.add("ttl.copy(pipe, blk).wait()")
                out.add("")
                out.add(f"{self._net(number)}.if_src(send)", f"{self._net(number)}.if_dst(receive)")

    def compute(self, out: Lines, body: Body, inside: list[str]) -> None:
        """What the node computes."""
        with out.where(inside):
            for number in self.rounds():
                out.add(f"# round {number} of combining loop {self.loop}")
                with out.block(f"if {self._sends(number)}:"):
                    for state in self.reduction.state:
                        with out.block(f"with {self._leaving(state)}.reserve() as blk:"):
                            out.add(f"blk.store({body.texts[state.result]})")
                with out.block(f"elif {self._receives(number)}:"):
                    self._combine(out, body)

    def start(self, initial: str, identity: str, inside: list[str]) -> str:
        """What a node starts from: only the first of a team from the loop's own value."""
        if self.reduction.initial_is_identity:
            return identity
        return f"{initial} if {' and '.join([*self.wanted.first(), *inside])} else {identity}"

    def _combine(self, out: Lines, body: Body) -> None:
        """Own states, the left part, with those that arrived."""
        arrived = {state: self.names.value(f"right.{state.result}") for state in self.reduction.state}
        for state, block in arrived.items():
            out.add(f"{block} = {self._arriving(state)}.wait()")
            body.texts[f"left.{state.result}"] = body.texts[state.result]
            body.texts[f"right.{state.result}"] = block
        body.ways |= self._ways(body)
        for op in self.reduction.ops:
            out.add(*body.statements(op))
        targets = ", ".join(body.texts[state.result] for state in arrived)
        out.add(f"{targets} = {', '.join(body.texts[state.combined] for state in arrived)}")
        out.add(*(f"{block}.pop()" for block in arrived.values()))

    def _ways(self, body: Body) -> dict[str, Orientation]:
        """Vectors on the way lie as the states do."""
        vectors = {body.way(state.argument) for state in self.reduction.state if len(state.shape) == 1}
        if len(vectors) > 1:
            source = self.schedule.program.source or self.schedule.program.name
            raise refuse(source, f"states of loop {self.loop} are rows and columns of tiles")
        names = [name for op in self.reduction.ops for name in (op.name, *op.operands)]
        return {name: way for way in vectors for name in names}

    @property
    def _core(self) -> str:
        return self.names.index(f"core_{self.loop}")

    def _sends(self, number: int) -> str:
        return f"{self._core} % {2 << number} == {1 << number}"

    def _receives(self, number: int) -> str:
        return f"{self._core} % {2 << number} == 0 and {self._core} + {1 << number} < {self.cores}"

    def _net(self, number: int) -> str:
        return self.names.net(f"{COMBINE}.{number}")

    def _arriving(self, state: State) -> str:
        return self.names.buffer(f"{COMBINE}.{state.result}")

    def _leaving(self, state: State) -> str:
        return self.names.buffer(f"{OUTGOING}.{state.result}")


def _place(core: Coordinate) -> str:
    return f"({', '.join(map(str, core))})"
