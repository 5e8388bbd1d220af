"""What leaves plans out before they are looked at only saves time: without any one of it the answer is the same.

Every pruning of docs/encoding.md, section 4, is switched off in turn; brute force says what the answer is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from instances import random_device, random_program, varying_program, with_reduction
from test_solver_equals_oracle import assert_same_answer

from cpplan.cost import table
from cpplan.encode import branch_and_bound, columns, model, prune, refine, scouting, sites, stacked
from cpplan.encode.blocks import INFINITE, block_bounds
from cpplan.encode.bounds import lane_bounds, lane_ops
from cpplan.encode.lanes import spread_lanes
from cpplan.encode.orders import column_bounds, refined_bounds
from cpplan.enumerate.oracle import count
from cpplan.tile.program import TileProgram

MOST = 2_000
"""Plans that brute force scores per instance."""


def no_bounds(bounds: Callable[..., Any]) -> Callable[..., Any]:
    """Bounds that say nothing but what cannot be at all."""
    return lambda *given: np.where(bounds(*given) < INFINITE, 0, INFINITE)


def no_mapping_bounds(*given: Any) -> tuple[Any, list[Any]]:
    """No mapping has a bound, and none is decided."""
    bounds, _ = refined_bounds(*given)
    return np.where(bounds < INFINITE, 0, INFINITE), []


def all_of_them(device: Any, found: Any, *rest: Any) -> list[tuple[Any, float]]:
    """Every cohort is left open."""
    return [(cohort.columns, bound) for bound, cohort in found]


def every_spread(facts: Any, table: Any, blocks: Any, cycles: int) -> Any:
    """All spreads, however few cores they have."""
    lanes, spread = spread_lanes(facts, table, blocks)
    return lanes, spread, len(lanes)


def every_order(facts: Any, device: Any, lanes: Any, limit: Any, widest: Any = None) -> Any:
    """All wave orders, whatever their bounds."""
    for found in column_bounds(facts, device, lanes, None, widest):
        yield type(found)(found.lane, found.order, 0 * found.bound)


def unpriced_options(device: Any, column: Any) -> prune.OptionBounds:
    """No option of a column costs anything."""
    return prune.OptionBounds(0, tuple(np.zeros(len(rows.places), dtype=np.int64) for rows in column.rows))


def every_resource(matrix: Any) -> Any:
    """No link stands for another."""
    return np.arange(matrix.shape[1])


def shared_program(r: Random) -> TileProgram:
    """A program with a loop that cores may share, if it has a loop."""
    return with_reduction(r, random_program(r))


PRUNINGS: dict[str, list[tuple[Any, str, Any]]] = {
    "nothing": [],
    "block shapes": [(columns, "block_bounds", no_bounds(block_bounds))],
    "cores per axis": [
        (columns, "lane_bounds", no_bounds(lane_bounds)),
        (columns, "lane_ops", no_bounds(lane_ops)),
        (columns, "spread_lanes_within", every_spread),
    ],
    "cores in all": [(columns, "spread_lanes_within", every_spread)],
    "a first guess": [(columns, "_guessed_columns", lambda search, family, blocks, bounds: None)],
    "few columns": [(columns, "_small_columns", lambda search, sets: None)],
    "wave orders": [(columns, "column_bounds", every_order)],
    "spreads by weights": [(refine, "widest_bounds", lambda *given: given[4])],
    "mappings": [(refine, "refined_bounds", no_mapping_bounds)],
    "shared weights": [(stacked.SharedWeights, "raised", lambda self, device, parts, bound, limit: (bound, parts))],
    "listed nodes": [(branch_and_bound, "fastest", lambda *given: None)],
    "scouting": [(columns, "scout", lambda search, sets: None)],
    "branch and bound": [(refine, "decide", all_of_them)],
    "options": [(prune, "option_bounds", unpriced_options)],
    "additive bounds": [(prune, "additive_bound", lambda device, column: None)],
    "alternatives": [(sites, "alternatives", lambda device, column, additive, limit: None)],
    "dominated links": [(table, "undominated_columns", every_resource), (model, "undominated_columns", every_resource)],
}


@pytest.fixture(autouse=True)
def _fresh_links() -> Iterator[None]:
    """Which links count is kept from one column to the next; not from one test to another."""
    table._kept_resources.cache_clear()
    yield
    table._kept_resources.cache_clear()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("draw", [shared_program, varying_program], ids=["shared loops", "varying loops"])
@pytest.mark.parametrize("off", PRUNINGS)
def test_the_answer_is_the_same(off: str, draw: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "LISTED", 0)  # small columns take part in everything
    for name in ("WORTH", "DESCENDED", "FOLLOWED"):
        monkeypatch.setattr(scouting, name, 1)
    for owner, name, replacement in PRUNINGS[off]:
        monkeypatch.setattr(owner, name, replacement)
    for attempt in range(100):
        r = Random(1_000 * seed + attempt)
        device, program = random_device(r), draw(r)
        if 0 < count([program], device, MOST) <= MOST:
            assert_same_answer(device, [program], 4)
            break
    else:
        raise AssertionError("nothing small enough was drawn")
