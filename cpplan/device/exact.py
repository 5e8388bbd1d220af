"""Exact numbers as text: ``22.3`` or ``4096/49``, read to a Fraction and printed back without a float in between."""

from __future__ import annotations

from fractions import Fraction


def format_exact(value: Fraction) -> str:
    """Shortest exact text: an integer, a finite decimal, or else ``numerator/denominator``."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        digits = max(digits, power)
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    if digits == 0:
        return str(value.numerator)
    whole, fraction = divmod(abs(value.numerator) * 10**digits // value.denominator, 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{fraction:0{digits}d}"
