"""Helion kernels: Helion lowers them, its configuration space gives the candidates, lines are those of the author."""

from math import prod
from pathlib import Path
from typing import Any

import pytest

from cpplan.errors import KernelError
from cpplan.frontend import read_problems
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.configs import needed
from cpplan.frontend.recorder import Recorder
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem

pytest.importorskip("helion", reason="helion is not installed: pip install 'cpplan[helion]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Helion itself

EXAMPLE = Path(__file__).parents[2] / "examples" / "helion_matmul.py"

HEADER = """\
import helion
import helion.language as hl
import torch

"""

SCALE = """\
@helion.kernel({decoration})
def scale(x, factor: float):
    out = torch.empty_like(x)
    for row, column in hl.tile(x.size()):
        out[row, column] = x[row, column] * factor
    return out

"""


def read(*argv: int) -> Problem:
    (problem,) = read_problems(str(EXAMPLE), argv=[str(n) for n in argv])
    return problem


def blocks_of(problem: Problem) -> list[dict[str, int]]:
    return [dict(block) for family in problem.families for block in family.blocks]


def write(folder: Path, text: str) -> str:
    path = folder / "kernel.py"
    path.write_text(HEADER + text)
    return str(path)


def test_configurations_are_candidates_named_after_the_tiles() -> None:
    problem = read(1024, 512, 256)
    blocks = blocks_of(problem)
    assert problem.name == "matmul_bias_gelu"
    assert len(problem.families) == 1 and len(blocks) > 4
    assert {tuple(block) for block in blocks} == {("tile_m", "tile_n", "tile_k")}
    extents = {"tile_m": 1024, "tile_n": 512, "tile_k": 256}
    for block in blocks:  # Helion's own limits: powers of two from 16 up to the padded extent
        assert all(16 <= block[name] <= extents[name] and block[name].bit_count() == 1 for name in block)


def test_every_candidate_covers_the_matrices() -> None:
    problem = read(1000, 600, 256)
    (family,) = problem.families
    for index, block in enumerate(blocks_of(problem)):
        program = candidate_program(family, index)
        rows, columns = -(-1000 // block["tile_m"]), -(-600 // block["tile_n"])
        assert prod(dim.extent for dim in program.dims) == rows * columns
        assert [loop.trips for loop in program.loops] == [256 // block["tile_k"]]
        assert {a.tensor: a.tile for a in program.accesses} == {
            "a": (block["tile_m"], block["tile_k"]),
            "b": (block["tile_k"], block["tile_n"]),
            "bias": (block["tile_n"],),
            "c": (block["tile_m"], block["tile_n"]),
        }
        assert {a.klass for a in program.accesses} == {"affine"}


def test_accesses_name_the_line_of_the_helion_function() -> None:
    text = EXAMPLE.read_text().splitlines()
    problem = read(256, 256, 256)
    assert problem.source.startswith(str(EXAMPLE))
    for access in candidate_program(problem.families[0], 0).accesses:
        path, _, line = access.source.rpartition(":")
        assert Path(path) == EXAMPLE
        assert f"{access.tensor}[" in text[int(line) - 1]


def test_free_block_sizes_go_through_helion() -> None:
    (problem,) = read_problems(str(EXAMPLE), argv=["512", "512", "512"], free=["tile_m", "tile_n", "tile_k"])
    blocks = blocks_of(problem)
    assert {"tile_m": 512, "tile_n": 32, "tile_k": 128} in blocks
    assert len(blocks) > 100


def test_configurations_of_the_author_are_kept(tmp_path: Path) -> None:
    fixed = "configs=[helion.Config(block_sizes=[32, 64]), helion.Config(block_sizes=[64, 128])]"
    path = write(tmp_path, SCALE.format(decoration=fixed) + "scale(torch.randn(512, 512, device='cuda'), 2.0)\n")
    (problem,) = read_problems(path)
    assert [tuple(block.values()) for block in blocks_of(problem)] == [(32, 64), (64, 128)]


MATMUL = EXAMPLE.read_text().partition("if __name__")[0].partition("import torch")[2]
ROWS = """\
@helion.kernel()
def normalise(x):
    out = torch.empty_like(x)
    for row in hl.tile(x.size(0)):
        values = x[row, :].to(torch.float32)
        out[row, :] = (values / values.abs().sum(-1, keepdim=True)).to(x.dtype)
    return out

"""


@pytest.mark.parametrize(
    ("text", "compiled", "count"),
    [
        (MATMUL + "main(1024, 512, 256)\n", 5, 12),
        (MATMUL + "main(1000, 600, 250)\n", 5, 12),
        (SCALE.format(decoration="") + "scale(torch.randn(500, 512, device='cuda'), 2.0)\n", 4, 12),
        (ROWS + "normalise(torch.randn(512, 5000, device='cuda', dtype=torch.bfloat16))\n", None, None),
    ],
    ids=["matmul", "ragged matmul", "elementwise", "reduction"],
)
def test_configurations_that_are_not_compiled_follow_from_the_others(
    text: str, compiled: int | None, count: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, text)
    launches = capture_launches(path)
    (derived,) = read_problems(path)
    monkeypatch.setattr("cpplan.frontend.recorder.needed", list)
    everything = capture_launches(path)
    (lowered,) = read_problems(path)
    assert len(launches) == (compiled or len(launches)) <= len(everything) == (count or len(everything))
    assert blocks_of(derived) == blocks_of(lowered)
    assert derived.fingerprint == lowered.fingerprint
    for mine, theirs in zip(derived.families, lowered.families, strict=True):
        for index in range(len(theirs.blocks)):
            assert candidate_program(mine, index) == candidate_program(theirs, index)


def test_what_does_not_follow_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any closed form all configurations are there all the same."""
    text = SCALE.format(decoration="") + "scale(torch.randn(500, 512, device='cuda'), 2.0)\n"
    path = write(tmp_path, text)
    (expected,) = read_problems(path)
    monkeypatch.setattr("cpplan.frontend.fitted.matching_forms", lambda *_, **__: [])
    (problem,) = read_problems(path)
    assert blocks_of(problem) == blocks_of(expected)
    assert problem.fingerprint == expected.fingerprint


def test_which_configurations_are_compiled() -> None:
    full = [(("m", m), ("n", n), ("k", k)) for m in (128, 64, 32) for n in (128, 64) for k in (128, 64)]
    values = [tuple(value for _, value in config) for config in needed(full)]
    assert values == [(128, 128, 128), (128, 128, 64), (128, 64, 128), (64, 128, 128), (32, 64, 64)]
    chunked = [(("m", m), *((("chunk_0", c),) if c else ())) for m in (64, 32, 16, 8) for c in (None, 1024)]
    assert needed(chunked) == chunked  # three of four in each group would save too little
    assert len(needed([*chunked, (("m", 4),), (("m", 4), ("chunk_0", 1024))])) == 6
    diagonal = [(("m", n), ("n", n)) for n in (32, 64, 128, 256)]
    assert needed(diagonal) == diagonal
    assert needed(full[:3]) == full[:3]


def test_two_calls_are_two_problems(tmp_path: Path) -> None:
    calls = "for n in (256, 512):\n    scale(torch.randn(n, 512, device='cuda'), 2.0)\n"
    problems = read_problems(write(tmp_path, SCALE.format(decoration="") + calls))
    assert [problem.name for problem in problems] == ["scale", "scale_2"]


def test_repeated_call_runs_with_one_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[str] = []
    record = Recorder._record

    def counting(recorder: Recorder, function: Any, *rest: Any) -> None:
        launched.append(function.__name__)
        record(recorder, function, *rest)

    monkeypatch.setattr(Recorder, "_record", counting)
    calls = "for n in (256, 512, 256, 256):\n    scale(torch.randn(n, 512, device='cuda'), 2.0)\n"
    launches = capture_launches(write(tmp_path, SCALE.format(decoration="") + calls))
    assert len(launched) == len(launches) + 2


def test_patches_are_undone(tmp_path: Path) -> None:
    from helion.runtime.kernel import Kernel

    before = Kernel.__call__
    capture_launches(write(tmp_path, SCALE.format(decoration="") + "scale(torch.randn(256, 512), 2.0)\n"))
    assert Kernel.__call__ is before


def test_kernel_that_helion_refuses(tmp_path: Path) -> None:
    body = "@helion.kernel()\ndef bad(x):\n    for i in hl.tile(x.size(0)):\n        x[i] = undefined_name\n"
    with pytest.raises(KernelError, match=r"kernel\.py:\d+: Helion cannot read bad: .*undefined_name"):
        read_problems(write(tmp_path, body + "bad(torch.randn(256))\n"))
