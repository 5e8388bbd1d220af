"""The corpus bench plans each kernel in a process of its own and, where that brings no plan, tries once more."""

from __future__ import annotations

import os
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toy

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import corpus_worker
from corpus_worker import planned_apart

LIMIT = 0.5
"""Seconds; long enough for a busy machine to start a process within four times as many."""
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # forks on purpose

Plan = dict[str, Any]


def plan(monkeypatch: pytest.MonkeyPatch, solver: Callable[[float], Plan]) -> Plan:
    monkeypatch.setattr(corpus_worker, "planned", lambda problem, device, limit: solver(limit))
    return planned_apart(toy.problem(), "wormhole", Namespace(time_limit=LIMIT))


def test_plan_within_the_limit_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan(monkeypatch, lambda limit: {"status": "optimal", "cycles": 7}) == {
        "status": "optimal", "cycles": 7, "limit": LIMIT,
    }  # fmt: skip


def test_kernel_without_a_plan_is_tried_with_five_times_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def solver(limit: float) -> Plan:
        return {"status": "feasible", "cycles": 9} if limit > LIMIT else {"status": "no plan in time", "cycles": 0}

    assert plan(monkeypatch, solver) == {"status": "feasible", "cycles": 9, "limit": 5 * LIMIT}


def test_solver_that_overruns_its_limit_is_ended_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def solver(limit: float) -> Plan:
        time.sleep(0 if limit > LIMIT else 60)
        return {"status": "feasible", "cycles": 9}

    assert plan(monkeypatch, solver) == {"status": "feasible", "cycles": 9, "limit": 5 * LIMIT}


def test_two_failures_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def solver(limit: float) -> Plan:
        if limit > LIMIT:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"status": "no plan in time", "cycles": 0}

    result = plan(monkeypatch, solver)
    assert (result["status"], result["reason"]) == ("no plan in time", f"ended by signal {int(signal.SIGKILL)}")


def test_refusal_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def solver(limit: float) -> Plan:
        limits.append(limit)
        return {"status": "refused", "reason": "why"}

    assert plan(monkeypatch, solver) == {"status": "refused", "reason": "why", "limit": LIMIT}


def test_traceback_of_the_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def solver(limit: float) -> Plan:
        raise AssertionError("broken")

    result = plan(monkeypatch, solver)
    assert result["status"] == "traceback" and "AssertionError: broken" in result["reason"]
