"""The cache of compiled objects: made once, nothing half-made, bounded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cpplan.emulate import cache
from cpplan.emulate.faults import CacheUnusable


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def write(text: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / "thing").write_text(text)

    return make


def test_an_entry_is_made_once() -> None:
    first = cache.cached("k", "thing", write("one"))
    assert cache.cached("k", "thing", write("two")) == first
    assert first.read_text() == "one"


def test_a_failed_build_leaves_nothing() -> None:
    def fail(folder: Path) -> None:
        (folder / "thing").write_text("half")
        raise ValueError

    with pytest.raises(ValueError):
        cache.cached("k", "thing", fail)
    assert not list(cache.cache_folder().iterdir())


def test_the_least_recently_used_entries_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 4)
    for i in range(4):
        os.utime(cache.cached(f"k{i}", "thing", write("x")).parent, (i, i))
    cache.cached("k0", "thing", write("x"))  # used again, so no longer the oldest
    cache.cached("new", "thing", write("x"))
    assert sorted(entry.name for entry in cache.cache_folder().iterdir()) == ["k0", "k3", "new"]


def test_a_cache_that_cannot_be_written_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CacheUnusable, match=r"cannot be used: .*; set XDG_CACHE_HOME"):
        cache.cached("k", "thing", write("x"))


def test_what_another_process_takes_away_meanwhile_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scratch folder is gone between the listing and the look at its age."""
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    for key in ("a", "b"):
        os.utime(cache.cached(key, "thing", write(key)).parent, (1, 1))
    real = os.scandir

    def listed(folder: Path | int) -> Any:
        if not isinstance(folder, Path):
            return real(folder)
        (folder / "scratch").mkdir()
        entries = list(real(folder))
        (folder / "scratch").rmdir()
        return entries

    monkeypatch.setattr(cache.os, "scandir", listed)
    cache.cached("c", "thing", write("c"))
    assert cache.cached("c", "thing", write("again")).read_text() == "c"
