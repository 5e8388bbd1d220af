"""Math fidelity: how many passes of the matrix unit a product takes, so that bits of its factors are not lost.

A multiplier of the matrix unit is narrower than most factors, so a product takes as many passes as the wider of both
needs. The vendor compiles a kernel for one fidelity, which all of its products share.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from cpplan.device.device import Device
from cpplan.tile.program import Op


def math_fidelity(ops: Iterable[Op], device: Device) -> str | None:
    """The finest fidelity that the device's spec gives to a factor of a product among ``ops``; None without products.

    Finer is what takes more cycles per multiply-accumulate.
    """
    factors = {dtype for op in ops if op.kind == "dot" for dtype in op.operand_dtypes[:2]}
    named = [fidelity for dtype, fidelity in device.fidelity if dtype in factors]
    return max(named, key=lambda fidelity: mac_cycles(fidelity, device), default=None)


def mac_cycles(fidelity: str | None, device: Device) -> Fraction:
    """Cycles of one multiply-accumulate of the matrix unit's tiles; 1 where the spec gives none."""
    return device.unit("matrix").cost(f"mac.{fidelity}") or Fraction(1)
