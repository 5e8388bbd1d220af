"""Control over decisions from the command line and from Python: pins, forbidden decisions, plans of the user."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import cpplan
from cpplan.cli import main
from cpplan.cost.model import evaluate
from cpplan.device.spec import load_device
from cpplan.errors import InputError
from cpplan.plan.artifact import read_plan

KERNELS = str(Path(__file__).with_name("kernels.py"))
DEVICE = load_device("wormhole", cores="2x2", derate=["dram=0.2"])
ON = ("--device", "wormhole", "--cores", "2x2", "--derate", "dram=0.2")


def run(command: str, *options: str | Path, argv: tuple[str, ...] = ("512",)) -> Result:
    return CliRunner().invoke(main, [command, KERNELS, *ON, *map(str, options), "--", *argv])


def solved(out: Path, *options: str | Path) -> Path:
    """The best plan's file."""
    result = run("solve", "--out", out, *options)
    assert result.exit_code == 0, result.output
    (folder,) = out.iterdir()
    return folder / "plan-1.json"


@pytest.fixture(scope="module")
def best(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solved(tmp_path_factory.mktemp("best"))


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The best plan without any sharing of reads."""
    return solved(tmp_path_factory.mktemp("private"), "--pin", "*.broadcast=private")


def decisions(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())["decisions"]


def test_pins_hold_and_are_recorded_word_by_word(tmp_path: Path) -> None:
    file = solved(tmp_path, "--pin", "a.broadcast=column", "--pin", "order=m,n", "--forbid", "b.level=launch")
    plan = read_plan(file)
    assert plan.plan().placement("a").groups[0] == 1
    assert plan.plan().placement("a").groups[1] > 1
    assert plan.plan().order in ((("m",), ("n",)), (("m", "n"),))
    assert plan.plan().placement("b").level != ""
    pins, forbids = ("a.broadcast=column", "order=m,n"), ("b.level=launch",)
    assert (plan.restriction.pins, plan.restriction.forbids) == (pins, forbids)
    certificate = json.loads((file.parent / "certificate.json").read_text())
    assert (certificate["pins"], certificate["forbids"]) == (list(pins), list(forbids))


def test_pins_cost_what_they_cost(best: Path, private: Path) -> None:
    assert read_plan(best).cost.makespan_cycles < read_plan(private).cost.makespan_cycles
    assert all(place.pattern == "private" for place in read_plan(private).plan().placements)


def test_what_is_forbidden_is_not_there(tmp_path: Path, best: Path) -> None:
    plan = read_plan(best)
    level = plan.plan().placement("a").level or "launch"
    other = read_plan(solved(tmp_path, "--forbid", f"a.level={level}"))
    assert other.plan().placement("a").level != plan.plan().placement("a").level
    assert other.cost.makespan_cycles >= plan.cost.makespan_cycles


def test_a_plan_file_pins_its_plan(tmp_path: Path, private: Path) -> None:
    again = read_plan(solved(tmp_path, "--pin-file", private))
    assert again.plan() == read_plan(private).plan()


def test_a_partial_plan_pins_what_is_in_it(tmp_path: Path, private: Path) -> None:
    partial = {"decisions": {"accesses": [{"access": "a", "pattern": "private", "noc": 1}]}}
    (tmp_path / "partial.json").write_text(json.dumps(partial))
    place = read_plan(solved(tmp_path / "out", "--pin-file", tmp_path / "partial.json")).plan().placement("a")
    assert (place.pattern, place.noc) == ("private", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "missing required field `decisions`"),
        ('{"decisions": {"colour": 1}}', r"unknown field `colour` - at `\$\.decisions`"),
        ('{"decisions": {"accesses": [{"access": "a", "depth": 3}]}}', r"\$\.decisions\.accesses\[0\]\.depth"),
        ('{"decisions": {"accesses": [{"access": "q", "depth": 2}]}}', "q.depth=2: product on .* has no 'q'"),
    ],
)
def test_a_partial_plan_that_cannot_be_used_is_one_message(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "partial.json").write_text(text)
    result = run("solve", "--out", tmp_path / "out", "--pin-file", tmp_path / "partial.json")
    assert result.exit_code == 2
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(result.stderr)
    assert str(tmp_path / "partial.json") in result.stderr
    assert not (tmp_path / "out").exists()


def test_pins_that_contradict_each_other_are_named_and_no_others(tmp_path: Path) -> None:
    pins = ("a.depth=2", "a.broadcast=row", "b.noc=0", "a.group=1x1", "order=none")
    options = [word for pin in pins for word in ("--pin", pin)]
    result = run("solve", "--out", tmp_path, *options)
    assert result.exit_code == 3
    assert "No plan satisfies all of --pin a.broadcast=row, --pin a.group=1x1: drop any one of them" in result.stdout
    assert "noc" not in result.stdout


def test_a_pin_that_takes_too_much_sram_says_so(tmp_path: Path) -> None:
    result = run("solve", "--out", tmp_path, "--pin", "a.level=launch", "--pin", "order=m,n", argv=("4096", "128"))
    assert result.exit_code == 3, result.output
    assert "too large for SRAM" in result.stdout


def test_a_plan_of_the_user_is_scored_as_the_model_scores_it(private: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"decisions": decisions(private)}))
    result = run("explain", "--plan", mine, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["rank"], data["runner_up"]) == (None, None)
    assert data["cost"] == json.loads(private.read_text())["cost"]
    text = run("explain", "--plan", mine).stdout
    assert "product on wormhole[2x2][dram=0.2], mine.json:" in text


def test_a_plan_of_the_user_in_another_form_is_the_same_plan(tmp_path: Path) -> None:
    """A fused loop may be written as loops inside each other, as long as no transfer sits between them."""
    file = solved(tmp_path / "fused", "--pin", "order=m.n")
    chosen = decisions(file)
    chosen["order"] = [["n"], ["m"]]
    for access in chosen["accesses"]:
        access["level"] = access["level"].replace("wave.m.n", "wave.m")
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"decisions": chosen}))
    checked = cpplan.evaluate(KERNELS, mine, argv=["512"], device=DEVICE)
    assert checked.violations == ()
    assert checked.plan == read_plan(file).plan()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("order"), r"decides everything:\n.*order: absent"),
        (lambda d: d["accesses"].pop(), r"accesses: c is absent"),
        (lambda d: d["accesses"][0].pop("noc"), r"accesses: a has no noc"),
        (lambda d: d["block"].update(BM=96), r"product is not offered with BM=96.*there are BM=64"),
        (lambda d: d["accesses"][0].update(level="q"), r"a: q is not a loop with more than one trip \(launch, .*k\)"),
        (lambda d: d["accesses"][2].update(level="k"), r"c: level k is not possible here; possible: "),
        (lambda d: d["accesses"][0].update(noc=7), r"a: .* has networks 0 to 1, not 7"),
        (lambda d: d["spatial"][0].update(splits=[{"dim": "m", "factor": 3}]), r"3 cores along x, the device has 2"),
        (lambda d: d["spatial"][0].update(splits=[{"dim": "q", "factor": 2}]), r"q is nothing that cores divide"),
    ],
)
def test_a_plan_that_breaks_a_rule_is_refused_with_the_rule(
    private: Path, tmp_path: Path, change: Any, message: str
) -> None:
    chosen = decisions(private)
    change(chosen)
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"decisions": chosen}))
    result = run("explain", "--plan", mine)
    assert result.exit_code == 2
    assert str(mine) in result.stderr
    with pytest.raises(AssertionError, match=f"(?s){message}"):
        raise AssertionError(result.stderr)


def test_against_the_optimum_all_differences_and_the_way_there_are_shown(private: Path, best: Path) -> None:
    result = run("explain", "--against", private, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    mine, optimum = read_plan(private).cost, read_plan(best).cost
    terms = {term["name"]: (term["this"], term["other"]) for term in data["runner_up"]["terms"]}
    assert terms["makespan cycles"] == (optimum.makespan_cycles, mine.makespan_cycles)
    assert terms["DRAM bytes"] == (optimum.dram_bytes, mine.dram_bytes)
    changes = data["runner_up"]["changes"]
    assert changes[-1]["makespan_cycles"] == optimum.makespan_cycles
    for field in ("makespan_cycles", "dram_bytes", "noc_bytes", "sram_bytes"):
        assert sum(step["saved"][field] for step in changes) == getattr(mine, field) - getattr(optimum, field)


def test_the_way_to_the_optimum_in_words(private: Path) -> None:
    text = run("explain", "--against", private).stdout
    assert "From plan-1.json to plan 1, always the change that recovers most" in text
    assert "instead of private" in text
    assert " cycles" in text


def test_options_for_kernels_do_not_go_with_plan_files(best: Path) -> None:
    result = CliRunner().invoke(main, ["explain", str(best), "--pin", "a.depth=1"])
    assert result.exit_code == 2
    assert "go with a kernel file" in result.stderr


def test_python_pins_and_evaluates(private: Path) -> None:
    solution = cpplan.solve(KERNELS, argv=["512"], device=DEVICE, pin=["*.broadcast=private"])
    assert solution.plans[0].plan == read_plan(private).plan()
    for plan in (private, solution.plans[0].plan):
        checked = cpplan.evaluate(KERNELS, plan, argv=["512"], device=DEVICE)
        assert checked.violations == ()
        assert checked.cost == evaluate(checked.program, DEVICE, solution.plans[0].plan)


def test_python_reports_a_plan_that_is_only_too_large_for_sram() -> None:
    plan = cpplan.solve(KERNELS, argv=["1024", "128"], device=DEVICE, pin=["a.level=launch"]).plans[0].plan
    small = replace(DEVICE, sram=replace(DEVICE.sram, size=DEVICE.sram.reserved + 200_000))
    checked = cpplan.evaluate(KERNELS, plan, argv=["1024", "128"], device=small)
    assert checked.cost is not None
    assert len(checked.violations) == 1
    assert checked.violations[0].startswith("SRAM capacity: ")


def test_python_names_what_is_wrong_with_a_pin() -> None:
    with pytest.raises(InputError, match="has no 'z'"):
        cpplan.solve(KERNELS, device=DEVICE, pin=["z.depth=1"])
