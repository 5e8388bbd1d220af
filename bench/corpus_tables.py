"""The tables of docs/frontend.md from the saved results of the corpus: this file, run as a script, writes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "frontend.md"


def corpus(result: dict[str, Any]) -> str:
    """What became of the kernels of each library."""
    libraries: dict[str, list[dict[str, Any]]] = {}
    for record in result["kernels"]:
        if record["kernel"]:
            libraries.setdefault(record["library"], []).append(record)
    everything = [record for kernels in libraries.values() for record in kernels]
    titles = ("library", "kernels", "all accesses affine", "partial", "opaque", "planned", "proved optimal on both",
              "too large for SRAM", "no plan")  # fmt: skip
    return table(titles, [(name, *_outcomes(kernels)) for name, kernels in {**libraries, "all": everything}.items()])


def _outcomes(kernels: Sequence[dict[str, Any]]) -> list[int]:
    classes = [set(kernel.get("classes", {})) for kernel in kernels]
    outcomes = Counter(kernel["outcome"] for kernel in kernels)
    return [
        len(kernels),
        sum(found == {"affine"} for found in classes),
        sum("partial" in found and "opaque" not in found for found in classes),
        sum("opaque" in found for found in classes),
        outcomes["planned"],
        sum(kernel["outcome"] == "planned" and all(p["status"] == "optimal" for p in kernel["plans"])
            for kernel in kernels),
        outcomes["infeasible"],
        len(kernels) - outcomes["planned"] - outcomes["infeasible"],
    ]  # fmt: skip


def addresses(result: dict[str, Any]) -> str:
    """How the elements that programs touch compare with those of the tile programs, per library."""
    verdicts = ("equal", "joined", "within", "covered", "wrapped", "wrong")
    rows, total = [], Counter[str]()
    for library, records in result["libraries"].items():
        kernels = {name: record for name, record in records.items() if not name.startswith("(")}  # cases that failed
        counts = sum((Counter(kernel["verdicts"]) for kernel in kernels.values()), Counter[str]())
        checked = sum(any(v in kernel["verdicts"] for v in verdicts) for kernel in kernels.values())
        total += counts + Counter(kernels=len(kernels), checked=checked)
        rows.append((library, len(kernels), checked, *(counts[v] for v in verdicts)))
    rows.append(("all", total["kernels"], total["checked"], *(total[v] for v in verdicts)))
    return table(("library", "kernels", "checked", *verdicts), rows)


def table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def written(page: str) -> str:
    """The page with its tables made anew from the saved results."""
    for name, make in (("corpus", corpus), ("corpus_addresses", addresses)):
        text = make(json.loads((HERE / "results" / f"{name}.json").read_text()))
        block = rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)"
        page, count = re.subn(block, lambda _, text=text: text, page, flags=re.DOTALL)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"{PAGE}: has {count} places for the table {name}; mark one with <!-- {name} -->")
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
