"""Frontend: an unmodified Python file with Triton kernels becomes planning problems.

Triton and torch are imported inside functions, so importing this package is cheap.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cpplan.frontend.reading import Reading, Refusal, all_refused

if TYPE_CHECKING:
    from cpplan.tile.program import Problem

__all__ = ["Reading", "Refusal", "read_launches", "read_problems"]


def read_launches(
    path: str,
    *,
    entry: str | None = None,
    kernel: str | None = None,
    args: Sequence[str] = (),
    constexprs: Sequence[str] = (),
    grid: str | None = None,
    free: Sequence[str] = (),
    mode: str = "fake",
    argv: Sequence[str] = (),
    sram_limit: int | None = None,
    sram_least: int | None = None,
    gpu: str | None = None,
    multiprocessors: int | None = None,
    formats: Sequence[str] = (),
) -> Reading:
    """One problem per distinct kernel launch of ``path``, and one refusal per launch that cannot be planned.

    The launches are those of the file run as a script with ``argv``, or of its function ``entry``. With ``kernel``, the
    file is only imported and the launch is described by ``args`` (``a=bf16[4096,4096]``, ``M=4096``), ``constexprs``
    (``BLOCK_M=64,128``) and ``grid`` (``32,32`` or expressions such as ``cdiv(M,BLOCK_M)``). ``free`` names constexpr
    parameters for which all multiples of 32 are candidates, in the kernels that have them; candidates whose
    single-buffered tiles exceed ``sram_limit`` bytes are left out, all but the smallest. ``mode`` is "fake" (tensors
    without memory) or "cpu" (real tensors). Problems without a candidate for ``sram_least`` bytes (default:
    ``sram_limit``) bring along smaller block shapes that could be launched instead.
    ``gpu`` ("sm_80" to "sm_90") and ``multiprocessors`` describe the GPU that the file is told it runs on: some files
    choose code paths by the one, and persistent kernels their grid by the other.
    ``formats`` (``a=bfp8_b``) names tensors that the device stores as hardware tiles of a block format, whatever their
    type in the file; block shapes with which the kernel does not take whole hardware tiles of them are left out.

    Raises :class:`~cpplan.errors.InputError` for a file, launch or option that cannot be used, and
    :class:`~cpplan.errors.KernelError` when every launch is refused.
    """
    from cpplan.errors import InputError
    from cpplan.frontend.capture import capture
    from cpplan.frontend.formats import check_accessed, parse_formats, with_formats
    from cpplan.frontend.imaginary_gpu import pretended_gpu
    from cpplan.frontend.problems import group_launches, reading_of
    from cpplan.frontend.written import written_launches

    stored = parse_formats(formats)
    with pretended_gpu(gpu, multiprocessors):
        refused: Sequence[Refusal] = ()
        if kernel is not None:
            launches = written_launches(path, kernel, args, constexprs, grid)
        elif args or constexprs or grid:
            raise InputError(
                "--arg, --constexpr and --grid describe a launch of the kernel named with --kernel; name one"
            )
        else:
            recorder = capture(path, entry=entry, mode=mode, argv=argv)
            launches, refused = recorder.launches, recorder.refused
        groups = with_formats(group_launches(launches), stored)
        reading = reading_of(groups, free, sram_limit, refused, sram_least)
    if not reading.problems:
        raise all_refused(path, reading.refused)
    check_accessed(reading.problems, stored)
    return reading


def read_problems(path: str, **options: Any) -> list[Problem]:
    """The problems of :func:`read_launches`, which says what ``options`` there are; a refused launch is a warning."""
    reading = read_launches(path, **options)
    for refusal in reading.refused:
        warnings.warn(str(refusal), stacklevel=2)
    return list(reading.problems)
