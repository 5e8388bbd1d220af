"""What the vendor's runtime says of programs that one process of it takes, one after the other (vendor_setup.sh)."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from emit.test_host import scheduled

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from emit_descriptors import ACCEPTED, Runtime

pytestmark = [pytest.mark.vendor, pytest.mark.slow]


@pytest.fixture(params=["wormhole", "blackhole"])
def runtime(request: pytest.FixtureRequest) -> Iterator[Runtime]:
    if "CPPLAN_VENDOR" not in os.environ:
        pytest.skip("the vendor's software is not set up: bench/vendor_setup.sh FOLDER, then CPPLAN_VENDOR=FOLDER")
    with closing(Runtime(Path(os.environ["CPPLAN_VENDOR"]).resolve(), request.param)) as opened:
        yield opened


def test_a_program_is_judged_by_itself_whatever_came_before(runtime: Runtime) -> None:
    """A runtime that knew programs by a hash of their descriptors would let the second one pass, too."""
    schedule, program = scheduled(runtime.device)
    huge = replace(program, buffers=tuple(replace(b, pages=4096 * b.pages) for b in program.buffers))
    kernels = tuple(replace(k, source=k.source.replace("cb_push_back(", "cb_push_behind(")) for k in program.kernels)
    wrong = replace(program, kernels=kernels)
    assert runtime.verdict(schedule, program) == ACCEPTED
    assert "beyond max L1 size" in runtime.verdict(schedule, huge)
    assert runtime.verdict(schedule, program) == ACCEPTED
    message = runtime.verdict(schedule, wrong)
    assert "kernels/" in message and "cb_push_behind" in message
    assert tempfile.gettempdir() not in message and str(Path.home()) not in message
    assert runtime.verdict(schedule, program) == ACCEPTED
