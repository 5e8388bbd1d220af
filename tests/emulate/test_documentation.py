"""docs/emulation.md lists exactly the kinds of fault that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTERNAL = {"internal"}  # a fault of the emulation itself becomes InternalError
FROM_PYTHON = {"time"}


def test_the_page_lists_every_kind() -> None:
    sources = "".join(p.read_text() for p in (ROOT / "cpplan" / "emulate" / "device" / "machine").glob("*.cpp"))
    kinds = set(re.findall(r'fail(?:_plain)?\(\s*"([a-z]+)"', sources)) - INTERNAL | FROM_PYTHON
    page = (ROOT / "docs" / "emulation.md").read_text()
    assert sorted(re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE)) == sorted(kinds)
