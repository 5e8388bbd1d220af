"""What emitted data-movement kernels look like: two small ones in full, in ``golden/``.

After a change that is meant, ``python tests/emit/test_golden.py`` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.movement.kernel import movement_source
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.schedule.build import build_schedule
from cpplan.tile.program import Access, Affine, Dim, Loop, Tensor, TileProgram

GOLDEN = Path(__file__).with_name("golden")


def ragged_gemm() -> TileProgram:
    """The transfers of C[128,200] = A[128,128] B[128,200] in blocks of 64x32x64."""

    def along(index: str, step: int) -> Affine:
        return Affine(0, ((index, step),))

    tensors = [
        Tensor(name, "bf16", s, (s[1], 1)) for name, s in (("a", (128, 128)), ("b", (128, 200)), ("c", (128, 200)))
    ]
    accesses = (
        Access("a", "a", "load", (64, 64), (along("m", 64), along("k", 64)), "k", value="av", fill=0.0),
        Access("b", "b", "load", (64, 32), (along("k", 64), along("n", 32)), "k", value="bv", fill=0.0),
        Access("c", "c", "store", (64, 32), (along("m", 64), along("n", 32)), value="cv"),
    )
    return TileProgram("gemm", (Dim("m", 2), Dim("n", 7)), (Loop("k", 2),), tuple(tensors), accesses)


def kernels() -> dict[str, str]:
    """B goes down the columns block by block; A stays for a whole wave, is read one wave ahead, and goes along rows."""
    placements = (
        Placement("a", "wave.n", 2, (4, 1), "multicast", 1, "first"),
        Placement("b", "k", 2, (1, 2), "multicast", 0, "first"),
        Placement("c", "wave.n", 1, (1, 1), noc=1),
    )
    plan = Plan((), ((Split("n", 4),), (Split("m", 2),)), (("n",),), placements)
    schedule = build_schedule(ragged_gemm(), load_device("wormhole"), plan)
    return {f"{t.name}.cpp": movement_source(schedule, t) for t in schedule.threads if t.name != "compute"}


@pytest.mark.parametrize("name", ["noc0.cpp", "noc1.cpp"])
def test_kernels_read_as_they_did(name: str) -> None:
    assert kernels()[name] == (GOLDEN / name).read_text()


if __name__ == "__main__":
    for file, text in kernels().items():
        (GOLDEN / file).write_text(text)
