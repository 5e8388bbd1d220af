"""Every example, in every configuration, computes what its description says: float32 on Triton's interpreter."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = sorted({path.stem for path in (HERE.parents[1] / "examples").glob("*.py")} - {"helion_matmul"})
TOLERANCE = 1e-5
"""Largest error relative to the largest value: float32 keeps 6e-8, and sums here have up to 1,000 terms."""


@pytest.fixture(scope="module")
def errors() -> dict[str, float]:
    """Relative error per case."""
    command = [sys.executable, str(HERE / "numerics.py")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_computes_what_it_says(name: str, errors: dict[str, float]) -> None:
    kernel = "mamba" if name.startswith("mamba") else name
    found = {case: error for case, error in errors.items() if case.split()[0] == kernel}
    assert len(found) == 2  # sizes that the blocks divide, and ragged ones
    assert {case: error for case, error in found.items() if error > TOLERANCE} == {}
