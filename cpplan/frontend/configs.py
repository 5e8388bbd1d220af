"""Which configurations of a call are compiled, so that the others follow from them.

Compiling a Helion kernel takes longer than all that comes after it. It is compiled with one block size varied at a
time, and once with several.
"""

from __future__ import annotations

from collections.abc import Sequence

from cpplan.frontend.launch import Config


def needed(configs: Sequence[Config]) -> list[Config]:
    """Those of ``configs`` from which the others follow, in order; all where that would not save any."""
    chosen: set[Config] = set()
    for group in alike(configs):
        first, last = group[0], group[-1]
        varying = [i for i in range(len(first)) if len({config[i] for config in group}) > 1]
        singles = [next((c for c in group if _differences(c, first) == [i]), None) for i in varying]
        few = {first, last, *(single for single in singles if single is not None)}
        chosen |= set(group) if None in singles or len(few) >= len(group) - 1 else few
    return [config for config in configs if config in chosen]


def alike(configs: Sequence[Config]) -> list[list[Config]]:
    """Configurations that give values to the same parameters, together."""
    groups: dict[tuple[str, ...], list[Config]] = {}
    for config in configs:
        groups.setdefault(tuple(name for name, _ in config), []).append(config)
    return list(groups.values())


def _differences(one: Config, other: Config) -> list[int]:
    return [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
