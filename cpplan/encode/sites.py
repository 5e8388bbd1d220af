"""Columns with their option rows: what exact bounds leave of them, and the incumbents that they give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cpplan.encode.alternatives import alternatives, narrow
from cpplan.encode.column_set import OpenColumn
from cpplan.encode.incumbent import Site, can_be_scored, score, score_alternatives
from cpplan.encode.lanes import chunks
from cpplan.encode.prune import prune_column, take_options
from cpplan.encode.search import Search

SITES = 64
"""Columns priced before the best of them are scored."""
PATIENCE = 6
"""Columns scored in vain before the rest of a round is left to the model."""


def open_sites(search: Search, columns: list[OpenColumn]) -> list[Site]:
    """Columns that exact option bounds do not decide either, with their option rows."""
    sites: list[Site] = []
    for part in chunks(np.arange(len(columns)), SITES):
        fresh: list[Site] = []
        for number in part.tolist():
            column = columns[number]
            if search.limit is not None and column.bound > search.limit:
                search.counts.mapped_pruned += len(columns) - number
                return search.still_open(sites + _scored_sites(search, fresh))
            if search.late():
                search.left_open(column.bound)
                return search.still_open(sites + fresh)
            site = search.site(column.family, column.block, column.mapping, column.order)
            if site is None:
                search.counts.mapped_pruned += 1
            else:
                fresh.append(site)
        sites += _scored_sites(search, fresh)
        search.progress(f"{len(sites)} columns open of {int(part[-1]) + 1} looked at")
    return search.still_open(sites)


def score_choice(search: Search, column: OpenColumn, levels: tuple[int, ...], depths: tuple[int, ...]) -> None:
    """Incumbents from the plans of ``column`` whose accesses sit at ``levels`` with ``depths``, once."""
    choice = column.family.offset + column.block, column.mapping, column.order, levels, depths
    if choice in search.choices:
        return
    search.choices.add(choice)
    site = search.site(column.family, column.block, column.mapping, column.order)
    if site is None:
        return
    rows = site.column.rows
    keep = [np.ones(len(r.places), dtype=bool) for r in rows]
    for access, (level, depth) in enumerate(zip(levels, depths, strict=True)):
        keep[access] = (rows[access].level == level) & (rows[access].depth == depth)
    if all(k.any() for k in keep):
        part = prune_column(search.device, take_options(site.column, keep), search.limit)
        if part is not None:
            search.admit(score(search.device, replace(site, pruned=part), search.k, search.last)[0])


def _scored_sites(search: Search, sites: list[Site]) -> list[Site]:
    """Plans of the most promising ``sites`` enter the incumbents, until those do not get better."""
    out = []
    idle = 0
    for site in sorted(sites, key=lambda s: (s.bound, s.place)):
        small = can_be_scored(site.column.combinations)
        if search.late() or (idle >= PATIENCE and not small and site.pruned.additive is None):
            out.append(site)
            continue
        before = search.best[-1].rank if search.best else None
        narrowed = site if small else _narrowed(search, site)
        if narrowed is None:
            search.counts.mapped_scored += 1
        elif narrowed.scored or (idle >= PATIENCE and not small):
            out.append(narrowed)
        else:
            found, least = score(search.device, narrowed, search.k, search.last)
            search.admit(found)
            out.append(narrowed if least is None else replace(narrowed, scored=least))
        idle = idle + 1 if before is not None and search.best[-1].rank == before else 0
    return search.still_open(out)


def _narrowed(search: Search, site: Site) -> Site | None:
    """``site`` with the options that some combination within the limit takes, scored when those are few; None when no
    plan is left."""
    last, additive = search.last, site.pruned.additive
    if last is None or additive is None:
        return site
    left = alternatives(search.device, site.column, additive, last[0])
    if left is None:
        return site
    if can_be_scored(left.combinations):
        found, least = score_alternatives(search.device, site, search.k, left, last)
        search.admit(found)
        return replace(site, pruned=narrow(site.pruned, left), scored=least) if least <= last[0] else None
    return replace(site, pruned=narrow(site.pruned, left))
