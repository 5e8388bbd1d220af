"""Frontend: an unmodified Python file with Triton kernels becomes planning problems.

Triton and torch are imported inside functions, so importing this package is cheap.
"""

from __future__ import annotations

from collections.abc import Sequence

from cpplan.tile.program import Problem

__all__ = ["read_problems"]


def read_problems(
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
    gpu: str | None = None,
    multiprocessors: int | None = None,
) -> list[Problem]:
    """One problem per distinct kernel launch of ``path``.

    The launches are those of the file run as a script with ``argv``, or of its function ``entry``. With ``kernel``, the
    file is only imported and the launch is described by ``args`` (``a=bf16[4096,4096]``, ``M=4096``), ``constexprs``
    (``BLOCK_M=64,128``) and ``grid`` (``32,32`` or expressions such as ``cdiv(M,BLOCK_M)``). ``free`` names constexpr
    parameters for which all multiples of 32 are candidates, in the kernels that have them; candidates whose
    single-buffered tiles exceed ``sram_limit`` bytes are left out. ``mode`` is "fake" (tensors without memory) or "cpu"
    (real tensors).
    ``gpu`` ("sm_80" to "sm_90") and ``multiprocessors`` describe the GPU that the file is told it runs on: some files
    choose code paths by the one, and persistent kernels their grid by the other.

    Raises :class:`~cpplan.errors.InputError` for a file, launch or option that cannot be used and
    :class:`~cpplan.errors.KernelError` for a kernel that cannot be analysed.
    """
    from cpplan.errors import InputError
    from cpplan.frontend.capture import capture_launches
    from cpplan.frontend.imaginary_gpu import pretended_gpu
    from cpplan.frontend.problems import group_launches, problems_of, with_distinct_names
    from cpplan.frontend.written import written_launches

    with pretended_gpu(gpu, multiprocessors):
        if kernel is not None:
            launches = written_launches(path, kernel, args, constexprs, grid)
        elif args or constexprs or grid:
            raise InputError(
                "--arg, --constexpr and --grid describe a launch of the kernel named with --kernel; name one"
            )
        else:
            launches = capture_launches(path, entry=entry, mode=mode, argv=argv)
        return with_distinct_names(problems_of(group_launches(launches), free, sram_limit))
