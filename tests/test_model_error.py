"""The cost model against public measurements: no family is worse than recorded, and the goal is met where it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import gemm_prediction
import micro_patterns
from measurements import Row, load_rows
from model_error import Compared, by_family, compare, error_of, has_goal, meets_goal
from vendor_templates import Template, automatic, gemm, tuned, vendor_plan

from cpplan.cost.model import evaluate
from cpplan.plan.space import violations

BENCH = Path(__file__).parents[1] / "bench"
MARGIN = 1.0
"""Percentage points by which a family may exceed its recorded error: room for rounding, not for a worse model."""
RECORDED = json.loads((BENCH / "results" / "model_error.json").read_text())["families"]
MISSED = {
    "matmul wormhole 8x8 bf16 HiFi2 out of the box",
    "matmul wormhole 8x8 bfp8_b LoFi out of the box",
    "dram_write wormhole many cores random",
}
"""Families over the goal, told in docs/calibration.md."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(load_rows())


@pytest.fixture(scope="module")
def families(rows: list[Row]) -> dict[str, list[Compared]]:
    return by_family(found for row in rows if (found := compare(row)) is not None)


def test_every_family_is_recorded(families: dict[str, list[Compared]]) -> None:
    assert set(families) == set(RECORDED)


@pytest.mark.parametrize("family", RECORDED)
@pytest.mark.parametrize("half", ["test", "all"])
def test_no_family_is_worse_than_recorded(families: dict[str, list[Compared]], family: str, half: str) -> None:
    error = error_of(row for row in families[family] if half == "all" or not row.fits)
    if error is None:
        assert RECORDED[family][half] is None
        return
    assert error.rows == RECORDED[family][half]["rows"]
    assert error.mean <= RECORDED[family][half]["mean"] + MARGIN


def test_the_goal_is_met_except_where_the_documents_say_so(families: dict[str, list[Compared]]) -> None:
    missed = {name for name, found in families.items() if has_goal(name) and not meets_goal(found)}
    assert missed <= MISSED


def test_both_halves_exist_and_never_move(rows: list[Row]) -> None:
    halves = [row.fits for row in rows]
    assert 0.4 < sum(halves) / len(halves) < 0.6
    assert len({row.name for row in rows}) == len(rows)
    matmul = next(row for row in rows if row["M"] == "512" and row["K"] == "512")
    assert matmul.name.startswith("wormhole_n150|matmul|M=512;K=512;N=512;in0=DRAM")
    assert matmul.fits


def test_every_row_names_its_source(rows: list[Row]) -> None:
    assert all("/" in row.source for row in rows)


def test_vendor_templates_are_plans_of_our_space(rows: list[Row]) -> None:
    for row in (row for row in rows if row.kernel == "matmul"):
        device, size, grid = (
            gemm_prediction.device_of(row.grid),
            gemm_prediction.size_of(row),
            gemm_prediction.grid_of(row),
        )
        program, plan = vendor_plan(*size, grid, row.dtype, gemm_prediction.predict(row).template)
        assert violations(program, device, plan) == [], row.name


def test_templates_written_down_by_hand() -> None:
    """Block of one core from the vendor's published shapes: K over 8 columns, divided as its benchmark says."""
    device = gemm_prediction.device_of("8x8")
    assert tuned(2048, 2048, 2048, (8, 8), "bf16", device) == [Template("2d", 8, 8, 8)]
    assert tuned(3072, 3072, 3072, (8, 8), "bf16", device) == [Template("2d", 3, 12, 12)]
    assert tuned(3072, 3072, 3072, (8, 8), "bfp4_b", device) == [Template("2d", 12, 12, 12)]
    assert tuned(16384, 16384, 16384, (8, 8), "bf16", device) == [Template("2d", 16, 8, 8)]
    assert automatic(512, 1024, 2048, (8, 8), "bfp8_b", device) == Template("1d", 2, 16, 1)
    assert automatic(2048, 2048, 2048, (8, 8), "bf16", device) == Template("2d", 8, 8, 8)


def test_predictions_without_tensors_in_l1_are_the_makespan_without_the_last_drain() -> None:
    device = gemm_prediction.device_of("8x8")
    program, plan = vendor_plan(2048, 2048, 2048, (8, 8), "bf16", Template("2d", 8, 8, 8))
    cost = evaluate(program, device, plan)
    found = gemm_prediction.math_cycles(program, device, plan, frozenset())
    assert found == cost.makespan_cycles - cost.levels[0].serial_store
    assert gemm_prediction.math_cycles(program, device, plan, frozenset({"a", "c"})) <= found


def test_block_formats_cost_the_bytes_of_their_tiles() -> None:
    """bfp8: 1024 bytes of values and 64 shared exponents; bfp4 half the values."""
    block = (32, 32, 32)
    moved = {}
    for dtype in ("bf16", "bfp8_b", "bfp4_b"):
        program, plan = vendor_plan(512, 512, 512, (8, 8), dtype, Template("2d", 2, 2, 2))
        moved[dtype] = evaluate(
            program, gemm_prediction.with_fidelity(gemm_prediction.device_of("8x8"), dtype, "LoFi"), plan
        ).dram_bytes
        assert gemm(512, 512, 512, block, dtype).tensor("a").dtype == dtype
    assert {dtype: size // (3 * 256) for dtype, size in moved.items()} == {"bf16": 2048, "bfp8_b": 1088, "bfp4_b": 576}


@pytest.mark.parametrize(("dtype", "noc", "published"), [("read", 0, 200.3), ("read", 1, 78.2)])
def test_routes_explain_the_bandwidth_of_randomly_placed_cores(dtype: str, noc: int, published: float) -> None:
    """GB/s of 48 Wormhole cores on 12 channels (tt-isa-documentation, DRAMTile): links, not DRAM, are in the way."""
    params = (
        ("tensix", "48"),
        ("placement", "randomly_chosen"),
        ("channels", "12"),
        ("vc", "static"),
        ("noc", str(noc)),
    )
    row = Row("wormhole_b0", f"dram_{dtype}", params, "", "", "", published, "GB/s", "isa")
    found = micro_patterns.bandwidth(row)
    assert found is not None
    assert found == pytest.approx(published, rel=0.15)


@pytest.mark.slow
def test_our_optimum_never_loses_to_the_vendors_template(rows: list[Row]) -> None:
    for row in [r for r in rows if r.kernel == "matmul" and r["in0"] == r["out"] == "DRAM"][::16]:
        ours, theirs, status = gemm_prediction.optimum(row, 60)
        assert (status, ours <= theirs) == ("optimal", True), row.name
