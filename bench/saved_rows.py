"""Rows of a bench that is saved after every row and goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class SavedRows:
    """The rows in ``path``; ``key`` names the fields that tell rows apart. ``fresh`` forgets what is there."""

    def __init__(self, path: Path, key: Sequence[str], fresh: bool = False) -> None:
        self.path, self.key = path, tuple(key)
        old = json.loads(path.read_text())["rows"] if path.exists() and not fresh else []
        self.rows: dict[tuple[str, ...], Row] = {self._key(row): row for row in old}

    def _key(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(json.dumps(row[field]) for field in self.key)

    def get(self, **fields: Any) -> Row | None:
        """The row with these key fields, if it is there."""
        return self.rows.get(self._key(fields))

    def add(self, row: Row) -> Row:
        """Add a row and save all of them."""
        self.rows[self._key(row)] = row
        self.save({})
        return row

    def save(self, summary: Mapping[str, Any]) -> None:
        """Write the file, ``summary`` first; all of it or nothing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps({**summary, "rows": list(self.rows.values())}, indent=1) + "\n")
        os.replace(temporary, self.path)
