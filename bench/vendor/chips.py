"""Descriptions of chips for the vendor's driver, which then opens a device without hardware.

A row or column of cores that is switched off is a bit of the mask. With fast dispatch a Wormhole n150 leaves 8x8 cores
to programs and a Blackhole p150 as many as the spec of the same name; with slow dispatch there is one more line.
"""

from __future__ import annotations

from dataclasses import dataclass

TEXT = """\
arch:
  0: {arch}
chips:
  0:
    - 0
    - 0
    - 0
    - 0
ethernet_connections:
  []
chips_with_mmio:
  - 0: 0
harvesting:
  0:
    noc_translation: true
    harvest_mask: {mask}
{more}boards:
  -
    - board_id: {board}
    - board_type: {kind}
    - chips:
        - 0
"""
BLACKHOLE = """\
    dram_harvesting_mask: 0
    eth_harvesting_mask: 288
    pcie_harvesting_mask: 2
    l2cpu_harvesting_mask: 0
"""


@dataclass(frozen=True)
class Chip:
    """A board: names for the driver, mask of switched-off rows (Wormhole) or columns (Blackhole), board number."""

    arch: str
    kind: str
    mask: int
    board: int

    @property
    def simulator(self) -> str:
        """The simulator's folder for this chip."""
        return self.arch.removesuffix("_b0")

    def text(self) -> str:
        """The description in the driver's YAML; one value a line, since the simulator reads no other."""
        more = BLACKHOLE if self.arch == "blackhole" else ""
        return TEXT.format(arch=self.arch, mask=self.mask, more=more, board=self.board, kind=self.kind)


CHIPS = {
    "wormhole": Chip("wormhole_b0", "n150", 32, 72059269369839682),
    "blackhole": Chip("blackhole", "p150", 1, 4476187513037),
    "blackhole_13x10": Chip("blackhole", "p150", 0, 4476187513037),
}
"""By name of the device spec whose array has as many cores."""
