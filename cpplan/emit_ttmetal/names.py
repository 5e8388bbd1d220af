"""Names of a plan as C++ identifiers."""

from __future__ import annotations

import re

KEYWORDS = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class concept const constexpr continue default delete do
    double else enum explicit export extern false float for friend goto if inline int long mutable namespace new not
    operator or private protected public register requires return short signed sizeof static struct switch template this
    throw true try typedef typename union unsigned using virtual void volatile wchar_t while xor
    """.split()  # noqa: SIM905
)


def identifier(name: str) -> str:
    """``name`` with everything else than letters and digits as underscores; ``wave.m.n`` becomes ``wave_m_n``."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if plain in KEYWORDS or plain[:1].isdigit() or not plain else plain
