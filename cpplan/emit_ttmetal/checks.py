"""What no tool of the vendor checks about a program, checked on the program itself.

Everything is read back from the emitted text and arguments, not from the schedule that they were made of.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cpplan.emit_ttmetal.arguments import LINK_WORDS, PART_WORDS
from cpplan.emit_ttmetal.program import (
    CB_REGION,
    MAX_BUFFERS,
    MAX_RUNTIME_ARGS,
    MAX_SEMAPHORES,
    Core,
    Kernel,
    Program,
    RuntimeArg,
)
from cpplan.errors import InternalError

CONSTANT = re.compile(r"constexpr uint32_t (cb_\w+) = (\d+);")
NUMBER = re.compile(r"constexpr uint32_t (\w+) = (\d+);")
QUEUE_CALL = re.compile(r"cb_(?:reserve_back|push_back|wait_front|pop_front)\((\w+), (\w+)\)")
PART = re.compile(r"const auto (\w+) = plan::part_at\((\d+)\);")
ARGUMENT = re.compile(r"get_arg_val<\w+>\((\d+)\)")
COMMON = re.compile(r"get_common_arg_val<\w+>\((\d+)\)")
BLOCK = {"part_at": PART_WORDS, "link_at": LINK_WORDS, "place_at": 2, "turn_at": 2, "next_at": 3}
TURN = re.compile(r"const auto turn_(\w+) = plan::turn_at\((\d+)\);")
NEXT = re.compile(r"const auto next_(\w+) = plan::next_at\((\d+)\);")
SEMAPHORE = re.compile(r"get_semaphore\((\d+)\)")


def check_emitted(program: Program) -> None:
    """Raises :class:`~cpplan.errors.InternalError` with every rule that ``program`` breaks."""
    broken = [*_processors(program), *_buffers(program), *_semaphores(program), *_turns(program)]
    for kernel in program.kernels:
        broken += [f"kernel {kernel.name}: {problem}" for problem in _kernel(program, kernel)]
    if broken:
        raise InternalError("the emitted program breaks rules of the chip:\n  " + "\n  ".join(broken))


def _processors(program: Program) -> Iterator[str]:
    """One kernel per processor of a core, one data-movement kernel per NoC."""
    taken = Counter((kernel.processor, core) for kernel in program.kernels for core in kernel.cores)
    networks = Counter((k.noc, core) for k in program.kernels if k.noc is not None for core in k.cores)
    for (processor, core), count in taken.items():
        if count > 1:
            yield f"{count} kernels share processor {processor} of core {core}"
    for (noc, core), count in networks.items():
        if count > 1:
            yield f"{count} data-movement kernels of core {core} use NoC {noc}"


def _buffers(program: Program) -> Iterator[str]:
    """Indices, and bytes inside the region for circular buffers, apart from each other."""
    first, end = CB_REGION[program.arch]
    for (index, core), count in Counter((b.index, core) for b in program.buffers for core in b.cores).items():
        if count > 1:
            yield f"circular buffer {index} is configured {count} times on core {core}"
    for buffer in program.buffers:
        if not 0 <= buffer.index < MAX_BUFFERS[program.arch]:
            yield f"circular buffer {buffer.name} has index {buffer.index}, {MAX_BUFFERS[program.arch]} exist"
    placed = sorted((b.address, b.address + b.size, b.name) for b in program.buffers if b.address is not None)
    for start, stop, name in placed:
        if start < first or stop > end:
            yield f"circular buffer {name} lies at {start}..{stop}, outside of {first}..{end}"
    for (_, stop, name), (start, _, other) in itertools.pairwise(placed):
        if start < stop:
            yield f"circular buffers {name} and {other} overlap"


def _semaphores(program: Program) -> Iterator[str]:
    for semaphore in program.semaphores:
        if not 0 <= semaphore.id < MAX_SEMAPHORES:
            yield f"semaphore {semaphore.id} does not exist: a core has {MAX_SEMAPHORES}"


def _turns(program: Program) -> Iterator[str]:
    """Whoever waits for a turn is told by exactly one core, and nobody else is told."""
    waiting: dict[str, list[Core]] = {}
    told: dict[str, list[Core]] = {}
    for kernel in program.kernels:
        for core in kernel.cores:
            words = [int(word) for word in kernel.runtime_args.get(core, ()) if isinstance(word, int)]
            for name, at in TURN.findall(kernel.source):
                if words[int(at) : int(at) + 1] == [1]:
                    waiting.setdefault(name, []).append(program.noc_coordinates[core])
            for name, at in NEXT.findall(kernel.source):
                if words[int(at) : int(at) + 1] == [1]:
                    told.setdefault(name, []).append((words[int(at) + 1], words[int(at) + 2]))
    for name in sorted(waiting.keys() | told.keys()):
        wrong = Counter(waiting.get(name, ()))
        wrong.subtract(Counter(told.get(name, ())))
        for core, missing in sorted(wrong.items()):
            if missing:
                yield f"core {core} is told {'never' if missing > 0 else 'too often'} that it has its turn at {name}"


def _kernel(program: Program, kernel: Kernel) -> Iterator[str]:
    yield from _configured(program, kernel)
    yield from _whole_blocks(program, kernel)
    yield from _arguments(kernel)
    for core in kernel.cores:
        yield from _multicasts(program, kernel, core)


def _configured(program: Program, kernel: Kernel) -> Iterator[str]:
    """Every circular buffer and semaphore that the kernel names exists on every core that runs it."""
    cores = {buffer.index: set(buffer.cores) for buffer in program.buffers}
    for name, index in CONSTANT.findall(kernel.source):
        missing = set(kernel.cores) - cores.get(int(index), set())
        if missing:
            yield f"{name} is not configured on core {min(missing)}"
    flags = {semaphore.id: set(semaphore.cores) for semaphore in program.semaphores}
    for number in SEMAPHORE.findall(kernel.source):
        missing = set(kernel.cores) - flags.get(int(number), set())
        if missing:
            yield f"semaphore {number} does not exist on core {min(missing)}"


def _whole_blocks(program: Program, kernel: Kernel) -> Iterator[str]:
    """A block may not straddle the end of its buffer, so a buffer holds a whole number of blocks."""
    pages = {buffer.index: buffer.pages for buffer in program.buffers}
    numbers = {name: int(number) for name, number in NUMBER.findall(kernel.source)}
    for name, block in sorted(set(QUEUE_CALL.findall(kernel.source))):
        held = pages.get(numbers.get(name, -1))  # None of a parameter
        count = 1 if held is None else int(numbers.get(block, block))
        if held is not None and held % count:
            yield f"{name} holds {held} pages, no multiple of the blocks of {count} that are moved"


def _arguments(kernel: Kernel) -> Iterator[str]:
    """As many run-time arguments as the text reads, and no more than there may be."""
    needed = max((int(number) + 1 for number in ARGUMENT.findall(kernel.source)), default=0)
    for function, words in BLOCK.items():
        for number in re.findall(rf"= plan::{function}\((\d+)\)", kernel.source):
            needed = max(needed, int(number) + words)
    common = max((int(number) + 1 for number in COMMON.findall(kernel.source)), default=0)
    if common > len(kernel.common_runtime_args):
        yield f"reads {common} common run-time arguments of {len(kernel.common_runtime_args)}"
    for core in kernel.cores:
        given = len(kernel.runtime_args.get(core, ()))
        if needed > given:
            yield f"reads {needed} run-time arguments, core {core} has {given}"
        if given + len(kernel.common_runtime_args) > MAX_RUNTIME_ARGS:
            yield f"core {core} has more than {MAX_RUNTIME_ARGS} run-time arguments"


@dataclass(frozen=True)
class _Part:
    """What a core does for a shared stream, as its arguments say."""

    reads: bool
    inside: bool
    reader: Core
    first: Core
    last: Core
    receivers: int


def _part(words: tuple[RuntimeArg, ...]) -> _Part:
    reads, inside, *places, receivers = (int(word) for word in words if isinstance(word, int))
    corners = [(places[i], places[i + 1]) for i in range(0, 6, 2)]
    return _Part(bool(reads), bool(inside), corners[0], corners[1], corners[2], receivers)


def _multicasts(program: Program, kernel: Kernel, core: Core) -> Iterator[str]:
    """Corner order of the NoC, sender outside of the rectangle unless it sends to itself, number of receivers."""
    for name, at in PART.findall(kernel.source):
        words = kernel.runtime_args.get(core, ())[int(at) : int(at) + PART_WORDS]
        if len(words) < PART_WORDS:
            continue  # said elsewhere
        part = _part(words)
        step = 1 if kernel.noc == 0 else -1
        if any((last - first) * step < 0 for first, last in zip(part.first, part.last, strict=True)):
            yield f"{name} of core {core}: NoC {kernel.noc} meets corner {part.last} before {part.first}"
        low = tuple(map(min, part.first, part.last))
        high = tuple(map(max, part.first, part.last))
        members = {
            place
            for place in program.noc_coordinates.values()
            if all(a <= c <= b for a, c, b in zip(low, place, high, strict=True))
        }
        if part.inside != (part.reader in members):
            where = "inside" if part.reader in members else "outside"
            yield f"{name} of core {core}: the sender {part.reader} is {where} the rectangle and told otherwise"
        if part.receivers != len(members - {part.reader}) or not part.receivers:
            yield f"{name} of core {core}: {part.receivers} receivers, the rectangle has {len(members - {part.reader})}"
        if part.reads != (program.noc_coordinates[core] == part.reader):
            yield f"{name} of core {core}: reads for the group of {part.reader}"
        if not part.reads and program.noc_coordinates[core] not in members:
            yield f"{name} of core {core}: waits for a block that is not sent to it"
