"""Emitted programs under the vendor's own runtime and a simulator of its instructions (bench/vendor_setup.sh)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from cpplan.device.spec import load_device

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import vendor_checks  # noqa: E402
from vendor.cases import CASES, DAMAGES, EXECUTED, HANDED_OVER, IN_TT_LANG, NOTICED, REFUSED, Case  # noqa: E402
from vendor.chips import CHIPS  # noqa: E402
from vendor_checks import LEAST_CORRELATION, absent, checked  # noqa: E402

SAVED = BENCH / "results" / "vendor_checks.json"


@pytest.fixture(scope="session")
def home() -> Path:
    """The folder that vendor_setup.sh made, named by CPPLAN_VENDOR."""
    if "CPPLAN_VENDOR" not in os.environ:
        pytest.skip("the vendor's software is not set up: bench/vendor_setup.sh FOLDER, then CPPLAN_VENDOR=FOLDER")
    return Path(os.environ["CPPLAN_VENDOR"]).resolve()


def ready(case: Case, home: Path) -> Case:
    """``case``, if what it takes is there."""
    if missing := absent(home, {case.level}):
        pytest.skip(f"the set-up of the vendor's software is incomplete: {'; '.join(missing)}")
    return case


def label(case: Case) -> str:
    words = case.name.replace(",", "").split()
    return "-".join([case.device, *words, *([case.damage] if case.damage else [])])


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("case", HANDED_OVER, ids=label)
def test_the_vendors_runtime_accepts_and_compiles(case: Case, home: Path) -> None:
    row = checked(ready(case, home), home)
    assert row["accepted"], row["error"]


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED, ids=label)
def test_the_vendors_runtime_refuses_damaged_programs(case: Case, home: Path) -> None:
    """Without these, acceptance would say nothing."""
    row = checked(ready(case, home), home)
    assert not row["accepted"]
    assert row["as_expected"], row["error"]


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("case", EXECUTED, ids=label)
def test_the_simulated_chip_computes_the_product(case: Case, home: Path) -> None:
    row = checked(ready(case, home), home)
    assert row["accepted"], row["error"]
    assert row["pcc"] >= LEAST_CORRELATION


@pytest.mark.vendor
@pytest.mark.slow
def test_firmware_for_another_grid_is_refused(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With it, kernels would find DRAM banks at wrong addresses and nothing would say so."""
    case, other = (ready(next(c for c in EXECUTED if c.device == name), home) for name in ("wormhole", "blackhole"))
    foreign = vendor_checks.firmware(home, tmp_path, other.device, Path(vendor_checks.emitted(other.emit()).name))
    monkeypatch.setattr(vendor_checks, "firmware", lambda *_: foreign)
    row = checked(case, home)
    assert not row["accepted"]
    assert "dram_bank_to_noc_xy of the firmware has 8 banks, the runtime fills it with 12" in row["error"]


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("case", IN_TT_LANG, ids=label)
def test_plans_in_tt_lang_compute_and_move_what_they_should(case: Case, home: Path) -> None:
    """The simulator counts tiles; the plan's figures are those of the cost model."""
    row = checked(ready(case, home), home)
    assert row["accepted"], row["error"]
    assert row["largest_error"] <= row["tolerance"]
    assert row["differences"] == []


@pytest.mark.vendor
@pytest.mark.slow
@pytest.mark.parametrize("case", NOTICED, ids=label)
def test_damaged_schedules_are_noticed_in_tt_lang(case: Case, home: Path) -> None:
    row = checked(ready(case, home), home)
    assert not row["accepted"] or not row["equal"] or row["differences"]


def test_saved_results_are_of_these_cases_and_as_expected() -> None:
    """The bench may have been interrupted: rows can be missing, none can be another's."""
    rows = json.loads(SAVED.read_text())["rows"]
    commands = {(c.level, c.name, c.device, c.damage): "cpplan " + " ".join(c.emit()) for c in CASES}
    assert rows
    for row in rows:
        assert row["command"] == commands[row["level"], row["name"], row["device"], row["damage"]]
        assert row["as_expected"], row


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_a_multicast_gemm_on_sixteen_cores_of_each_chip_is_right_at_instruction_level(device: str) -> None:
    rows = json.loads(SAVED.read_text())["rows"]
    (row,) = (r for r in rows if (r["level"], r["name"], r["device"]) == (5, "gemm 4x4", device))
    assert "--pin a_ptr.broadcast=row --pin b_ptr.broadcast=column" in row["command"]
    assert row["pcc"] >= LEAST_CORRELATION


@pytest.mark.parametrize("device", CHIPS)
def test_the_runtime_finds_as_many_cores_as_the_device_spec(device: str) -> None:
    """Saved is what the runtime said of its device."""
    rows = json.loads(SAVED.read_text())["rows"]
    extents = {dim.name: dim.extent for dim in load_device(device).dims}
    found = {row["grid"] for row in rows if row["device"] == device and row["level"] == 3}
    assert found == {f"{extents['x']}x{extents['y']}"}


def test_every_damage_is_shown_to_both_chips() -> None:
    shown = {(CHIPS[case.device].arch, case.damage) for case in REFUSED}
    assert shown == {(chip.arch, damage) for chip in CHIPS.values() for damage in DAMAGES}
