"""Exact integer arithmetic of the cost model; every function takes ints or int64 arrays alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Int = Any
"""An int, or an int64 array when a whole family or option table is priced at once."""


def ceil_div(a: Int, b: Int) -> Int:
    """``ceil(a / b)`` for b > 0."""
    return -(-a // b)


def cycles_at(amount: Int, rate: Fraction) -> Int:
    """Whole cycles that ``amount`` (bytes) takes at ``rate`` (bytes per cycle), rounded up."""
    return ceil_div(amount * rate.denominator, rate.numerator)


def ceil_of(value: Fraction) -> int:
    """Smallest integer not below ``value``."""
    return -(-value.numerator // value.denominator)


def times(count: Int, cost: Fraction) -> Int:
    """``ceil(count * cost)`` for a cost of ``cost`` cycles each."""
    return ceil_div(count * cost.numerator, cost.denominator)


def round_up(amount: Int, alignment: int) -> Int:
    """``amount`` rounded up to a multiple of ``alignment``."""
    return ceil_div(amount, alignment) * alignment
