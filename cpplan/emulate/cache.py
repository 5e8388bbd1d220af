"""Compiled objects by content: built aside, moved into place, the least recently used ones dropped."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from cpplan.emulate.faults import CacheUnusable

MOST_ENTRIES = 8000
"""Entries that are kept; a kernel takes about 50 kB."""


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/cpplan/emulate``, by default below ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "cpplan" / "emulate"


def cached(key: str, name: str, make: Callable[[Path], None]) -> Path:
    """File ``name`` of entry ``key``; when missing, ``make`` fills a scratch folder with it. Raises CacheUnusable."""
    folder = cache_folder() / key
    try:
        if (folder / name).exists():
            os.utime(folder)
        else:
            _build(folder, name, make)
    except OSError as error:
        raise CacheUnusable(f"the cache {cache_folder()} cannot be used: {error}; set XDG_CACHE_HOME") from error
    return folder / name


def _build(folder: Path, name: str, make: Callable[[Path], None]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        make(Path(scratch))
        folder.mkdir(exist_ok=True)
        for file in sorted(Path(scratch).iterdir(), key=lambda file: file.name == name):
            os.replace(file, folder / file.name)
    _drop_oldest(folder.parent)


def _drop_oldest(folder: Path) -> None:
    entries = [entry for entry in os.scandir(folder) if entry.is_dir()]
    if len(entries) <= MOST_ENTRIES:
        return
    by_age = sorted(entries, key=_last_used)
    for entry in by_age[: len(entries) - MOST_ENTRIES * 3 // 4]:
        shutil.rmtree(entry.path, ignore_errors=True)


def _last_used(entry: os.DirEntry[str]) -> float:
    """When it was used; what another process has taken away meanwhile counts as used just now."""
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        return float("inf")
