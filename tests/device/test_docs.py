"""The documentation of devices is true: its examples load, its tables name every field and every lint rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpplan.device.df import Df
from cpplan.device.lint import lint
from cpplan.device.operation import HIDDEN
from cpplan.device.spec import load_device

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "df-dialect.md").read_text()
EXAMPLES = dict(
    re.findall(r"<!-- example: (\S+) -->\n```mlir\n(.*?)```", (ROOT / "docs" / "add-a-device.md").read_text(), re.S)
)
FAULTY = ROOT / "tests" / "device" / "faulty"


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_examples_are_clean_devices(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(EXAMPLES[name])
    assert lint(str(path)) == []
    assert load_device(str(path)).name == path.stem


def test_every_operation_and_field_is_described() -> None:
    for operation in Df.operations:
        assert operation.name in REFERENCE
        for field in operation.get_irdl_definition().properties:
            assert field in HIDDEN or f"`{field}`" in REFERENCE, f"{operation.name} {field}"


def test_every_rule_is_described() -> None:
    source = "".join(path.read_text() for path in (ROOT / "cpplan" / "device").glob("*.py"))
    rules = set(re.findall(r'found\(\w+(?:\.child\(\w+\))?, [^,]+, "([a-z-]+)"', source))
    rules |= {"syntax", "structure", "dram-map", "ring-wrap", "receivers", "unreachable"}
    assert len(rules) > 12
    assert all(f"`{rule}`" in REFERENCE for rule in rules)


def test_the_recorded_lint_session_is_current() -> None:
    (finding,) = lint(str(FAULTY / "paper_dram_map.mlir"))
    assert str(finding).rpartition("/")[2] in REFERENCE
