"""plan.json: what is written comes back, and a damaged file is refused with the place and the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import toy

from cpplan.cost.model import evaluate
from cpplan.errors import InputError
from cpplan.plan.artifact import plan_file, read_plan, write_plan
from cpplan.plan.schema import CertificateReference, PlanFile
from cpplan.plan.space import violations


def toy_file(rank: int = 1) -> PlanFile:
    plan = toy.plan(shared=rank == 1)
    cost = evaluate(toy.program(), toy.device(), plan)
    reference = CertificateReference("certificate.json", "optimal", cost.makespan_cycles)
    return plan_file(toy.problem(), toy.device(), toy.program(), plan, cost, rank=rank, certificate=reference)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_plan(tmp_path / "plan-1.json", toy_file())
    return tmp_path / "plan-1.json"


def damage(path: Path, *, at: list[str | int], value: Any) -> None:
    """Replace one field of a written plan."""
    data = json.loads(path.read_text())
    inner = data
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = value
    path.write_text(json.dumps(data))


def test_the_toy_plan_is_legal() -> None:
    assert violations(toy.program(), toy.device(), toy.plan()) == []


def test_a_written_plan_reads_back_as_the_same_plan_and_cost(path: Path) -> None:
    file = read_plan(path)
    assert file.plan() == toy.plan()
    cost = evaluate(toy.program(), toy.device(), file.plan())
    assert file.cost.makespan_cycles == cost.makespan_cycles
    assert {item.name: item.bytes for item in file.cost.buffers} == dict(cost.buffers)


def test_readers_are_the_first_core_of_every_sharing_group(path: Path) -> None:
    a, b, c = read_plan(path).decisions.accesses
    assert set(a.readers) == {(0, 0), (0, 1)}
    assert set(b.readers) == {(0, 0), (1, 0)}
    assert set(c.readers) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_writing_leaves_nothing_but_the_file(path: Path) -> None:
    assert [p.name for p in path.parent.iterdir()] == ["plan-1.json"]


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (["schema"], 2, r"\$\.schema"),
        (["rank"], 0, r"Expected `int` >= 1 - at `\$\.rank`"),
        (["decisions", "accesses", 0, "depth"], 3, r"\$\.decisions\.accesses\[0\]\.depth"),
        (["decisions", "accesses", 1, "pattern"], "gossip", r"\$\.decisions\.accesses\[1\]\.pattern"),
        (["cost", "colour"], "red", r"unknown field `colour` - at `\$\.cost`"),
        (["decisions", "order", 0], ["q"], r"\$\.decisions\.order\[0\]: 'q' is not a parallel dim \(m, n\)"),
        (["decisions", "accesses", 0, "level"], "q", r"accesses\[0\]\.level: 'q' is not a loop of this plan \(k, "),
        (["decisions", "accesses", 0, "groups"], [2], r"groups: expected 2 sizes, one per spatial dim, got 1"),
        (["decisions", "accesses", 0, "groups"], [3, 1], r"groups\[0\]: groups of 3 do not divide 2 cores"),
        (["decisions", "accesses", 0, "groups"], [1, 1], r"pattern: 'multicast' does not go with groups \[1, 1\]"),
        (["decisions", "accesses", 0, "readers"], [[2, 0]], r"readers\[0\]: core \[2, 0\] is not in use"),
        (["decisions", "spatial", 0, "dim"], "z", r"\$\.decisions\.spatial: expected one entry for each of x, y"),
        (["decisions", "spatial", 0, "splits", 0, "dim"], "q", r"dim: 'q' is neither a parallel dim nor a loop"),
        (["decisions", "spatial", 0, "splits", 0, "factor"], 4, r"4 cores along x, the device has 3"),
    ],
)
def test_a_damaged_plan_is_refused_with_its_place(path: Path, at: list[str | int], value: Any, message: str) -> None:
    damage(path, at=at, value=value)
    with pytest.raises(InputError, match=message) as caught:
        read_plan(path)
    assert str(path) in str(caught.value)


def test_text_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan-1.json"
    path.write_bytes(b'{"schema": 1,')
    with pytest.raises(InputError, match=r"plan-1\.json: .*truncated"):
        read_plan(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "plan-9.json")


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="choose another folder"):
        write_plan(tmp_path / "out" / "plan-1.json", toy_file())
