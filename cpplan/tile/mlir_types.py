"""Spellings shared by the MLIR printer and parser of tile programs."""

from __future__ import annotations

import json
import math
import re

from cpplan.errors import InputError
from cpplan.tile.program import Affine, Bounds, Profile

ELEMENT_OF = {
    "fp64": "f64", "fp32": "f32", "bf16": "bf16", "fp16": "f16", "fp8e4": "f8E4M3FN", "fp8e5": "f8E5M2", "int64": "i64",
    "int32": "i32", "int16": "i16", "int8": "i8", "uint32": "ui32", "uint16": "ui16", "uint8": "ui8", "bool": "i1",
}  # fmt: skip
DTYPE_OF = {element: dtype for dtype, element in ELEMENT_OF.items()}

_TENSOR = re.compile(r"tensor<((?:\d+x)*)(.+)>", re.DOTALL)
_BOUNDS = re.compile(r"(?:(.+) <= )?index(?: < (.+))?")
_PROFILE = re.compile(r"min\((\d+), max\((\d+), \((-?\d+) \* (\S+) \+ (-?\d+)\) ceildiv (\d+)\)\)")
_TERM = re.compile(r"(-?\d+) \* (\S+)|(-?\d+)")


def tensor_text(shape: tuple[int, ...], dtype: str) -> str:
    """``tensor<64x32xbf16>``; scalars are ``tensor<f32>``."""
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{ELEMENT_OF.get(dtype, dtype)}>"


def tensor_parts(text: str) -> tuple[tuple[int, ...], str]:
    """Shape and dtype of a tensor type."""
    match = _TENSOR.fullmatch(text.strip())
    if match is None:
        raise InputError(f"tile program: {text!r} is not a tensor type")
    return tuple(int(n) for n in match.group(1).split("x") if n), DTYPE_OF.get(match.group(2), match.group(2))


def affine_text(form: Affine) -> str:
    """``64 * pid_m + 32 * k + 5``; zero is ``0``."""
    parts = [f"{coefficient} * {name}" for name, coefficient in form.terms]
    return " + ".join([*parts, *([str(form.const)] if form.const or not parts else [])])


def affine_of(text: str) -> Affine:
    """Inverse of :func:`affine_text`."""
    const, terms = 0, []
    for part in text.split(" + "):
        match = _TERM.fullmatch(part.strip())
        if match is None:
            raise InputError(f"tile program: {text!r} is not an affine expression")
        if match.group(2):
            terms.append((match.group(2), int(match.group(1))))
        else:
            const = int(match.group(3))
    return Affine(const, tuple(terms))


def bounds_text(bounds: Bounds) -> str:
    """``32 * k <= index < 1000, 64 * pid_m + 64``: no less than any on the left, below all on the right."""
    begins, ends = (", ".join(map(affine_text, part)) for part in (bounds.begins, bounds.ends))
    return (f"{begins} <= " if begins else "") + "index" + (f" < {ends}" if ends else "")


def bounds_of(text: str) -> Bounds:
    """Inverse of :func:`bounds_text`."""
    match = _BOUNDS.fullmatch(text)
    if match is None:
        raise InputError(f"tile program: {text!r} does not say where an index begins and ends")
    begins, ends = (tuple(affine_of(item) for item in part.split(", ")) if part else () for part in match.groups())
    return Bounds(begins, ends)


def profile_text(profile: Profile) -> str:
    """``min(62, max(0, (128 * block + 0) ceildiv 64))``: trips by block of a dim."""
    line = f"{profile.slope} * {profile.dim} + {profile.offset}"
    return f"min({profile.high}, max({profile.low}, ({line}) ceildiv {profile.divisor}))"


def profile_of(text: str) -> Profile:
    """Inverse of :func:`profile_text`."""
    match = _PROFILE.fullmatch(text)
    if match is None:
        raise InputError(f"tile program: {text!r} does not give trips by block")
    high, low, slope, dim, offset, divisor = match.groups()
    return Profile(dim, int(slope), int(offset), int(divisor), int(low), int(high))


def fill_of(value: object) -> float | None:
    """The fill of a load; NaNs are one object, so that programs with them compare equal."""
    fill = None if value is None else float(str(value))
    return math.nan if fill is not None and math.isnan(fill) else fill


def attributes_text(pairs: list[tuple[str, object]]) -> str:
    """``{key = 1, other = "text"}``; keys are quoted where MLIR's bare identifiers do not allow them."""
    inside = ", ".join(f"{_key(key)} = {json.dumps(value)}" for key, value in pairs)
    return f"{{{inside}}}"


def attributes_of(text: str) -> list[tuple[str, object]]:
    """Inverse of :func:`attributes_text`."""
    decoder, pairs, at = json.JSONDecoder(), [], 1
    while at < len(text) and text[at] != "}":
        match = re.compile(r'\s*,?\s*("(?:[^"\\]|\\.)*"|[\w.$]+) = ').match(text, at)
        if match is None:
            raise InputError(f"tile program: cannot read attributes {text!r}")
        value, at = decoder.raw_decode(text, match.end())
        pairs.append((json.loads(match.group(1)) if match.group(1).startswith('"') else match.group(1), value))
    return pairs


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z_][\w$.]*", key) else json.dumps(key)
