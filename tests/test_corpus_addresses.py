"""The address check of the corpus bench finds damage to a tile program, and nothing where there is none."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import corpus_addresses_worker as worker
from corpus_worker import forked

from cpplan.tile.program import Access, Affine, TileProgram

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # forks on purpose

KERNEL = """\
import torch, triton, triton.language as tl

@triton.jit
def add_rows(y, x, index, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(ROWS):
        total += tl.load(x + row * 256 + columns, mask=columns < n, other=0.0)
    first = tl.load(x + tl.load(index + tl.program_id(0)))
    tl.store(y + columns, total + first, mask=columns < n)

x, y = torch.randn(4, 256, device="cuda"), torch.empty(256, device="cuda")
add_rows[(4,)](y, x, torch.zeros(4, dtype=torch.int32, device="cuda"), 250, 4, 64)
"""
WITHOUT_GATHER = KERNEL.replace("first = tl.load(x + tl.load(index + tl.program_id(0)))", "first = 0.0")


def verdicts(folder: Path, text: str) -> dict[str, set[str]]:
    """Verdicts on the kernel of a file, by parameter."""
    path = folder / "kernel.py"
    path.write_text(text)
    options = Namespace(mode="fake", samples=4, limit=100.0, configs=1)
    records, why = forked(lambda: worker.run_case(path, None, options), 100.0)
    assert (why, Counter(record["kernel"] for record in records).keys()) == ("", {"add_rows"})
    found: dict[str, set[str]] = {}
    for record in records:
        found.setdefault(record["detail"].split()[0], set()).add(record["verdict"])
    return found


def damaged(monkeypatch: pytest.MonkeyPatch, change: Callable[[TileProgram], TileProgram]) -> None:
    """Let the check compare another tile program than the frontend's."""
    build = worker.build

    def wrong(launch: object) -> object:
        built = build(launch)  # type: ignore[arg-type]
        return replace(built, program=change(built.program))

    monkeypatch.setattr(worker, "build", wrong)


def with_x(change: Callable[[Access], Access]) -> Callable[[TileProgram], TileProgram]:
    """Changes the affine accesses to x."""

    def changed(program: TileProgram) -> TileProgram:
        accesses = [change(a) if a.tensor == "x" and a.klass == "affine" else a for a in program.accesses]
        return replace(program, accesses=tuple(accesses))

    return changed


def test_right_programs_are_equal(tmp_path: Path) -> None:
    assert verdicts(tmp_path, WITHOUT_GATHER) == {"x": {"equal"}, "y": {"equal"}}


def test_affine_accesses_beside_others_are_within_what_is_touched(tmp_path: Path) -> None:
    assert verdicts(tmp_path, KERNEL) == {"x": {"within"}, "y": {"equal"}, "index": {"equal"}}


DAMAGE = {
    "tiles that all begin in the first row": with_x(lambda a: replace(a, starts=(Affine(0), *a.starts[1:]))),
    "blocks that overlap": with_x(
        lambda a: replace(a, starts=(a.starts[0], Affine(0, tuple((n, 32) for n, _ in a.starts[1].terms))))
    ),
    "tiles of twice the columns": with_x(lambda a: replace(a, tile=(1, 128), masked=(False, False))),
    "a loop with a trip too many": lambda p: replace(p, loops=(replace(p.loops[0], trips=5),)),
    "a loop with a trip too few": lambda p: replace(p, loops=(replace(p.loops[0], trips=3),)),
    "a mask that ends too early": with_x(
        lambda a: replace(a, bounds=(a.bounds[0], replace(a.bounds[1], ends=(Affine(249),))))
    ),
    "a mask that is forgotten": with_x(lambda a: replace(a, bounds=())),
    "an access that is forgotten": lambda p: replace(p, accesses=tuple(a for a in p.accesses if a.tensor != "x")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, DAMAGE[damage])
    assert "wrong" in verdicts(tmp_path, WITHOUT_GATHER)["x"]


def test_tiles_of_another_shape_over_the_same_elements_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_rows_at_once(access: Access) -> Access:
        return replace(access, tile=(4, 64), starts=(Affine(0), access.starts[1]))

    damaged(monkeypatch, with_x(all_rows_at_once))
    assert verdicts(tmp_path, WITHOUT_GATHER) == {"x": {"joined"}, "y": {"equal"}}
