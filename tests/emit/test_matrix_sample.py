"""A sample of ``bench/emit_matrix.py``: programs of best and forced plans compute what Triton's interpreter computes,
and their kernels pass the vendor's headers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cpplan.device.spec import load_device

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from emit_cells import CASES, Planned
from emit_matrix import cells

SAVED = Path(__file__).parents[2] / "bench" / "results" / "emit_matrix.json"

SAMPLE = (
    ("matmul", "wormhole", "ragged", "k.cores=3 combine=tree"),
    ("matmul", "blackhole", "ragged", "k.cores=4 combine=ring"),
    ("matmul", "blackhole", "ragged", "b_ptr.broadcast=column"),
    ("batched matmul", "wormhole", "ragged", "1"),
    ("attention", "blackhole", "ragged", "combine=tree"),
    ("attention, causal, shared heads", "wormhole", "ragged", "1"),
    ("decode, combine", "blackhole", "ragged", "2"),
    ("mamba chunk state", "wormhole", "ragged", "1"),
    ("softmax", "blackhole", "ragged", "3"),
    ("split-k matmul", "wormhole", "ragged", "1"),
    ("decode, uneven parts", "wormhole", "ragged", "1"),
    ("decode, uneven parts", "blackhole", "ragged", "combine=tree"),
    ("split-k matmul", "blackhole", "ragged", "part.cores=3 *.depth=1"),
    ("matmul, forwarded", "wormhole", "ragged", "a_ptr.broadcast=forward b_ptr.broadcast=multicast"),
    ("matmul, fp32", "blackhole", "ragged", "1"),
    ("matmul, bfp8", "wormhole", "ragged", "k.cores=4 combine=ring"),
    ("matmul, bfp8 and its results", "blackhole", "ragged", "1"),
    ("decode, uneven parts, bfp8 keys and values", "blackhole", "ragged", "1"),
)
"""Kernel, device, shape, plan."""


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "device", "shape", "plan"), SAMPLE)
def test_the_program_computes_what_the_interpreter_computes(kernel: str, device: str, shape: str, plan: str) -> None:
    case = next(case for case in CASES if case.name == kernel)
    cell = Planned(case, shape, load_device(device)).cell(plan)
    assert cell["outcome"] == "equal", cell["message"]
    if cell["types"] == "unknown":
        pytest.skip("equal; types not checked: python -m cpplan.typecheck fetches the vendor's headers into the cache")
    assert cell["types"] == "ok"


def test_saved_cells_are_all_that_there_are_and_as_they_should_be() -> None:
    """Every program was accepted by all three: headers, interpreter, runtime."""
    rows = json.loads(SAVED.read_text())["rows"]
    wanted = {(device, *cell) for cell in cells() for device in ("wormhole", "blackhole")}
    assert {(row["device"], row["kernel"], row["sizes"], row["plan"]) for row in rows} == wanted
    for row in rows:
        assert row["good"], row
        assert row["outcome"] != "equal" or (row["types"], row["descriptors"]) == ("ok", "accepted"), row
