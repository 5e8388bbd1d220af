"""Helion kernels: lowered to Triton by Helion itself, their block sizes taken from Helion's own configuration space.

Helion would tune on a GPU. Instead, a call of a ``@helion.kernel`` is bound to tensors without memory, compiled for a
bounded set of its configurations, and its host function is run once per configuration, so that each of them launches a
Triton kernel. Configurations that the author fixed are taken as they are.
"""

from __future__ import annotations

import inspect
import itertools
import logging
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from cpplan.errors import KernelError

MODULE = "helion.runtime.kernel"

MAX_CONFIGS = 12
"""Configurations of one call that are lowered; each costs about a tenth of a second."""

MATRIX_SIZES = (128, 64, 32, 256)
"""Sizes of a dimension that takes part in a dot, most useful first."""

VECTOR_SIZES = (32, 1024, 256, 64, 512, 128)
"""Sizes of another dimension in a kernel without dots."""

DOT_MINIMUM = 16
"""Helion asks for at least this size where a dimension takes part in a dot."""


def author_of(function: Any) -> tuple[str, int]:
    """File and first line of the Helion function."""
    code = function.fn.__code__
    return str(code.co_filename), int(code.co_firstlineno)


def author_lines(function: Any, author: str) -> dict[int, int]:
    """Line of the generated Triton kernel to line of the Helion function in file ``author``, as the comments that
    Helion leaves say."""
    lines, first = inspect.getsourcelines(function.fn)
    found, place, name = {}, 0, re.escape(Path(author).name)
    for number, text in enumerate(lines, start=first):
        match = re.match(rf"\s*# src\[{name}:(\d+)", text)
        place = int(match.group(1)) if match else place
        if place:
            found[number] = place
    return found


def bound_kernel(kernel: Any, args: Sequence[Any]) -> Any:
    """Helion's analysis of one call. Raises :class:`KernelError` when Helion refuses it."""
    from cpplan.frontend.torch_stub import real_torch

    try:
        with real_torch():
            return kernel.bind(tuple(args))
    except Exception as error:  # Helion raises many kinds
        raise _refusal(kernel, "read", error) from error


def block_names(bound: Any) -> list[str]:
    """A name per entry of ``block_sizes``: the tile variable of the source where it is unique."""
    sizes = {info.block_id: info for info in bound.env.block_sizes}
    found: list[str] = []
    for position, item in enumerate(bound.config_spec.block_sizes):
        labels = sorted(getattr(sizes.get(item.block_id), "debug_names", ()), key=lambda name: (len(name), name))
        label = labels[0] if labels and labels[0].isidentifier() else ""
        found.append(label if label and label not in found else f"block_size_{position}")
    return found


def configurations(bound: Any, overrides: Mapping[str, Any]) -> list[Any]:
    """The configurations to plan with: the author's, or a choice over the block sizes that Helion would search.

    ``overrides`` replaces block sizes and reduction chunks by name; only the first configuration is then used.
    """
    given = list(bound.kernel.configs)
    configs = given or list(itertools.islice(_searched(bound), MAX_CONFIGS))
    if not overrides:
        return configs
    from helion import Config

    fields = dict(configs[0].config)
    for field, names in (("block_sizes", block_names(bound)), ("reduction_loops", _chunk_names(fields))):
        values = list(fields.get(field, ()))
        if values:
            fields[field] = [overrides.get(name, value) for name, value in zip(names, values, strict=False)]
    return [Config(**fields)]


def parameters(bound: Any, config: Any) -> tuple[tuple[str, int], ...]:
    """Block sizes of a configuration by name, and the chunks in which it reduces rows, where these are not whole."""
    fields = config.config
    chunks = zip(_chunk_names(fields), fields.get("reduction_loops", ()), strict=False)
    blocks = zip(block_names(bound), fields.get("block_sizes", ()), strict=False)
    return (*blocks, *((name, size) for name, size in chunks if size))


def _chunk_names(fields: Mapping[str, Any]) -> list[str]:
    return [f"chunk_{position}" for position in range(len(fields.get("reduction_loops", ())))]


def _searched(bound: Any) -> Iterator[Any]:
    """The default configuration with other block sizes and reduction chunks, spread over their ranges."""
    from helion import Config

    spec = bound.config_spec
    default = spec.default_config().config
    blocks = [_sizes(item, has_dot=_has_dot(spec)) for item in spec.block_sizes]
    chunks = [[None, *_chunks(item)] for item in spec.reduction_loops]
    for choice in itertools.product(*_bounded([*blocks, *chunks])):
        fields = dict(default)
        if blocks:
            fields["block_sizes"] = list(choice[: len(blocks)])
        if chunks:
            fields["reduction_loops"] = list(choice[len(blocks) :])
        yield Config(**fields)


def _has_dot(spec: Any) -> bool:
    return any(item.min_size >= DOT_MINIMUM for item in spec.block_sizes)


def _sizes(item: Any, *, has_dot: bool) -> list[Any]:
    """Powers of two that Helion allows for one dimension; dimensions beside those of a dot stay as small as allowed."""
    low, high = item.min_size, max(item.min_size, item.max_size)
    if has_dot and low < DOT_MINIMUM:
        return [low]
    wanted = MATRIX_SIZES if low >= DOT_MINIMUM else VECTOR_SIZES
    return [size for size in wanted if low <= size <= high] or [high]


def _chunks(item: Any) -> list[int]:
    """A row that is reduced whole may not fit a scratchpad; it can also be read in pieces."""
    return [size for size in (1024, 4096) if size < item.size_hint]


def _bounded(options: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The first few options of each dimension, in turn one more of each, as long as all combinations stay few."""
    counts = [1] * len(options)
    while True:
        grown = False
        for position, values in enumerate(options):
            more = math.prod(counts) // counts[position] * (counts[position] + 1)
            if counts[position] < len(values) and more <= MAX_CONFIGS:
                counts[position] += 1
                grown = True
        if not grown:
            return [list(values[:count]) for values, count in zip(options, counts, strict=True)]


def compiled(bound: Any, configs: Sequence[Any]) -> Iterator[tuple[Any, Callable[..., Any]]]:
    """(configuration, host function) of those that Helion can lower. Raises :class:`KernelError` when it can none."""
    from cpplan.frontend.torch_stub import real_torch

    refusals: list[Exception] = []
    log = logging.getLogger(MODULE)
    level, done = log.level, 0
    for config in configs:
        log.setLevel(logging.CRITICAL)  # a configuration that Helion refuses is not news
        try:
            with real_torch():
                host = bound.compile_config(config, allow_print=False)
        except Exception as error:  # Helion raises many kinds; each is a refusal of this configuration
            refusals.append(error)
            continue
        finally:
            log.setLevel(level)
        done += 1
        yield config, host
    if refusals and not done:
        raise _refusal(bound.kernel, "lower", refusals[0])


def _refusal(kernel: Any, verb: str, error: Exception) -> KernelError:
    file, line = author_of(kernel)
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return KernelError(f"{file}:{line}: Helion cannot {verb} {kernel.name}: {reason}")


@contextmanager
def when_imported(install: Callable[[ModuleType], None]) -> Iterator[None]:
    """Call ``install`` on Helion's module of kernels, now or as soon as the user's file imports it."""
    if MODULE in sys.modules:
        install(sys.modules[MODULE])
        yield
        return
    finder = _Finder(install)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finds nothing itself; lets the others find Helion's kernel module and acts once it has been executed."""

    def __init__(self, install: Callable[[ModuleType], None]) -> None:
        self.install = install

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """The usual spec of Helion's kernel module with a loader that reports; None for any other module."""
        if fullname != MODULE:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if finder is not self else None
            if spec is not None and spec.loader is not None:
                spec.loader = _Reporting(spec.loader, self.install)
                return spec
        return None


class _Reporting(Loader):
    """A loader that calls ``install`` after the module has been executed."""

    def __init__(self, loader: Loader, install: Callable[[ModuleType], None]) -> None:
        self.loader, self.install = loader, install

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the real loader does."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute, then report."""
        self.loader.exec_module(module)
        self.install(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)
