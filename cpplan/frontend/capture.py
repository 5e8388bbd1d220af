"""Run an unmodified Python file and collect the kernel launches it makes; no GPU, no driver, no edits.

Running a file executes it, as Python does. Only the kernels are not executed.
"""

from __future__ import annotations

import ast
import contextlib
import logging
import os
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cpplan.errors import InputError, KernelError
from cpplan.frontend.failures import check_source, errors_of, ways_to_launch
from cpplan.frontend.launch import Launch
from cpplan.frontend.reading import all_refused
from cpplan.frontend.recorder import Recorder

UNKNOWN_VALUES = "The file reads values of tensors without memory (answered 0 or True)"


def capture_launches(
    path: str, *, entry: str | None = None, mode: str = "fake", argv: Sequence[str] = ()
) -> list[Launch]:
    """Distinct launches made by running ``path`` (or its function ``entry``), in order; see :func:`capture`."""
    return capture(path, entry=entry, mode=mode, argv=argv).launches


def capture(path: str, *, entry: str | None = None, mode: str = "fake", argv: Sequence[str] = ()) -> Recorder:
    """The launches made by running ``path`` (or its function ``entry``), and those that were refused at once.

    ``mode`` is "fake" (tensors own no memory, any size is free) or "cpu" (real CPU tensors, host code may read values).
    Raises :class:`InputError` when the file is missing, fails, or makes no launch that can be used.
    """
    if mode not in ("fake", "cpu"):
        raise InputError(f"mode is {mode!r}; it must be 'fake' or 'cpu'")
    recorder = Recorder(mode)
    with recorder.active():
        try:
            execute(path, entry, argv, recorder.advice)
        except KernelError:
            if not recorder.launches:
                raise  # the file cannot go on without the result of the kernel; what came before it counts
    if not recorder.launches and recorder.refused:
        raise all_refused(path, recorder.refused)
    if not recorder.launches:
        where = f"function {entry} of {path}" if entry else path
        if recorder.empty:
            raise InputError(f"{where}: nothing to plan: {recorder.empty[0]}")
        unknown = f" {UNKNOWN_VALUES}; with --tensors cpu they are real ones." if recorder.value_reads else ""
        raise InputError(f"{where}: no kernel was launched.{unknown} {ways_to_launch(path)}")
    if recorder.value_reads:
        text = "%s: %s; if launches depend on them, give --tensors cpu"
        logging.getLogger(__name__).warning(text, path, UNKNOWN_VALUES)
    return recorder


def execute(path: str, entry: str | None, argv: Sequence[str], advice: Callable[[Exception], str]) -> None:
    """Run ``path`` as a script, or import it and call ``entry`` (``name`` or ``name(literal, ...)``)."""
    check_source(path)
    # what the file prints is not part of a command's output
    with contextlib.redirect_stdout(sys.stderr), _script_environment(path, argv), errors_of(path, advice):
        if entry is None:
            runpy.run_path(path, run_name="__main__")
            return
        name, args, kwargs = _parse_entry(entry)
        names = runpy.run_path(path, run_name="cpplan_kernel_file")
        if not callable(names.get(name)):
            raise InputError(f"{path}: there is no function {name!r} to enter")
        names[name](*args, **kwargs)


def load_names(path: str) -> dict[str, Any]:
    """The global names of ``path`` after importing it; nothing is launched."""
    check_source(path)
    with contextlib.redirect_stdout(sys.stderr), _script_environment(path, ()), errors_of(path):
        return runpy.run_path(path, run_name="cpplan_kernel_file")


def _parse_entry(entry: str) -> tuple[str, list[Any], dict[str, Any]]:
    try:
        node = ast.parse(entry, mode="eval").body
        if isinstance(node, ast.Name):
            return node.id, [], {}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            args = [ast.literal_eval(arg) for arg in node.args]
            return node.func.id, args, {k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg}
    except (SyntaxError, ValueError):
        pass
    raise InputError(f"entry {entry!r}: give a function name, or a call with literal arguments such as main(512, 512)")


@contextlib.contextmanager
def _script_environment(path: str, argv: Sequence[str]) -> Iterator[None]:
    """sys.argv and sys.path as ``python path argv...`` would set them."""
    old_argv, old_path = sys.argv, list(sys.path)
    sys.argv = [path, *argv]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = old_argv, old_path
