"""Which block shapes a kernel takes: what it asserts of them, which branches it is compiled along, what it refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpplan.frontend.conditions import Condition, Key
from cpplan.frontend.fitted import Fitted
from cpplan.frontend.forms import Form, Integers, matching_forms
from cpplan.frontend.samples import Refused, Sample

Verdict = tuple[str, NDArray[np.bool_]]
"""Why rows are left out, and which ones stay."""


def verdicts(fitted: Fitted, refused: Sequence[Refused], table: Integers) -> Iterator[Verdict]:
    """A verdict on the rows of ``table`` per condition that the samples decided alike, and per refusal without one."""
    explained: set[tuple[int, ...]] = set()
    for condition in _deciding(fitted, refused):
        values = _values(condition, fitted, refused)
        if values is None:
            continue
        outcome = True if condition.asserted else condition.outcome
        what = "static_assert" if condition.asserted else "if" if outcome else "if not"
        explained |= {item.values for item in refused if _fails(item, condition)}
        yield f"{condition.place}: {what} {condition.text}", _asked(condition, values, table) == outcome
    for item in refused:
        if item.values not in explained:
            yield str(item.error), _on_this_side(np.array(item.values), fitted.points, table)


def _deciding(fitted: Fitted, refused: Sequence[Refused]) -> Iterator[Condition]:
    """Conditions about integers that vary with the block shape, and that all samples decided alike."""
    taken = [*(sample.conditions for sample in fitted.samples), *(item.conditions for item in refused)]
    first: dict[Key, Condition] = {}
    varying: set[Key] = set()
    split: set[Key] = set()
    for count, conditions in enumerate(taken):
        for condition in conditions:
            known = first.setdefault(condition.key, condition)
            if known.names != condition.names:
                varying.add(condition.key)
            if known.outcome != condition.outcome and count < len(fitted.samples):
                split.add(condition.key)
    for key, condition in first.items():
        if key in varying and (condition.asserted or key not in split):
            yield condition


def _fails(item: Refused, condition: Condition) -> bool:
    """Whether ``condition`` is the assertion at which the kernel refused."""
    last = item.conditions[-1] if item.conditions else None
    return last is not None and last.key == condition.key and last.asserted and not last.outcome


def _values(condition: Condition, fitted: Fitted, refused: Sequence[Refused]) -> Mapping[str, Form | Any] | None:
    """Per name of a condition its closed form, or its value where that never changes; None when one has neither."""
    points, seen = [], []
    taken: list[Sample | Refused] = [*fitted.samples, *refused]
    for item in taken:
        found = next((c for c in item.conditions if c.key == condition.key), None)
        if found is not None:
            points.append(item.values)
            seen.append(found.names)
    known: dict[str, Form | Any] = {}
    for name, value in condition.names.items():
        column = [names[name] for names in seen]
        if all(other == value for other in column):
            known[name] = value
        elif all(isinstance(other, int) for other in column):
            forms = matching_forms(np.array(column, dtype=np.int64), np.array(points, dtype=np.int64), fitted.sizes)
            if not forms:
                return None
            known[name] = forms[0]
        else:
            return None
    return known


def _asked(condition: Condition, values: Mapping[str, Form | Any], table: Integers) -> NDArray[np.bool_]:
    """Outcome of a condition for every row; it is evaluated once for all rows that give its names the same values."""
    forms = {name: form for name, form in values.items() if isinstance(form, Form)}
    columns = np.stack([form.at(table) for form in forms.values()], axis=1)
    distinct, row = np.unique(columns, axis=0, return_inverse=True)
    code = condition.code
    answers = [condition.asked({**values, **dict(zip(forms, item, strict=True))}, code) for item in distinct.tolist()]
    return np.array(answers, dtype=bool)[row.ravel()]


def _on_this_side(point: Integers, accepted: Integers, table: Integers) -> NDArray[np.bool_]:
    """Rows that are no further than what was accepted in the directions in which ``point`` was refused, for a reason
    that no condition explains."""
    low, high = accepted.min(axis=0), accepted.max(axis=0)
    inside = ((table >= low) | (point >= low)) & ((table <= high) | (point <= high))
    beyond = bool(((point < low) | (point > high)).any())
    keep: NDArray[np.bool_] = inside.all(axis=1)
    return keep if beyond else keep & ~(table == point).all(axis=1)
