"""The CP-SAT model: one literal per column, one per placement, exact makespan as linear rows.

Inside a column all trip counts are constants, so the nested pipeline is made of sums, maxima and products by constants.
Every maximum is stated by lower rows (``x >= term``) under a minimised objective or an upper limit, which makes the
model exact: a plan satisfies ``cycles <= c`` if and only if its makespan is at most c (docs/encoding.md, "Exactness").
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from ortools.sat.python import cp_model

from cpplan.cost.table import KINDS, Ints, Kind, undominated_columns
from cpplan.device.device import Device
from cpplan.encode.incumbent import Incumbent, Site
from cpplan.encode.rank import Figure, Term, beat, beat_in_any_case, place_figures, place_values, traffic_figure

Literal = cp_model.IntVar


@dataclass
class Encoding:
    """The model under construction with its literals: ``column[c]`` and ``option[c][a][o]``."""

    device: Device
    sites: Sequence[Site]
    limit: int
    model: cp_model.CpModel
    cycles: cp_model.IntVar
    column: list[Literal] = field(default_factory=list)
    option: list[list[list[Literal]]] = field(default_factory=list)

    def sum_of(self, terms: Sequence[Term]) -> cp_model.LinearExprT:
        """Weighted sum of literals."""
        return cp_model.LinearExpr.weighted_sum([t[0] for t in terms], [t[1] for t in terms]) if terms else 0

    def time(self, name: str) -> cp_model.IntVar:
        """A variable in cycles, at most the limit."""
        return self.model.new_int_var(0, self.limit, name)


def build(device: Device, sites: Sequence[Site], limit: int) -> Encoding:
    """The model over ``sites`` for plans of at most ``limit`` cycles."""
    model = cp_model.CpModel()
    enc = Encoding(device, sites, limit, model, model.new_int_var(0, limit, "cycles"))
    one_column_and_one_option_per_access(enc)
    buffers_fit_in_sram(enc)
    plans_are_canonical(enc)
    the_restriction_is_met(enc)
    makespan_is_the_nested_pipeline(enc)
    bounds_hold(enc)
    enc.model.minimize(enc.cycles)
    return enc


def one_column_and_one_option_per_access(enc: Encoding) -> None:
    """Exactly one column; every access takes exactly one option of it and none of the others."""
    for c, site in enumerate(enc.sites):
        z = enc.model.new_bool_var(f"column[{c}]")
        enc.column.append(z)
        enc.option.append([])
        for rows in site.column.rows:
            literals = [enc.model.new_bool_var(f"{rows.access}[{c},{n}]") for n in rows.number]
            enc.option[c].append(literals)
            enc.model.add(sum(literals) == z)
    enc.model.add_exactly_one(enc.column)


def buffers_fit_in_sram(enc: Encoding) -> None:
    """Circular buffers, accumulators and intermediates of one core fit in its usable SRAM, in bytes."""
    enc.model.add(enc.sum_of(_figures(enc, "sram")) <= enc.device.sram.usable)


def _figures(enc: Encoding, name: str) -> list[Term]:
    """(literal, figure) of every option, plus the fixed SRAM of every column for ``sram``."""
    terms: list[Term] = []
    for c, site in enumerate(enc.sites):
        if name == "sram" and site.column.fixed_sram:
            terms.append((enc.column[c], site.column.fixed_sram))
        for rows, literals in zip(site.column.rows, enc.option[c], strict=True):
            terms += [(y, int(v)) for y, v in zip(literals, getattr(rows, name), strict=True) if v]
    return terms


def plans_are_canonical(enc: Encoding) -> None:
    """A column whose wave order or digit order is out of line needs a transfer, or a group's end, to show it.

    Alike accesses have their placements in the fixed order.
    """
    for c, site in enumerate(enc.sites):
        column = site.column
        pairs = list(zip(column.rows, enc.option[c], strict=True))
        for node in column.boundaries:
            at = [y for rows, ys in pairs for y, v in zip(ys, rows.level, strict=True) if v == node]
            enc.model.add(sum(at) >= enc.column[c])
        for dim, size in column.ends:
            sharing = pairs[: len(column.accesses)]
            at = [y for rows, ys in sharing for y, ends in zip(ys, rows.end_at(dim, size), strict=True) if ends]
            enc.model.add(sum(at) >= enc.column[c])
        places = [[(y, int(n)) for y, n in zip(ys, rows.number, strict=True)] for rows, ys in pairs]
        for members in column.alike:
            for a, b in itertools.pairwise(members):
                enc.model.add(enc.sum_of(places[a]) <= enc.sum_of(places[b]))


def the_restriction_is_met(enc: Encoding) -> None:
    """A restricted column meets all demands of one of its readings."""
    for c, site in enumerate(enc.sites):
        found = site.column.readings
        met = [enc.column[c]][: len(found)]
        if len(found) > 1:
            met = [enc.model.new_bool_var(f"reading[{c},{r}]") for r in range(len(found))]
            enc.model.add(sum(met) == enc.column[c])
        numbered = [list(zip(ys, r.number, strict=True)) for ys, r in zip(enc.option[c], site.column.rows, strict=True)]
        for reading, chosen in zip(found, met, strict=True):
            for demand in reading:
                taken = [y for a in demand.members for y, number in numbered[a] if int(number) in demand.allowed]
                enc.model.add(sum(taken) >= demand.count * chosen)


@dataclass
class _Part:
    """One column's rows: (option literals, cycles per option and resource, level, kind, depth) flattened."""

    literals: list[Literal]
    level: Ints
    kind: np.ndarray
    depth: Ints
    busy: Ints
    fill: Ints


def _flatten(enc: Encoding, c: int) -> _Part:
    rows = enc.sites[c].column.rows
    return _Part(
        [y for ys in enc.option[c] for y in ys],
        np.concatenate([r.level for r in rows]),
        np.concatenate([np.full(len(r.places), r.kind) for r in rows]),
        np.concatenate([r.depth for r in rows]),
        np.concatenate([r.busy for r in rows]),
        np.concatenate([r.fill for r in rows]),
    )


def makespan_is_the_nested_pipeline(enc: Encoding) -> None:
    """The recursion of the exact model, level by level from the inside out (variables shared by all columns)."""
    parts = [_flatten(enc, c) for c in range(len(enc.sites))]
    depth = max(len(site.column.nest.names) for site in enc.sites)
    total = [enc.time(f"total[{v}]") for v in range(depth)]
    for node in reversed(range(depth)):
        load, store = _group(enc, parts, node, "load", 2), _group(enc, parts, node, "store", 2)
        alone = [_group(enc, parts, node, kind, 1) for kind in KINDS]
        serial = enc.time(f"serial[{node}]")
        fewest = min(site.column.nest.trips[node] for site in enc.sites if node < len(site.column.nest.names))
        period = enc.model.new_int_var(0, enc.limit // max(1, fewest - 1), f"period[{node}]")
        for row in _overlap_rows(enc.device, load, serial, store):
            enc.model.add(period >= row)
        _period_covers_busiest_resource(enc, parts, node, period)
        _runs_of_a_level(enc, node, total, load, store, alone, serial, period)
    enc.model.add(enc.cycles >= enc.device.launch_cycles + total[0])


def _overlap_rows(
    device: Device, load: cp_model.IntVar, serial: cp_model.IntVar, store: cp_model.IntVar
) -> list[cp_model.LinearExprT]:
    """Terms whose maximum is the steady-state period, by the device's overlap rule."""
    if device.overlap == "load|compute|store":
        return [load, serial, store]
    return [load, serial + store] if device.overlap == "load|compute+store" else [load + store, serial]


def _group(enc: Encoding, parts: list[_Part], node: int, kind: Kind, depth: int) -> cp_model.IntVar:
    """Time of the concurrent transfers of one kind at ``node``: at least the sum on every resource."""
    matrices = []
    for part in parts:
        here = (part.level == node) & (part.kind == kind) & (part.depth == depth)
        matrices.append((np.nonzero(here)[0], part.fill[here]))
    name = f"{kind}{depth}[{node}]"
    return _at_least_every_resource(enc, parts, matrices, enc.time(name))


def _at_least_every_resource(
    enc: Encoding, parts: list[_Part], matrices: list[tuple[Ints, Ints]], variable: cp_model.IntVar
) -> cp_model.IntVar:
    """``variable >= sum of cycles`` for every resource that can be the busiest.

    Only one column is chosen, so the i-th resource of every column may share one row: the others contribute zero.
    """
    slots: list[list[Term]] = []
    for part, (index, matrix) in zip(parts, matrices, strict=True):
        for slot, resource in enumerate(undominated_columns(matrix) if len(index) else []):
            if slot == len(slots):
                slots.append([])
            slots[slot] += [(part.literals[i], int(v)) for i, v in zip(index, matrix[:, resource], strict=True) if v]
    for terms in slots:
        enc.model.add(variable >= enc.sum_of(terms))
    return variable


def _period_covers_busiest_resource(enc: Encoding, parts: list[_Part], node: int, period: cp_model.IntVar) -> None:
    """One iteration takes as long as the busiest resource over all transfers inside, inner levels included."""
    matrices: list[tuple[Ints, Ints]] = []
    for part, site in zip(parts, enc.sites, strict=True):
        nest = site.column.nest
        factor = np.zeros(len(nest.names), dtype=np.int64)
        for level in range(len(nest.names)):
            path = nest.path(level)
            if node in path:
                factor[level] = math.prod(nest.trips[u] for u in path[path.index(node) + 1 :])
        scale = factor[part.level]
        index = np.nonzero(scale)[0]
        matrices.append((index, (part.busy * scale[:, None])[index]))
    _at_least_every_resource(enc, parts, matrices, period)


def _runs_of_a_level(
    enc: Encoding,
    node: int,
    total: list[cp_model.IntVar],
    load: cp_model.IntVar,
    store: cp_model.IntVar,
    alone: list[cp_model.IntVar],
    serial: cp_model.IntVar,
    period: cp_model.IntVar,
) -> None:
    """serial >= ops + inner levels + lone transfers; total >= fill + (trips - 1) periods + serial + drain."""
    by_children: dict[tuple[int, ...], list[int]] = {}
    by_trips: dict[int, list[int]] = {}
    for c, site in enumerate(enc.sites):
        if node < len(site.column.nest.names):
            by_children.setdefault(site.column.nest.children(node), []).append(c)
            by_trips.setdefault(site.column.nest.trips[node], []).append(c)
    ops = enc.sum_of([(enc.column[c], s.column.ops[node]) for c, s in enumerate(enc.sites) if node < len(s.column.ops)])
    for children, members in by_children.items():
        inner = cp_model.LinearExpr.sum([ops, *(total[child] for child in children), *alone])
        row = enc.model.add(serial >= inner)
        _enforce(enc, row, members)
    for trips, members in by_trips.items():
        row = enc.model.add(total[node] >= load + (trips - 1) * period + serial + store)
        _enforce(enc, row, members)


def _enforce(enc: Encoding, row: cp_model.Constraint, members: list[int]) -> None:
    """Make ``row`` hold only when one of the columns ``members`` is chosen."""
    if len(members) == len(enc.sites):
        return
    if len(members) == 1:
        row.only_enforce_if(enc.column[members[0]])
        return
    any_of = enc.model.new_bool_var("")
    enc.model.add(sum(enc.column[c] for c in members) == any_of)
    row.only_enforce_if(any_of)


def bounds_hold(enc: Encoding) -> None:
    """Redundant rows: the proved lower bounds of columns and options, which give the search its strength."""
    enc.model.add(enc.cycles >= enc.sum_of([(z, s.bound) for z, s in zip(enc.column, enc.sites, strict=True)]))
    accesses = max(len(site.column.rows) for site in enc.sites)
    for a in range(accesses):
        terms: list[Term] = []
        for c, site in enumerate(enc.sites):
            if a < len(site.bounds.options):
                terms += [(y, int(v)) for y, v in zip(enc.option[c][a], site.bounds.options[a], strict=True)]
        enc.model.add(enc.cycles >= enc.sum_of(terms))


def forbid(enc: Encoding, plan: Incumbent) -> None:
    """Exclude one plan already in hand, and its mirror images."""
    for c, site in enumerate(enc.sites):
        for block, image in plan.images:
            column = site.column
            if (site.block, column.spatial, column.origin, column.order) != (
                block, image.spatial, image.origin, image.order,
            ):  # fmt: skip
                continue
            places = [*image.placements, *([] if image.combine is None else [image.combine])]
            pairs = zip(site.column.rows, enc.option[c], places, strict=True)
            literals = [ys[rows.places.index(place)] for rows, ys, place in pairs if place in rows.places]
            if len(literals) == len(places):
                enc.model.add(sum(literals) <= len(literals) - 1)


def better_than(enc: Encoding, plan: Incumbent, case: int | None) -> None:
    """Require a plan that ranks before ``plan`` in this case (:mod:`cpplan.encode.rank`), or in any of them."""
    figures = [traffic_figure(_figures(enc, name)) for name in ("dram", "noc", "sram")]
    ranked = [Figure(enc.cycles, 1), *figures, *place_figures(enc.sites, enc.column, enc.option)]
    values = [*plan.key, *place_values(enc.sites, plan)]
    if case is None:
        beat_in_any_case(enc.model, ranked, values)
    else:
        beat(enc.model, ranked, values, case)


def chosen(enc: Encoding, solver: cp_model.CpSolver) -> tuple[Site, Ints]:
    """The column and row choice of a solution."""
    c = next(i for i, z in enumerate(enc.column) if solver.boolean_value(z))
    picks = [next(i for i, y in enumerate(literals) if solver.boolean_value(y)) for literals in enc.option[c]]
    return enc.sites[c], np.array([picks], dtype=np.int64)
