"""Programs of configurations that were not compiled: they follow from those that were.

Where the closed forms of all integers explain the compiled configurations, the other programs are read off the forms;
what does not follow is compiled after all.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from cpplan.errors import InputError, KernelError, TileSizeError
from cpplan.frontend.allowed import verdicts
from cpplan.frontend.configs import alike
from cpplan.frontend.fitted import Fitted
from cpplan.frontend.launch import Config, Launch
from cpplan.frontend.samples import Sample, lowered
from cpplan.frontend.smaller import Reader
from cpplan.tile.family import candidate_program
from cpplan.tile.program import TileProgram


def all_programs(launches: Sequence[Launch]) -> Iterator[TileProgram | KernelError]:
    """Programs of all configurations of one call, in the order of ``launches[0].configs``, or why there is none."""
    compiled = {launch.config: launch for launch in launches}
    known: dict[Config, TileProgram | KernelError] = {}
    for group in alike(launches[0].configs):
        read = {config: _read(compiled[config], config) for config in group if config in compiled}
        known |= {config: item.whole if isinstance(item, Sample) else item for config, item in read.items()}
        others = [config for config in group if config not in compiled]
        known |= _derived(launches[0], [item for item in read.values() if isinstance(item, Sample)], others)
    for config in launches[0].configs:
        yield known[config] if config in known else _compiled(launches[0], config)


def _read(launch: Launch, config: Config) -> Sample | TileProgram | KernelError:
    """A launch as a sample; as a program where its tiles are larger than Triton lowers."""
    try:
        return lowered(launch, [name for name, _ in config], fold=True)
    except TileSizeError:
        return _program(launch)
    except KernelError as error:
        return error


def _program(launch: Launch) -> TileProgram | KernelError:
    try:
        return Reader(launch).base
    except KernelError as error:
        return error


def _compiled(launch: Launch, config: Config) -> TileProgram | KernelError:
    """A configuration that does not follow from others."""
    assert launch.replay is not None
    try:
        return _program(launch.replay(dict(config)))
    except KernelError as error:
        return error


def _derived(launch: Launch, samples: Sequence[Sample], configs: Sequence[Config]) -> dict[Config, TileProgram]:
    """Programs of ``configs`` as far as they follow from the largest set of samples of one shape."""
    kinds = Counter((sample.shape, sample.masked) for sample in samples)
    (kind, _), *_ = kinds.most_common(1) or [((None, ()), 0)]
    usual = [sample for sample in samples if (sample.shape, sample.masked) == kind]
    if not configs or not usual or not _cover(usual, configs):
        return {}
    found: dict[Config, TileProgram] = {}
    with contextlib.suppress(InputError):
        fitted = Fitted(launch, [name for name, _ in configs[0]], usual)
        for config in configs:
            row = np.array([[value for _, value in config]], dtype=np.int64)
            program = candidate_program(fitted.family(row), 0)
            if _is_usual(program, usual[0]) and all(bool(stays.all()) for _, stays in verdicts(fitted, [], row)):
                found[config] = program
    return found


def _cover(samples: Sequence[Sample], configs: Sequence[Config]) -> bool:
    """Whether the samples vary every parameter that has another value in some configuration."""
    seen = [set(column) for column in zip(*(sample.values for sample in samples), strict=True)]
    return all(len(seen[i]) > 1 or value in seen[i] for config in configs for i, (_, value) in enumerate(config))


def _is_usual(program: TileProgram, sample: Sample) -> bool:
    """Whether nothing is left out of a lowered program that is there in the sample: dims and loops of a single step,
    and masks that never cut."""
    steps = (*(dim.extent for dim in program.dims), *(loop.trips for loop in program.loops))
    return min(steps, default=2) > 1 and tuple(access.masked for access in program.accesses) == sample.masked
