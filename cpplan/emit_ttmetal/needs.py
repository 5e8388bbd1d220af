"""What is found missing while a kernel is written."""

from __future__ import annotations

from cpplan.emit_ttmetal.places import Home


class NeedHome(Exception):
    """``value`` must lie in a buffer of its own, as ``home`` says."""

    def __init__(self, value: str, home: Home) -> None:
        super().__init__(value, home)
        self.value, self.home = value, home


class Unavailable(Exception):
    """A value is neither in a buffer nor computed by an op."""
