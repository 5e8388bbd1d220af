"""The measured rows in bench/data/measurements.csv: reading them, naming them, and the split into fit and test rows.

Every row is a public figure and names its source. A row belongs to the fit half or to the test half by a hash of what
was measured, so the halves never move when rows are added.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data" / "measurements.csv"


@dataclass(frozen=True)
class Row:
    """One measurement. ``params`` are the key=value pairs of the published case; ``value`` is in ``unit``."""

    device: str
    kernel: str
    params: tuple[tuple[str, str], ...]
    dtype: str
    fidelity: str
    grid: str
    value: float
    unit: str
    source: str

    def __getitem__(self, key: str) -> str:
        """The published parameter ``key`` ("" when the row does not have it)."""
        return dict(self.params).get(key, "")

    def number(self, key: str) -> int:
        """The published parameter ``key`` as an integer."""
        return int(self[key])

    @property
    def chip(self) -> str:
        """wormhole or blackhole."""
        return self.device.split("_")[0]

    @property
    def name(self) -> str:
        """What was measured, without the figure."""
        words = ";".join(f"{key}={value}" if value else key for key, value in self.params)
        return "|".join((self.device, self.kernel, words, self.dtype, self.fidelity, self.grid))

    @property
    def fits(self) -> bool:
        """Whether figures may be fitted on this row; the others only test them."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0


def load_rows(path: Path = DATA) -> Iterator[Row]:
    """All rows of a measurements file."""
    with path.open(newline="", encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            pairs = (pair.partition("=") for pair in line["params"].split(";"))
            yield Row(
                line["device"], line["kernel"], tuple((key, value) for key, _, value in pairs), line["dtype"],
                line["fidelity"], line["grid"], float(line["value"]), line["unit"], line["source"],
            )  # fmt: skip
