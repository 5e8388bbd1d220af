"""The page that describes plan.json names every field of the schema, and no field that is not there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import msgspec

from cpplan.plan import schema

PAGE = Path(__file__).parents[2] / "docs" / "plan-schema.md"


def schema_fields() -> set[str]:
    records = (item for _, item in inspect.getmembers(schema, inspect.isclass) if item.__module__ == schema.__name__)
    return {field.name for record in records for field in msgspec.structs.fields(record)}


def documented_fields() -> set[str]:
    """Field names in the first column of the tables and in the paragraph about levels."""
    text = PAGE.read_text()
    rows = re.findall(r"^\| (`[^|]+) \|", text, flags=re.MULTILINE)
    levels = text[text.index("`levels[]` holds") :].removeprefix("`levels[]` holds").partition("\n\n")[0]
    names = re.findall(r"`([A-Za-z_\[\].]+)`", " ".join([*rows, levels]))
    return {name.rpartition(".")[2] for name in names}


def test_every_field_is_described() -> None:
    nested = {"dim", "factor", "extent", "dtype", "shape", "strides", "bytes", "path", "status", "bound_cycles"}
    assert schema_fields() - documented_fields() <= nested
    assert all(f"`{name}`" in PAGE.read_text() for name in nested)


def test_no_field_is_invented() -> None:
    assert documented_fields() <= schema_fields()
