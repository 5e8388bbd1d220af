"""The ranking of plans as linear rows: what makes the model ask for a plan that beats the k-th incumbent.

A plan ranks before another in one of several *cases*: it has fewer cycles; or no more cycles, and less DRAM traffic;
and so on through NoC traffic, SRAM and place in the fixed order.

The place of a plan in the fixed order is a tuple of digits: its column, then its row per access. Neighbouring digits
are packed into numbers that stay far below 64 bits, however many accesses there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from cpplan.encode.incumbent import Incumbent, Site
from cpplan.plan.symmetry import order_key

PACKED = 1 << 40
"""Span of one packed number."""
Term = tuple[cp_model.IntVar, int]


@dataclass(frozen=True)
class Figure:
    """A figure that ranks plans: ``unit * expression``."""

    expression: cp_model.LinearExprT
    unit: int


def traffic_figure(terms: Sequence[Term]) -> Figure:
    """The sum of ``terms``, each over their greatest common divisor."""
    unit = math.gcd(*(value for _, value in terms)) if terms else 1
    return Figure(_sum([(literal, value // unit) for literal, value in terms]), unit)


def place_figures(
    sites: Sequence[Site], column: Sequence[cp_model.IntVar], option: Sequence[Sequence[Sequence[cp_model.IntVar]]]
) -> list[Figure]:
    """The place in the fixed order as packed numbers, most significant first."""
    terms: list[list[Term]] = [[(column[c], turn) for turn, c in enumerate(_in_order(sites)) if turn]]
    for access in range(len(_digit_sizes(sites)) - 1):
        terms.append([(y, i) for rows in option if access < len(rows) for i, y in enumerate(rows[access]) if i])
    return [
        Figure(_sum([(y, value * stride) for digit, stride in part for y, value in terms[digit]]), 1)
        for part in _packing(sites)
    ]


def place_values(sites: Sequence[Site], plan: Incumbent) -> list[int]:
    """What :func:`place_figures` take for ``plan``; for a plan outside the model, for the next plan inside."""
    digits = _digits(sites, plan)
    return [sum(digits[digit] * stride for digit, stride in part) for part in _packing(sites)]


def cases(sites: Sequence[Site]) -> int:
    """Number of cases: the four figures of a key, and the packed numbers of the place."""
    return 4 + len(_packing(sites))


def beat(model: cp_model.CpModel, ranked: Sequence[Figure], values: Sequence[int], case: int) -> None:
    """Require the first ``case`` figures to be at most their values, and the next one to be less and least."""
    for figure, value in zip(ranked[:case], values[:case], strict=True):
        model.add(figure.expression <= value // figure.unit)
    model.add(ranked[case].expression <= (values[case] - 1) // ranked[case].unit)
    model.minimize(ranked[case].expression)


def beat_in_any_case(model: cp_model.CpModel, ranked: Sequence[Figure], values: Sequence[int]) -> None:
    """Require some figure to be less than its value, and all before it to be at most theirs."""
    less = [model.new_bool_var("") for _ in ranked]
    kept = [model.new_bool_var("") for _ in ranked]
    for figure, value, here, most in zip(ranked, values, less, kept, strict=True):
        model.add(figure.expression <= (value - 1) // figure.unit).only_enforce_if(here)
        model.add(figure.expression <= value // figure.unit).only_enforce_if(most)
    for number, here in enumerate(less):
        if number:
            model.add_bool_and(kept[:number]).only_enforce_if(here)
    model.add_bool_or(less)


def _sum(terms: Sequence[Term]) -> cp_model.LinearExprT:
    return cp_model.LinearExpr.weighted_sum([t[0] for t in terms], [t[1] for t in terms]) if terms else 0


def _in_order(sites: Sequence[Site]) -> list[int]:
    """Columns in the fixed order."""
    return sorted(range(len(sites)), key=lambda c: sites[c].place)


def _digit_sizes(sites: Sequence[Site]) -> list[int]:
    """Values of each digit: the columns, then the rows of each access in the column that has most."""
    accesses = max(len(site.column.rows) for site in sites)
    rows = [max(len(s.column.rows[a].places) for s in sites if a < len(s.column.rows)) for a in range(accesses)]
    return [len(sites) + 1, *rows]


def _packing(sites: Sequence[Site]) -> list[list[tuple[int, int]]]:
    """Runs of (digit, stride), each spanning at most ``PACKED``.

    A digit may take its size as value, one more than any plan inside has: that of a plan after all of them.
    """
    parts: list[list[tuple[int, int]]] = []
    span = PACKED
    for digit, size in reversed(list(enumerate(_digit_sizes(sites)))):
        if span * (size + 1) > PACKED:
            parts.append([])
            span = 1
        parts[-1].append((digit, span))
        span *= size + 1
    return parts[::-1]


def _digits(sites: Sequence[Site], plan: Incumbent) -> list[int]:
    """Digits of ``plan`` among ``sites``; of the first plan after it when it is not among them."""
    digits = [0] * len(_digit_sizes(sites))
    own = (plan.block, *plan.position[:2])
    for turn, c in enumerate(_in_order(sites)):
        site = sites[c]
        first = [rows.places[0] for rows in site.column.rows]
        here = (site.block, *order_key(site.program, site.column.plan(site.program.block, first))[:2])
        if here >= own:
            digits[0] = turn
            if here == own:
                _count_rows(site, first, plan, digits)
            return digits
    digits[0] = len(sites)
    return digits


def _count_rows(site: Site, first: list[Any], plan: Incumbent, digits: list[int]) -> None:
    """Fill in, access by access, how many rows come before that of ``plan``."""
    for access, own in enumerate(plan.position[2]):
        keys = []
        for place in site.column.rows[access].places:
            other = site.column.plan(site.program.block, [*first[:access], place, *first[access + 1 :]])
            keys.append(order_key(site.program, other)[2][access])
        digits[1 + access] = sum(key < own for key in keys)
        if own not in keys:
            return
