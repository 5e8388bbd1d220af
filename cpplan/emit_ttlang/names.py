"""Names of a schedule as Python identifiers, no two of them alike."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field

COORDINATES = ("x", "y", "z", "w")
"""What the position of a node along each axis of the grid is called."""

_TAKEN = frozenset({*keyword.kwlist, *keyword.softkwlist, *COORDINATES})
_OF_THE_FILE = frozenset(
    "ttl ttnn torch range min max len float blk pipe send receive row column noc0 noc1 compute exchange_states".split()  # noqa: SIM905
)


@dataclass
class Names:
    """Identifiers given so far. Tensors, indices, accesses and values of the body have name spaces of their own."""

    taken: set[str] = field(default_factory=lambda: set(_TAKEN | _OF_THE_FILE))
    given: dict[tuple[str, str], str] = field(default_factory=dict)

    def tensor(self, layout: str) -> str:
        """The parameter for a tensor in one layout."""
        return self._of("tensor", layout, "{}")

    def index(self, symbol: str) -> str:
        """A parallel dim, a loop, a counter of waves, or a digit of the node."""
        return self._of("index", symbol, "{}")

    def buffer(self, access: str) -> str:
        """The dataflow buffer (or list of them) of an access."""
        return self._of("buffer", access, "{}_dfb")

    def block(self, access: str) -> str:
        """What the compute thread holds of a load."""
        return self._of("block", access, "{}_blk")

    def unread(self, access: str) -> str:
        """The sum of the blocks of a load that a node may have no use for."""
        return self._of("unread", access, "{}_unread")

    def net(self, access: str) -> str:
        """The pipes of a shared load."""
        return self._of("net", access, "{}_net")

    def mover(self, access: str, kind: str) -> str:
        """The function that moves one block."""
        return self._of("mover", access, f"{kind}_{{}}")

    def value(self, name: str) -> str:
        """A value of the kernel's body."""
        return self._of("value", name, "{}")

    def _of(self, kind: str, name: str, form: str) -> str:
        if (kind, name) not in self.given:
            self.given[kind, name] = self._unused(form.format(re.sub(r"\W", "_", name)))
        return self.given[kind, name]

    def _unused(self, wanted: str) -> str:
        wanted = f"n{wanted}" if wanted[:1].isdigit() else wanted
        found, number = wanted, 1
        while found in self.taken:
            number += 1
            found = f"{wanted}_v{number}"
        self.taken.add(found)
        return found
