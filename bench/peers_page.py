"""Writes the saved figures of bench/peers.py and bench/tileloom_rules.py into docs/peers.md.

python bench/peers_page.py
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peers import DEFAULTS, KEY, RIVAL, SHAPES, times_faster
from saved_rows import SavedRows

BENCH = Path(__file__).parent
PAGE = BENCH.parent / "docs" / "peers.md"


def result(name: str) -> Any:
    """A saved result."""
    return json.loads((BENCH / "results" / f"{name}.json").read_text())


def cell(value: float | None, form: str) -> str:
    """A figure, or a dash where there is none."""
    return "-" if value is None else format(value, form)


def times(objective: str) -> Iterator[str]:
    """Seconds, latency and traffic of every mapper on one objective."""
    latency = objective == "latency"
    yield (
        "| M x N x K | mapper | first, s | median, s | processor, s |"
        + (" latency, cycles |" if latency else "")
        + (" DRAM, MB | note |")
    )
    yield "| --- | --- | ---: | ---: | ---: |" + (" ---: |" if latency else "") + " ---: | --- |"
    for row in result("peers")["rows"]:
        if row["objective"] != objective or row["setting"] == "equal or better":
            continue
        cells = [" x ".join(map(str, row["shape"])), f"{row['mapper']}, {row['setting']}"]
        cells += [cell(row.get(f"{f}_seconds"), ".2f") for f in ("first_wall", "wall", "processor")]
        cells += [cell(row.get("latency_cycles"), ",.0f")] if latency else []
        traffic = row.get("dram_bytes")
        cells += [cell(traffic / 1e6 if traffic is not None else None, ",.3f")]
        note = row.get("refused") or row["problem"] or {"feasible": "not proved"}.get(row.get("status", ""), "")
        yield f"| {' | '.join(cells)} | {note} |"


def faster() -> Iterator[str]:
    """How many times longer AccelForge takes, per objective, shape and setting."""
    saved = SavedRows(BENCH / "results" / "peers.json", KEY)
    settings = (RIVAL[1], *DEFAULTS)
    heads = [f"{setting}: first | repeated" for setting in settings]
    yield f"| M x N x K | objective | {' | '.join(heads)} |"
    yield "| --- | --- |" + " ---: |" * (2 * len(settings))
    for objective, shape in itertools.product(("latency", "traffic"), SHAPES):
        found = times_faster(saved, shape, objective)
        cells = [cell(found.get(s, {}).get(which), ".3g") for s in settings for which in ("first", "repeated")]
        yield f"| {' x '.join(map(str, shape))} | {objective} | {' | '.join(cells)} |"


def agreement() -> Iterator[str]:
    """What cpplan and the rival's proved optima say of each other."""
    saved = result("peers")
    match = {tuple(r["shape"]): r for r in saved["rows"] if r["setting"] == "equal or better"}
    yield (
        "| M x N x K | least traffic equal | latency equal but for fill and drain | fill and drain | "
        "plan with their latency and traffic: makespan against ours |"
    )
    yield "| --- | --- | --- | ---: | ---: |"
    ours = {tuple(r["shape"]): r for r in saved["rows"] if r["mapper"] == "cpplan" and r["objective"] == "latency"}
    for check in saved["checks"]:
        shape = tuple(check["shape"])
        found = match.get(shape, {}).get("latency_cycles")
        more = f"{found / ours[shape]['latency_cycles'] - 1:+.1%}" if found else "none found"
        yield (
            f"| {' x '.join(map(str, shape))} | {'yes' if check['least_traffic_equal'] else 'no'} | "
            f"{'yes' if check['peer_latency_equal'] else 'no'} | {check['fill_and_drain']:.1%} | {more} |"
        )


def families() -> Iterator[str]:
    """Gain over TileLoom's rules per device and family."""
    yield "| device, family | launches | proved | gain over the rules | gain with free streams | worse |"
    yield "| --- | ---: | ---: | --- | --- | --- |"
    for name, entry in result("tileloom_rules")["families"].items():
        gains = [
            f"{g['mean']:.2f} ({g['least']:.2f} to {g['most']:.2f})" if (g := entry.get(o)) else "-"
            for o in ("rules", "rules_with_streams")
        ]
        worse = ", ".join(entry["worse"]) or "none"
        yield f"| {name} | {entry['launches']} | {entry['proved']} | {' | '.join(gains)} | {worse} |"


def filled(text: str) -> str:
    """``text`` with every block of figures replaced."""
    blocks = {
        "latency": times("latency"),
        "traffic": times("traffic"),
        "faster": faster(),
        "agreement": agreement(),
        "families": families(),
    }
    for name, lines in blocks.items():
        pattern = re.compile(rf"(?<=<!-- {name} -->\n)(.*?)(?=<!-- end of {name} -->)", re.DOTALL)
        table = "".join(f"{line}\n" for line in lines)
        text = pattern.sub(lambda _, table=table: table, text)
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
