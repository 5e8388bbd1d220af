"""Exact integer arithmetic of the cost model; every function takes ints or int64 arrays alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

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


def floor_sum(count: Int, divisor: Int, slope: Int, offset: Int) -> Int:
    """``sum(floor((slope * i + offset) / divisor) for i in range(count))`` for slope >= 0.

    Counts the lattice points under a line as Euclid's algorithm would: quotients are summed in closed form, and the
    remainders ask the same question with slope and divisor exchanged.
    """
    numbers = (np.asarray(n, dtype=np.int64) for n in (count, divisor, slope, offset))
    count, divisor, slope, offset = np.broadcast_arrays(*numbers)
    total = np.zeros_like(count)
    while count.any():
        total = total + count * (count - 1) // 2 * (slope // divisor) + count * (offset // divisor)
        slope, offset = slope % divisor, offset % divisor
        top = slope * count + offset
        count, offset = top // divisor, top % divisor
        divisor, slope = np.where(count > 0, slope, 1), np.where(count > 0, divisor, 0)
    return total
