"""The vendor's device headers: one pinned wheel from PyPI, its headers unpacked into the cache, nothing imported."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cpplan.typecheck.errors import TypeCheckUnavailable

VERSION = "0.81.1"
WHEEL = f"ttnn-{VERSION}-cp312-cp312-manylinux_2_34_x86_64.whl"
SHA256 = "cc6df66162c8b5f5a5eb7347fe687b6095bf57bd64f9ba1be3d9b7f42e01d64f"
WHEEL_VARIABLE = "CPPLAN_TTNN_WHEEL"
"""Environment variable: path of the wheel, for machines without a network."""

DOWNLOAD_SECONDS = 900
SUFFIXES = (".h", ".hpp", ".inl", ".cc", ".cpp", ".tpp")
FOLDERS = (
    "ttnn/tt_metal/api/",
    "ttnn/tt_metal/hostdevcommon/",
    "ttnn/tt_metal/hw/",
    "ttnn/tt_metal/tt-llk/common/",
    "ttnn/tt_metal/tt-llk/tools/include/",
    "ttnn/tt_metal/tt-llk/tt_llk_blackhole/",
    "ttnn/tt_metal/tt-llk/tt_llk_wormhole_b0/",
    "ttnn/ttnn/",
)
"""Parts of the wheel that kernels are compiled against, and the vendor's own kernels."""


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/cpplan``, by default below ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "cpplan"


def cached_headers() -> Path | None:
    """Root of the unpacked headers (the folder that holds ``tt_metal``), or None when they are not there yet."""
    root = cache_folder() / f"ttnn-{VERSION}" / "ttnn"
    return root if root.is_dir() else None


def headers() -> Path:
    """Root of the headers, fetched once; raises TypeCheckUnavailable when that is impossible."""
    found = cached_headers()
    if found is not None:
        return found
    try:
        _fetch()
    except OSError as error:
        raise TypeCheckUnavailable(f"the cache {cache_folder()} cannot be used: {error}; set XDG_CACHE_HOME") from error
    found = cached_headers()
    if found is None:
        raise TypeCheckUnavailable(f"{cache_folder() / f'ttnn-{VERSION}'} is incomplete; delete it and try again")
    return found


def _fetch() -> None:
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as scratch:
        wheel = _given_wheel() or _download(Path(scratch))
        _check(wheel)
        unpacked = Path(scratch) / "unpacked"
        _unpack(wheel, unpacked)
        target = cache_folder() / f"ttnn-{VERSION}"
        if not target.exists():
            shutil.move(unpacked, target)


def _given_wheel() -> Path | None:
    given = os.environ.get(WHEEL_VARIABLE)
    if not given:
        return None
    if not Path(given).is_file():
        raise TypeCheckUnavailable(f"{WHEEL_VARIABLE} names {given}, which is not a file")
    return Path(given)


def _download(folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"ttnn=={VERSION} --hash=sha256:{SHA256}\n")
    target = ["--python-version", "3.12", "--platform", "manylinux_2_34_x86_64", "--only-binary=:all:"]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", *target]
    command += ["--require-hashes", "-r", str(requirements), "-d", str(folder)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, check=False)
        trouble = result.stderr.strip().splitlines()[-1:] if result.returncode else []
    except subprocess.TimeoutExpired:
        trouble = [f"no answer within {DOWNLOAD_SECONDS} seconds"]
    if trouble or not (folder / WHEEL).is_file():
        reason = trouble[0] if trouble else "pip left no wheel"
        raise TypeCheckUnavailable(
            f"the type check needs the device headers of ttnn {VERSION} from PyPI (100 MB, once), and pip cannot get "
            f"them: {reason}. Offline, download {WHEEL} elsewhere and set {WHEEL_VARIABLE} to its path"
        )
    return folder / WHEEL


def _check(wheel: Path) -> None:
    digest = hashlib.sha256()
    with wheel.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    if digest.hexdigest() != SHA256:
        raise TypeCheckUnavailable(f"{wheel} is not {WHEEL}: its SHA-256 is {digest.hexdigest()}, not {SHA256}")


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        wanted = [name for name in archive.namelist() if name.startswith(FOLDERS) and name.endswith(SUFFIXES)]
        archive.extractall(folder, wanted)
