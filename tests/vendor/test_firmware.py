"""The firmware that stands for one of the vendor's own has to be made for the chip that runs it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from vendor.compiler import banks_found, banks_wanted, wrong_banks

FLAGS = ("-DFW_BUILD", "-DNUM_DRAM_BANKS=12", "-DNUM_L1_BANKS=64", "-Ihw/inc")
SYMBOLS = """\
ffb00040 00000030 B dram_bank_to_noc_xy
ffb00070 {size:08x} B l1_bank_to_noc_xy
ffb00190 00000030 B bank_to_dram_offset
00005e20 A __fw_export_text_end
"""


def test_firmware_for_as_many_banks_is_taken() -> None:
    assert wrong_banks(banks_wanted(FLAGS), banks_found(SYMBOLS.format(size=64 * 4))) == []


def test_firmware_for_another_grid_is_refused() -> None:
    """Its table of DRAM offsets lies behind that of SRAM banks: half of the DRAM banks would be read at offset 0."""
    (problem,) = wrong_banks(banks_wanted(FLAGS), banks_found(SYMBOLS.format(size=72 * 4)))
    assert problem == "l1_bank_to_noc_xy of the firmware has 72 banks, the runtime fills it with 64"


def test_firmware_of_processors_without_tables_says_nothing() -> None:
    assert wrong_banks(banks_wanted(FLAGS), banks_found("00005e20 A __fw_export_text_end\n")) == []
