"""Triton's refusal of a kernel: the line of the user's file that it concerns, and its reason in one sentence.

Triton raises one error per function on the way from the kernel to the refused operation, each caused by the next. The
code generator that raised is found among the frames of an error; it knows its file and where its function begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any

Place = tuple[str, int]
"""A file and a line of it."""


def refused_at(error: BaseException) -> Place | None:
    """Where the refusal happened: the innermost function that is not part of Triton itself."""
    places = [place for cause in _causes(error) if (place := _place(cause)) and not _is_triton(place[0])]
    return places[-1] if places else None


def reason(error: BaseException) -> str:
    """What the innermost cause says, in one line. Triton's compile errors quote source; that is left out."""
    *_, deepest = _causes(error)
    text = str(getattr(deepest, "error_message", None) or deepest) or type(deepest).__name__
    lines = [line.strip() for line in text.splitlines() if line.strip(" ^")]
    return " ".join(lines[-1:] if text.startswith("at ") else lines[:3])  # a message without text is a source excerpt


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, innermost last."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _place(error: BaseException) -> Place | None:
    """Where the code generator stood that raised a compile error; lines count from 1, also inside its function."""
    line = getattr(getattr(error, "node", None), "lineno", None)
    owners: list[Any] = [step.tb_frame.f_locals.get("self") for step in _steps(error.__traceback__)]
    generators = [one for one in owners if hasattr(one, "begin_line") and hasattr(one, "file_name")]
    return (generators[-1].file_name, generators[-1].begin_line + line) if generators and line is not None else None


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_triton(file: str) -> bool:
    import triton

    return os.path.abspath(file).startswith(os.path.dirname(os.path.abspath(triton.__file__)) + os.sep)
