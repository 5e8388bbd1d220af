"""Fit the figures that no vendor document gives to the fit half of the matmul rows, by coordinate descent.

    python bench/fit_model.py wormhole

The objective is the mean over families (grid, element type, fidelity, configuration) of the mean |log(predicted /
measured)|, so that no family counts more for having more rows. Test rows are only looked at when the fit is done.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import gemm_prediction
from measurements import Row, load_rows

from cpplan.device.device import Device

Figures = dict[str, int]

STEPS: dict[str, Figures] = {
    "wormhole": {"launch 8x8": 100, "sub-block call": 10, "unpack rate": 1, "handshake": 20},
    "blackhole": {"launch 11x10": 100, "launch 13x10": 100, "sub-block call": 10, "handshake": 20},
}
"""Fitted figures per chip and their first step: cycles, or bytes per cycle for the unpack rate."""


def changed(device: Device, grid: str, figures: Mapping[str, int]) -> Device:
    """``device`` with ``figures`` in place of its own."""
    costs = {("matrix", "per_call"): "sub-block call", ("unpack", "bytes_single"): "unpack rate"}
    units = []
    for unit in device.units:
        own = dict(unit.costs)
        for (name, operation), figure in costs.items():
            if name == unit.name and figure in figures:
                own[operation] = Fraction(figures[figure])
        units.append(replace(unit, costs=tuple(own.items())))
    shared = device.multicast
    assert shared is not None
    return replace(
        device, units=tuple(units), launch_cycles=figures[f"launch {grid}"],
        multicast=replace(shared, handshake=figures["handshake"]),
    )  # fmt: skip


def loss(rows: list[Row], figures: Mapping[str, int]) -> float:
    """Mean over families of the mean |log error|."""
    errors = defaultdict(list)
    for row in rows:
        device = changed(gemm_prediction.device_of(row.grid), row.grid, figures)
        found = gemm_prediction.predict(row, device).cycles
        errors[row.grid, row.dtype, row.fidelity, row["config"]].append(abs(math.log(found / row.value)))
    return sum(sum(family) / len(family) for family in errors.values()) / len(errors)


def descend(start: Figures, steps: Figures, of: Callable[[Figures], float], rounds: int = 4) -> Figures:
    """Move one figure at a time as long as it helps; halve the steps each round."""
    best, figures = of(start), dict(start)
    for number in range(rounds):
        for name, step in steps.items():
            for move in (-2, -1, 1, 2):
                tried = {**figures, name: figures[name] + move * max(1, step >> number)}
                if tried[name] >= 0 and (value := of(tried)) < best:
                    best, figures = value, tried
        print(f"round {number + 1}: {100 * best:.2f} % {figures}", flush=True)
    return figures


def shipped(chip: str) -> Figures:
    """The figures as the shipped devices have them."""
    out = {}
    for name in STEPS[chip]:
        device = gemm_prediction.device_of(
            name.split()[-1] if name.startswith("launch") else {"wormhole": "8x8"}.get(chip, "11x10")
        )
        assert device.multicast is not None
        out[name] = {
            "sub-block call": int(device.unit("matrix").cost("per_call") or 0),
            "unpack rate": int(device.unit("unpack").cost("bytes_single") or 0),
            "handshake": device.multicast.handshake,
        }.get(name, device.launch_cycles)
    return out


def main() -> None:
    """Fit one chip from its shipped figures and print both halves' error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chip", choices=list(STEPS))
    chip = parser.parse_args().chip
    rows = [row for row in load_rows() if row.kernel == "matmul" and row.chip == chip]
    halves = {True: [r for r in rows if r.fits], False: [r for r in rows if not r.fits]}
    figures = descend(shipped(chip), STEPS[chip], partial(loss, halves[True]))
    errors = {name: round(100 * loss(halves[fit], figures), 2) for name, fit in (("fit", True), ("test", False))}
    print(json.dumps({"figures": figures, "mean error in percent": errors}, indent=2))


if __name__ == "__main__":
    main()
