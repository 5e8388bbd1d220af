"""Getting the vendor's headers: what is wrong is said in one sentence, and nothing unverified is unpacked."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from cpplan.typecheck import TypeCheckUnavailable, wheel


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(wheel.WHEEL_VARIABLE, raising=False)
    return tmp_path


def test_offline_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert "--require-hashes" in command
        return subprocess.CompletedProcess(
            command, 1, "", "ERROR: Could not find a version\nERROR: No matching distribution"
        )

    monkeypatch.setattr(wheel.subprocess, "run", no_network)
    with pytest.raises(TypeCheckUnavailable) as error:
        wheel.headers()
    assert "No matching distribution" in str(error.value)
    assert f"set {wheel.WHEEL_VARIABLE} to its path" in str(error.value)


def test_a_given_wheel_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(wheel.WHEEL_VARIABLE, "/no/such/wheel")
    with pytest.raises(TypeCheckUnavailable, match="/no/such/wheel, which is not a file"):
        wheel.headers()


def test_another_wheel_is_refused_by_its_hash(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = empty_cache / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("ttnn/tt_metal/api/x.h", "")
    monkeypatch.setenv(wheel.WHEEL_VARIABLE, str(other))
    with pytest.raises(TypeCheckUnavailable, match="its SHA-256 is"):
        wheel.headers()
    assert wheel.cached_headers() is None


def test_only_headers_and_kernels_are_unpacked(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = empty_cache / "small.whl"
    with zipfile.ZipFile(small, "w") as archive:
        for name in ("ttnn/tt_metal/hw/inc/a.h", "ttnn/_ttnn.so", "ttnn/ttnn/cpp/k.cpp", "ttnn/tt_metal/hw/b.elf"):
            archive.writestr(name, "x")
    monkeypatch.setenv(wheel.WHEEL_VARIABLE, str(small))
    monkeypatch.setattr(wheel, "_check", lambda path: None)
    root = wheel.headers()
    assert sorted(p.name for p in root.rglob("*") if p.is_file()) == ["a.h", "k.cpp"]
    assert wheel.cached_headers() == root


def test_a_cache_that_cannot_be_written_is_one_message(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_cache / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(empty_cache / "file"))
    with pytest.raises(TypeCheckUnavailable, match=r"cannot be used: .*; set XDG_CACHE_HOME"):
        wheel.headers()
