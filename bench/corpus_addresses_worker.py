"""Compares what kernels of files touch under the interpreter with their tile programs; a JSON object per verdict.

    python bench/corpus_addresses_worker.py bench/corpus_calls/liger.py
    python bench/corpus_addresses_worker.py --script tutorial.py

Per launch, sampled program and argument, what is touched is compared with the tiles that the tile program gives the
blocks of that program: {"kernel", "verdict", "detail"}. Of a tuned call the first ``--configs`` configurations count.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpus_worker import ARGUMENTS, emit, forked, load, parser, wants_real_tensors
from interpreted import Program, Touched, touched
from numpy.typing import NDArray

from cpplan.errors import CpplanError
from cpplan.frontend.build import Built, build
from cpplan.frontend.capture import execute
from cpplan.frontend.launch import DescriptorArgument, Launch, TensorArgument
from cpplan.frontend.lower import lower
from cpplan.frontend.recorder import Recorder
from cpplan.frontend.tensors import slot_tensors
from cpplan.frontend.torch_stub import real_torch
from cpplan.tile.program import Access, Affine, Bounds

Elements = NDArray[np.int64]

BEYOND: dict[str, Callable[[Elements, int], Elements]] = {
    "nothing": lambda positions, end: positions[:0],
    "wrapped": lambda positions, end: positions % end,
    "first": lambda positions, end: positions * 0,
    "last": lambda positions, end: positions * 0 + end - 1,
}
"""What lanes beyond the end of an axis may read: a store mask cuts what comes of it."""

LARGE = 1 << 22
"""Elements after which duplicates are dropped."""


class Interpreting(Recorder):
    """Compares each launch as soon as it is recorded, in a process of its own."""

    def __init__(self, mode: str, samples: int, limit: float, configs: int) -> None:
        super().__init__(mode)
        self.samples, self.limit, self.configs = samples, limit, configs
        self.compared = Counter[int]()

    def run_kernel(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any, warmup: bool) -> Any:
        """As recorded, then compared."""
        known = len(self.launches)
        result = super().run_kernel(function, args, kwargs, grid, warmup)
        given = {n: v for n, v in (dict(zip(function.arg_names, args, strict=False)) | kwargs).items()
                 if n in function.arg_names}  # fmt: skip
        for launch in self.launches[known:]:
            if launch.group is None or self.compared[launch.group] < self.configs:
                self.compared.update([] if launch.group is None else [launch.group])
                verdicts, why = forked(lambda launch=launch: self.check(launch, function, given), self.limit)  # type: ignore[misc]
                for verdict in verdicts:
                    emit({"kernel": launch.kernel} | verdict)
                if why:
                    emit({"kernel": launch.kernel, "verdict": "not run", "detail": why})
        return result

    def check(self, launch: Launch, function: Any, given: dict[str, Any]) -> None:
        """Emit the verdicts on one launch."""
        with real_torch():
            try:
                built = build(launch)
            except CpplanError as error:
                emit({"verdict": "refused", "detail": str(error)})
                return
            dropped = without_use(launch)
            try:
                entries = touched(function, given, launch.grid, self.samples)
            except Exception as error:
                emit({"verdict": "not run", "detail": f"{type(error).__name__}: {error}".splitlines()[0][:150]})
                return
            for verdict, detail in compared(launch, built, entries, dropped):
                emit({"verdict": verdict, "detail": detail})


def without_use(launch: Launch) -> set[str]:
    """Arguments that the lowered kernel does not read or write: what was loaded from them was not used."""
    function = next(op for op in lower(launch).walk() if op.name == "tt.func")
    used = {operand for op in function.walk() for operand in op.operands}
    slots = enumerate(function.regions[0][0].arguments)
    alive = {slot for slot, argument in slots if argument in used}
    return {name for slot, (name, _) in slot_tensors(launch).items() if slot not in alive}


def compared(launch: Launch, built: Built, entries: list[Touched], dropped: set[str]) -> Iterator[tuple[str, str]]:
    """(verdict, detail) per argument and program."""
    seen: dict[tuple[str, Program], list[Elements]] = {}
    for name, program, elements in entries:
        seen.setdefault((name, program), []).append(elements)
    tensors = [n for n, v in launch.arguments.items() if isinstance(v, (TensorArgument, DescriptorArgument))]
    for name, program in product(tensors, dict.fromkeys(program for _, program in seen)):
        found = gathered(seen.get((name, program), ()))
        accesses = [access for access in built.program.accesses if access.tensor == name]
        if not accesses and (name in dropped or not found.tiles):
            continue
        affine = [access for access in accesses if access.klass == "affine"]
        others = any(access.klass != "affine" for access in accesses or built.program.accesses)
        if others and not affine:
            yield "not affine", name
            continue
        number = int(np.ravel_multi_index(program, launch.grid))
        result = verdict(found, gathered(tiles(built, affine, number)), built, affine, others)
        if (
            result == "wrong"
            and not others
            and any(
                np.array_equal(found.elements, gathered(tiles(built, affine, number, beyond)).elements)
                for beyond in product(BEYOND, repeat=len(affine[0].tile) if affine else 0)
            )
        ):
            result = "wrapped"
        yield result, f"{name} {program}"


@dataclass(frozen=True)
class Gathered:
    """Elements of several tiles, each once and in order, and the tiles themselves as hashes, without empty ones."""

    elements: Elements
    tiles: frozenset[int]


def gathered(parts: Iterable[Elements]) -> Gathered:
    """Sets of all elements and of all tiles."""
    held: list[Elements] = []
    tiles: set[int] = set()
    for part in map(np.unique, parts):
        tiles |= {hash(part.tobytes())} if part.size else set()
        held.append(part)
        if sum(item.size for item in held) > LARGE:
            held = [np.unique(np.concatenate(held))]
    elements = np.unique(np.concatenate(held)) if held else np.zeros(0, dtype=np.int64)
    return Gathered(elements, frozenset(tiles))


def verdict(found: Gathered, expected: Gathered, built: Built, accesses: list[Access], others: bool) -> str:
    """How touched elements relate to those of tiles; with ``others``, accesses that are not affine touch some too."""
    inside = bool(np.isin(expected.elements, found.elements).all())
    may_be_less = any(is_cut_by_value(access, built) for access in accesses) or any(
        loop.total_trips and not loop.profile for loop in built.program.loops
    )
    if others:
        return "within" if inside else "not affine" if may_be_less else "wrong"
    if np.array_equal(found.elements, expected.elements):
        return "equal" if found.tiles == expected.tiles else "joined"
    return "covered" if may_be_less and np.isin(found.elements, expected.elements).all() else "wrong"


def is_cut_by_value(access: Access, built: Built) -> bool:
    """Whether part of the mask is no bound of an axis, but a value: of the store, or of a ``where`` behind the load."""
    selects = (op for op in built.program.ops if op.kind == "where")
    return bool(access.mask) or (access.kind == "load" and any(access.value in op.operands for op in selects))


def tiles(built: Built, accesses: list[Access], program: int, beyond: Sequence[str] = ()) -> Iterator[Elements]:
    """Elements of the tiles that the blocks of one program (its flat number) read or write, and per axis what lanes
    ``beyond`` its end do."""
    loops = {loop.name: loop for loop in built.program.loops}
    for block in np.flatnonzero(built.programs == program):
        columns = zip(built.program.dims, built.coordinates.columns, strict=True)
        point = {dim.name: int(column[block]) for dim, column in columns}
        trips = {name: loop.trips for name, loop in loops.items()}
        trips |= {n: int(loop.profile.at(point[loop.profile.dim])) for n, loop in loops.items() if loop.profile}
        for access in accesses:
            path = built.program.loop_path(access.loop)
            names = access_names(access)
            for iteration in product(*(range(trips[n] if n in names else min(trips[n], 1)) for n in path)):
                yield tile(built, access, point | dict(zip(path, iteration, strict=True)), beyond)


def access_names(access: Access) -> set[str]:
    """Names of dims and loops that the tile, or what of it takes part, depends on."""
    sides = [form for bounds in access.bounds for form in (*bounds.begins, *bounds.ends)]
    return {name for form in (*access.starts, *sides) for name, _ in form.terms}


def tile(built: Built, access: Access, point: dict[str, int], beyond: Sequence[str]) -> Elements:
    """Elements of the part of a tile that takes part by its bounds and, on axes with a mask, lies inside the tensor."""

    def at(form: Affine) -> int:
        return form.const + sum(coefficient * point[name] for name, coefficient in form.terms)

    tensor = built.program.tensor(access.tensor)
    offsets: Elements = np.zeros(1, dtype=np.int64)
    for axis, (start, size, masked) in enumerate(zip(access.starts, access.tile, access.masked, strict=True)):
        sides = access.bounds[axis] if access.bounds else Bounds()
        first = max([at(start), *([0] if masked else []), *map(at, sides.begins)])
        end = min([at(start) + size, *([tensor.shape[axis]] if masked else []), *map(at, sides.ends)])
        positions = np.arange(first, max(first, end))
        if beyond and beyond[axis] != "nothing" and masked and end > 0:
            rest = np.arange(max(first, end), at(start) + size)
            positions = np.concatenate([positions, BEYOND[beyond[axis]](rest, end)])
        offsets = np.add.outer(offsets, positions * tensor.strides[axis]).ravel()
    return offsets


def run_case(path: Path, entry: str | None, options: argparse.Namespace) -> None:
    """Emit the verdicts on all launches of one case."""
    mode = "cpu" if options.mode == "cpu" or wants_real_tensors(path, entry) else "fake"
    recorder = Interpreting(mode, options.samples, options.limit, options.configs)
    try:
        with recorder.active():
            execute(str(path), entry, ARGUMENTS.get(path.name, ()), recorder.advice)
    except CpplanError as error:
        emit({"kernel": "", "verdict": "not captured", "detail": str(error)})


def main() -> None:
    """Run the cases, print their verdicts."""
    arguments = parser(__doc__)
    arguments.add_argument("--samples", type=int, default=3, help="programs per launch")
    arguments.add_argument("--limit", type=float, default=120.0, help="seconds per launch")
    arguments.add_argument("--configs", type=int, default=1, help="configurations per tuned launch")
    options = arguments.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)  # forked processes do not have the threads of their parent
    for path, case in load(options):
        silence = options.silence + options.limit
        records, why = forked(lambda path=path, case=case: run_case(path, case, options), silence)  # type: ignore[misc]
        for record in [*records, *([{"verdict": "not captured", "detail": why}] if why else [])]:
            print(json.dumps({"case": case or path.stem, "kernel": ""} | record), flush=True)
        counts = Counter(record.get("verdict", "failed") for record in records)
        print(case or path.stem, dict(counts), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
