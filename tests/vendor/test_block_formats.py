"""Block formats in numpy against the vendor's own host library (bench/vendor_setup.sh)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cpplan.emulate.formats import matrix_pages, pages_matrix

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from vendor_checks import absent, settings  # noqa: E402


def numbers() -> np.ndarray:
    """Normally distributed ones; ones of very different sizes; ones half way between two that bfp8_b has."""
    random = np.random.default_rng(0)
    normal, spread = random.standard_normal((2, 32, 64))
    halves = np.tile((np.arange(64) + 0.5) / 64, (32, 1)) * np.where(random.random((32, 64)) < 0.5, -1, 1)
    halves[:, ::16] = 1.0
    return np.concatenate([normal, spread * np.exp(4 * random.standard_normal((32, 64))), halves]).astype(np.float32)


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("format_", ["bfp8_b", "bfp4_b"])
def test_numbers_are_rounded_as_the_host_library_rounds_them(format_: str, tmp_path: Path) -> None:
    if "CPPLAN_VENDOR" not in os.environ:
        pytest.skip("the vendor's software is not set up: bench/vendor_setup.sh FOLDER, then CPPLAN_VENDOR=FOLDER")
    home = Path(os.environ["CPPLAN_VENDOR"]).resolve()
    if missing := absent(home, {3}):
        pytest.skip(f"the set-up of the vendor's software is incomplete: {'; '.join(missing)}")
    given = numbers()
    np.save(tmp_path / "numbers.npy", given)
    script = [str(home / "env" / "bin" / "python"), str(BENCH / "vendor" / "block_formats.py")]
    files = [str(tmp_path / "numbers.npy"), str(tmp_path / "stored.npz")]
    subprocess.run(
        [*script, *files], env=settings(home, tmp_path, "wormhole"), check=True, capture_output=True, timeout=300
    )
    theirs = np.load(tmp_path / "stored.npz")[format_]
    ours = pages_matrix(matrix_pages(given, format_), format_, *given.shape)  # type: ignore[arg-type]
    assert np.array_equal(ours, theirs)
    assert not np.array_equal(ours, given)
