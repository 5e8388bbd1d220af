"""The figures in README.md and the tables of docs/frontend.md are those of the saved bench results:
``pytest tests/test_readme_figures.py --update``."""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import corpus_tables

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=<!-- figures -->\n)(.*?)(?=<!-- end of figures -->)", re.DOTALL)


def result(name: str) -> Any:
    return json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())


def kernel_row(kernels: dict[str, Any], family: str) -> str:
    """One row of a family of the paper's kernels."""
    found = kernels[family]
    return (
        f"| {family} shapes of the paper, top-3 proved in the time limit; median and worst processor time | "
        f"{found['proved']} of {found['launches']}; {found['median_seconds']:.2f} s, {found['worst_seconds']:.2f} s "
        "| `bench/paper_kernels.py` |\n"
    )


def figures() -> str:
    """The table of README.md from the saved results."""
    gemm, oracle, error = result("paper_gemm"), result("oracle_equality"), result("model_error")
    kernels, corpus, emitted = result("paper_kernels"), result("corpus")["summary"], result("emit_matrix")
    free = [row["free_seconds"] for row in gemm["rows"]]
    restricted = result("restricted_equality")
    equal, restricted_equal = (r["instances"] - len(r["different"]) for r in (oracle, restricted))
    proved = sum(row["gap"] == 0 for row in gemm["rows"])
    gemms = sorted(f["all"]["mean"] for name, f in error["families"].items() if name.startswith("matmul "))
    return (
        "| what | figure | command |\n"
        "| --- | --- | --- |\n"
        f"| solver equals brute force, top-5 plans on random instances | {equal:,} of {oracle['instances']:,} "
        f"({oracle['plans_scored_by_oracle']:,} plans scored) | `bench/oracle_equality.py` |\n"
        f"| the same with random pins and forbidden decisions | {restricted_equal:,} of {restricted['instances']:,} "
        "| `bench/oracle_equality.py --restricted` |\n"
        f"| GEMM shapes of the TileLoom paper on two devices, solved to gap 0 | {proved} of {len(gemm['rows'])} "
        "| `bench/paper_gemm.py` |\n"
        f"| top-5 at one block shape, median processor time | {gemm['median_seconds']['fixed']:.2f} s | same |\n"
        f"| top-5 with all block shapes free, median and worst | {statistics.median(free):.2f} s, {max(free):.2f} s "
        "| same |\n"
        + "".join(kernel_row(kernels, family) for family in ("FlashAttention", "flash decode", "Mamba chunk scan"))
        + f"| decode with the loop shared by cores, predicted against the best plan without, geometric mean "
        f"| {kernels['flash decode']['split_gain_geomean']:.2f}x | same |\n"
        f"| public kernels planned unmodified on both devices (all accesses affine) "
        f"| {corpus['affine_outcomes']['planned']} of {corpus['affine']} | `bench/corpus.py` |\n"
        f"| predicted against published GEMM cycles, geometric error per family | {gemms[0]:.1f} to {gemms[-1]:.1f} %, "
        f"median {statistics.median(gemms):.1f} % | `bench/model_error.py` |\n"
        f"| emulated programs of the examples' best and pinned plans, both chips, equal to Triton's interpreter "
        f"| {emitted['programs_equal']} of {emitted['programs']} | `bench/emit_matrix.py` |\n"
        f"| of these, with kernels that pass the vendor's headers "
        f"| {emitted['programs_typed']} of {emitted['programs']} | same |\n"
        f"| of these, taken by the vendor's runtime on devices without hardware "
        f"| {emitted['programs_accepted']} of {emitted['programs']} | same, with `--home` |\n"
    )


def test_figures_are_those_of_the_saved_results(pytestconfig: pytest.Config) -> None:
    text = README.read_text()
    if pytestconfig.getoption("--update"):
        README.write_text(BLOCK.sub(lambda _: figures(), text))
        return
    assert BLOCK.findall(text) == [figures()]


def test_tables_of_public_kernels_are_those_of_the_saved_results(pytestconfig: pytest.Config) -> None:
    page = corpus_tables.PAGE.read_text()
    if pytestconfig.getoption("--update"):
        corpus_tables.PAGE.write_text(corpus_tables.written(page))
        return
    assert corpus_tables.written(page) == page


def test_no_affine_access_of_a_public_kernel_is_wrong() -> None:
    addresses = result("corpus_addresses")
    assert addresses["total"]["equal"] > 0
    assert addresses["total"].get("wrong", 0) == 0
    kernels = [kernel for library in addresses["libraries"].values() for kernel in library.values()]
    assert not any("wrong" in kernel["verdicts"] for kernel in kernels)


def test_boxes_of_public_kernels_are_those_that_their_sizes_give() -> None:
    boxes = result("corpus_boxes")
    assert {row["kernel"] for row in boxes["rows"]} == {
        "matmul_kernel", "matmul_kernel_persistent", "_attn_fwd", "_chunk_scan_fwd_kernel",
    }  # fmt: skip
    for row in boxes["rows"]:
        assert (row["found"], row.get("found_trips")) == (row["expected"], row.get("expected_trips")), row["block"]
