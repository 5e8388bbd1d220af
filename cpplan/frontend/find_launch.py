"""The recorded launch behind a problem at a block shape, for whoever needs more of it than the tile program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cpplan.errors import InputError
from cpplan.frontend.launch import Launch


def find_launch(
    path: str,
    name: str,
    block: Mapping[str, int],
    *,
    entry: str | None = None,
    kernel: str | None = None,
    args: Sequence[str] = (),
    constexprs: Sequence[str] = (),
    grid: str | None = None,
    mode: str = "fake",
    argv: Sequence[str] = (),
    gpu: str | None = None,
    multiprocessors: int | None = None,
) -> Launch:
    """The launch of problem ``name`` of the file with block parameters ``block``.

    The options are those of :func:`cpplan.frontend.read_launches`, which named the problem. Raises
    :class:`~cpplan.errors.InputError` when the file makes no such launch (any more).
    """
    from cpplan.frontend.build import block_of
    from cpplan.frontend.capture import capture
    from cpplan.frontend.imaginary_gpu import pretended_gpu
    from cpplan.frontend.problems import distinct_names, group_launches
    from cpplan.frontend.smaller import replay
    from cpplan.frontend.written import written_launches

    with pretended_gpu(gpu, multiprocessors):
        if kernel is not None:
            launches = written_launches(path, kernel, args, constexprs, grid)
        else:
            launches = capture(path, entry=entry, mode=mode, argv=argv).launches
        groups = group_launches(launches)
        names = distinct_names([group[0].kernel for group in groups])
        group = next((group for own, group in zip(names, groups, strict=True) if own == name), None)
        if group is None:
            raise InputError(f"{path}: launches no {name}")
        found = next((launch for launch in group if dict(block_of(launch)) == dict(block)), None)
        return replay(group[0], dict(block)) if found is None else found
