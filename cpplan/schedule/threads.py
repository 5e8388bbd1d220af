"""The steps of the three threads of a core.

All threads run the same loops, those of the plan's nest. A thread that moves data has, at each level, the loads that
sit there, the inner levels, the stores; a double-buffered load of a loop whose stores share the thread is done one
iteration ahead, before the store. What an atomic replaces is read last, right before the stores, and its block is taken
where it is first used. The compute thread takes the other blocks of a level at its head and drops all at its end; the
ops of the body stand in program order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from cpplan.errors import ScheduleError
from cpplan.plan.nest import Nest, cores_per_dim
from cpplan.plan.plan import Plan, wave
from cpplan.plan.space import shared_loop
from cpplan.plan.waves import shared_profile
from cpplan.schedule.schedule import (
    Await,
    Compute,
    Drop,
    Exchange,
    For,
    Guard,
    Hand,
    Index,
    Let,
    Make,
    Move,
    Pass,
    Step,
    Stream,
    Take,
    Term,
    Thread,
    Turns,
)
from cpplan.tile.order import program_order
from cpplan.tile.program import Access, Loop, Op, TileProgram


def threads_of(
    program: TileProgram, plan: Plan, nest: Nest, streams: Sequence[Stream], turns: Sequence[Turns] = ()
) -> tuple[Thread, ...]:
    """The threads "noc0" and "noc1" as far as streams use those networks, and "compute"."""
    build = _Threads(program, plan, nest, {s.access: s for s in streams}, {t.access: t for t in turns})
    networks = sorted({s.noc for s in streams} | ({plan.combine.noc} if plan.combine else set()))
    moving = (Thread("noc1" if noc else "noc0", _pruned(build.movement(noc, 0))) for noc in networks)
    return (*moving, Thread("compute", build.compute(0)))


T = TypeVar("T", int, Loop)


def check_trips(program: TileProgram) -> None:
    """Raises :class:`~cpplan.errors.ScheduleError` for a loop that runs in some blocks less often than in others, which
    the program does not say block by block."""
    for loop in program.loops:
        runs = math.prod(dim.extent for dim in program.dims)
        runs *= math.prod(program.loop(name).trips for name in program.loop_path(loop.parent))
        if loop.profile is None and loop.total_trips not in (None, loop.trips * runs):
            raise ScheduleError(
                f"{program.source or program.name}: loop {loop.name} runs up to {loop.trips} times, but less often in "
                "some blocks or trips of outer loops, which is not known block by block: no program can be made of it; "
                "let it run equally often and mask what is too much"
            )


@dataclass(frozen=True)
class _Threads:
    program: TileProgram
    plan: Plan
    nest: Nest
    streams: Mapping[str, Stream]
    turns: Mapping[str, Turns]

    # -- data movement -------------------------------------------------------------------------------------------------

    def movement(self, noc: int, node: int) -> tuple[Step, ...]:
        """Body of level ``node`` for network ``noc``."""
        loads = self._moves(noc, node, "load")
        ahead = self._ahead(noc, node)
        steps: list[Step] = [*self._resident(), *self._single_trips()] if node == 0 else []
        steps += [Move(s.access) for s in loads if s.access not in ahead]
        if node == self.nest.home[""]:
            steps += self._loops(noc, None)
            steps += self._exchange(noc)
        else:
            for child in self.nest.children(node):
                steps += self._started(self._wave, self._ahead(noc, child), child)
                steps.append(self._wave(child, self.movement(noc, child)))
        steps += [Move(s.access, ahead=True) for s in loads if s.access in ahead]
        steps += self._last(noc, node)
        return tuple(steps)

    def _loops(self, noc: int, parent: str | None) -> Iterator[Step]:
        """The kernel's own loops inside ``parent``, which are levels or run at most once."""
        for loop in self.program.loops:
            if loop.parent == parent:
                node = self.nest.home[loop.name]
                own = self.nest.names[node] == loop.name
                loads = self._moves(noc, node, "load") if own else []
                ahead = self._ahead(noc, node) if own else []
                body: list[Step] = [Move(s.access) for s in loads if s.access not in ahead]
                body += self._loops(noc, loop.name)
                body += [Move(s.access, ahead=True) for s in loads if s.access in ahead]
                body += self._last(noc, node) if own else []
                yield from self._started(self._loop, ahead, loop)
                yield self._loop(loop, tuple(body))

    def _last(self, noc: int, node: int) -> Iterator[Step]:
        """The end of a level: what atomics replace is read, each when the core has its turn, then all is stored."""
        atomics = [a for a in self.program.accesses if a.kind == "atomic"]
        for stream in self._moves(noc, node, "old"):
            yield from (Await(a.name) for a in atomics if a.replaces == stream.access and a.name in self.turns)
            yield Move(stream.access)
        for stream in self._moves(noc, node, "store"):
            yield Move(stream.access)
            if stream.access in self.turns:
                yield Pass(stream.access)

    def _started(self, around: Callable[[T, tuple[Step, ...]], For], ahead: list[str], level: T) -> Iterator[Step]:
        """The first iteration of loads that are done ahead, before their loop."""
        if ahead:
            first = around(level, tuple(Move(name) for name in ahead))
            yield replace(first, stop=1, source=f"first loads of {first.source}")

    def _moves(self, noc: int, node: int, kind: str) -> list[Stream]:
        """Streams of one kind ("load", "old": what an atomic replaces, "store") that sit at a level: double-buffered
        ones first, as they need not wait for the computation, else in program order."""
        name = self.nest.names[node]
        at = {place.access: place.depth for place in self.plan.placements if place.level == name}
        found = [s for s in self.streams.values() if s.noc == noc and self._kind(s) == kind and s.access in at]
        return sorted(found, key=lambda stream: -at[stream.access])

    def _kind(self, stream: Stream) -> str:
        """ "load", "store", or "old" of what an atomic replaces."""
        return "old" if any(a.replaces == stream.access for a in self.program.accesses) else stream.kind

    def _ahead(self, noc: int, node: int) -> list[str]:
        """Loads done an iteration ahead: double-buffered ones whose thread stores at the same level."""
        if not node or not self._moves(noc, node, "store"):
            return []
        return [s.access for s in self._moves(noc, node, "load") if self.plan.placement(s.access).depth == 2]

    def _exchange(self, noc: int) -> list[Step]:
        shared = shared_loop(self.program, self.plan.spatial)
        if shared is None or self.plan.combine is None or self.plan.combine.noc != noc:
            return []
        return [Exchange(shared[0], self.plan.combine)]

    # -- computation ---------------------------------------------------------------------------------------------------

    def compute(self, node: int) -> tuple[Step, ...]:
        """Body of level ``node`` for the compute thread."""
        steps: list[Step] = list(self._resident()) if node == 0 else []
        if node == self.nest.home[""]:
            inside = self._body()
        else:
            inside = [self._wave(child, self.compute(child)) for child in self.nest.children(node)]
        return (*steps, *self._with_blocks(node, inside))

    def _with_blocks(self, node: int, inside: list[Step]) -> list[Step]:
        """``inside`` between taking and dropping the blocks of a level; stores get theirs where it is filled."""
        name = self.nest.names[node]
        here = [self.streams[p.access] for p in self.plan.placements if p.level == name]
        loads, olds = ([s.buffer for s in here if self._kind(s) == kind] for kind in ("load", "old"))
        for stream in (s for s in here if self._kind(s) == "old"):
            first = self._first_use(inside, stream.access)
            inside = [*inside[:first], Take(stream.buffer), *inside[first:]]
        for stream in (s for s in here if s.kind == "store"):
            first, last = self._filled(inside, self._producer(stream.access))
            inside = [
                *inside[:first], Make(stream.buffer), *inside[first : last + 1], Hand(stream.buffer),
                *inside[last + 1 :],
            ]  # fmt: skip
        return [*map(Take, loads), *inside, *map(Drop, reversed([*loads, *olds]))]

    def _first_use(self, steps: list[Step], access: str) -> int:
        """Number of the first of ``steps`` that uses what ``access`` loads; their count when none does."""
        value = next(a.value for a in self.program.accesses if a.name == access)
        users = {op.name for op in self.program.ops if value in op.operands}
        users |= {a.name for a in self.program.accesses if value in a.operands}
        return next((i for i, step in enumerate(steps) if users & _computed(step)), len(steps))

    def _filled(self, steps: list[Step], producer: str) -> tuple[int, int]:
        """First and last of ``steps`` that compute ``producer``: the last step when nothing does."""
        at = [i for i, step in enumerate(steps) if producer in _computed(step)]
        return (at[0], at[-1]) if at else (len(steps) - 1, len(steps) - 1)

    def _producer(self, access: str) -> str:
        """The op that makes what ``access`` stores; the store itself where that is loaded or carried."""
        value = next(a.value for a in self.program.accesses if a.name == access)
        return value if any(op.name == value for op in self.program.ops) else access

    def _body(self) -> list[Step]:
        """The block body in program order: guarded ops, loops, and the combining of a shared loop after it."""
        frames: list[list[Step]] = [[]]
        open_loops: list[Loop] = []
        pending: list[str] = []
        home = {item.name: item for item in self.program.loops}

        def flush() -> None:
            if pending:
                loop = open_loops[-1].name if open_loops else None
                frames[-1].append(self._guarded(tuple(open_loops), (Compute(tuple(pending), loop),)))
                pending.clear()

        stored = {a.name: self._producer(a.name) for a in self.program.accesses if a.kind != "load"}
        for step in program_order(self.program):
            match step.item:
                case Op():
                    pending.append(step.item.name)
                case Access():
                    if stored.get(step.item.name) == step.item.name:
                        pending.append(step.item.name)
                case Loop() if step.kind == "enter":
                    flush()
                    open_loops.append(home[step.item.name])
                    frames.append([])
                case Loop():
                    flush()
                    loop, inside = open_loops.pop(), frames.pop()
                    node = self.nest.home[loop.name]
                    if self.nest.names[node] == loop.name:
                        inside = self._with_blocks(node, inside)
                    frames[-1].append(self._loop(loop, tuple(inside)))
                    if not open_loops:
                        frames[-1] += [step for noc in range(2) for step in self._exchange(noc)]
        flush()
        return frames[0]

    def _guarded(self, loops: Sequence[Loop], body: tuple[Step, ...]) -> Step:
        """``body`` where the block exists and every loop around still runs for it; bare when that is everywhere."""
        uneven = [dim.name for dim in self.program.dims if dim.extent % self._cores(dim.name)]
        extents = tuple((dim.name, dim.extent) for dim in self.program.dims if dim.name in uneven)
        trips = tuple(loop.name for loop in loops if self._varies(loop))
        return Guard(extents, trips, body) if extents or trips else _only(body)

    def _varies(self, loop: Loop) -> bool:
        """Whether some core runs fewer trips than the others."""
        return loop.profile is not None or bool(loop.trips % self._cores(loop.name))

    # -- loops ---------------------------------------------------------------------------------------------------------

    def _cores(self, name: str) -> int:
        return cores_per_dim(self.plan.spatial).get(name, 1)

    def _resident(self) -> Iterator[Step]:
        """Block indices that no wave loop changes."""
        waves = {name for group in self.plan.order for name in group}
        for dim in self.program.dims:
            if dim.name not in waves:
                yield Let(dim.name, self._index(dim.name, Index()))

    def _single_trips(self) -> Iterator[Step]:
        """Trips of loops that a core runs at most once: what sits in them moves at the level around."""
        for loop in self.program.loops:
            if loop.name not in self.nest.names:
                yield Let(loop.name, self._index(loop.name, Index()))

    def _index(self, name: str, turn: Index) -> Index:
        """Block (or trip) of this core in ``turn``."""
        cores = self._cores(name)
        terms = tuple(Term(t.symbol, t.factor * cores, t.divisor, t.modulus) for t in turn.terms)
        return Index(turn.const * cores, (Term(f"core_{name}"), *terms) if cores > 1 else terms)

    def _wave(self, node: int, body: tuple[Step, ...]) -> For:
        """A wave loop; of dims fused in it the last runs fastest."""
        pairs, counter = self.nest.indices[node], self.nest.names[node]
        assert counter == wave(*(name for name, _ in pairs))
        lets = []
        for number, (name, span) in enumerate(pairs):
            inner = math.prod(s for _, s in pairs[number + 1 :])
            turn = Term(counter, 1, inner, span if number else 0)
            lets.append(Let(name, self._index(name, Index(0, (turn,)))))
        source = f"waves of {', '.join(name for name, _ in pairs)}"
        return For(counter, self.nest.trips[node], (*lets, *body), source=source)

    def _loop(self, loop: Loop, body: tuple[Step, ...]) -> For:
        """A loop of the kernel; cores that share it take turns."""
        cores = self._cores(loop.name)
        stop = -(-loop.trips // cores)
        source = f"loop {loop.name} of the kernel"
        if cores == 1:
            return For(loop.name, stop, body, profile=loop.profile, source=source)
        counter = turns(loop.name)
        let = Let(loop.name, self._index(loop.name, Index(0, (Term(counter),))))
        profile = None if loop.profile is None else shared_profile(loop.profile, cores)
        return For(counter, stop, (let, *body), profile=profile, source=f"{source}, shared by {cores} cores")


def turns(loop: str) -> str:
    """Counter of a loop that cores share."""
    return f"turn_{loop}"


def _only(steps: tuple[Step, ...]) -> Step:
    (step,) = steps
    return step


def _computed(step: Step) -> set[str]:
    """Ops inside a step."""
    match step:
        case Compute(ops=ops):
            return set(ops)
        case For(body=body) | Guard(body=body):
            return set().union(*map(_computed, body))
    return set()


def _pruned(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Without loops in which nothing moves."""
    out: list[Step] = []
    for step in steps:
        if isinstance(step, For):
            body = _pruned(step.body)
            if any(not isinstance(inner, Let) for inner in body):
                out.append(replace(step, body=body))
        else:
            out.append(step)
    return tuple(out)
