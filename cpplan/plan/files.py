"""Writing result files so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cpplan.errors import InputError


def write_file(path: Path, text: str) -> None:
    """Write ``text`` to a temporary file beside ``path``, then rename it into place (parents are created).

    Raises :class:`InputError` when the folder cannot be made or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path}: cannot be written ({reason}): choose another folder with --out") from error


def read_file(path: Path) -> bytes:
    """Contents of ``path``; raises :class:`InputError` when there is no such readable file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
