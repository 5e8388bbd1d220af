"""`cpplan emit --explain` against the program itself: what the host script hands over and what the kernels say."""

from __future__ import annotations

import itertools
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpplan.cli import main
from cpplan.cli.emitted import sending_lines
from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.arguments import core_arguments

pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from emit import fake_ttnn
from emit_cells import CASES as CELLS
from emit_cells import Planned

EXAMPLES = Path(__file__).parents[2] / "examples"
PLACE = re.compile(r"\((\d+), (\d+)\)")


@dataclass(frozen=True)
class Emitted:
    """What was printed, the names of the host script, and the text of the kernels."""

    text: str
    host: dict[str, Any]
    kernels: dict[str, str]

    def section(self, head: str) -> list[str]:
        """Lines from the one that begins with ``head`` to the next empty one."""
        lines = self.text.splitlines()
        start = next(n for n, line in enumerate(lines) if line.startswith(head))
        end = next((n for n in range(start, len(lines)) if not lines[n]), len(lines))
        return lines[start + 1 : end]


@pytest.fixture
def emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(file: str, chip: str, options: str, sizes: str) -> Emitted:
        monkeypatch.setitem(sys.modules, "ttnn", fake_ttnn.module(chip))
        arguments = [
            str(EXAMPLES / f"{file}.py"),
            "--device",
            chip,
            *options.split(),
            "--explain",
            "--out",
            str(tmp_path),
        ]
        result = CliRunner().invoke(main, ["emit", *arguments, "--", *sizes.split()])
        assert result.exit_code == 0, result.output
        kernels = {path.name: path.read_text() for path in (tmp_path / "kernels").iterdir()}
        return Emitted(result.stdout, runpy.run_path(str(tmp_path / "host.py")), kernels)

    return make


CASES = (
    ("matmul", "wormhole", "--cores 4x4 --pin a_ptr.broadcast=row --pin b_ptr.broadcast=column", "256 256 128"),
    ("matmul", "blackhole", "--cores 4x2 --pin k.cores=4 --pin combine=ring", "128 128 256"),
    ("flash_decode", "wormhole", "--cores 2x4 --launch decode_part_kernel --pin combine=tree", "2 8 2 512 64 2"),
    ("softmax", "blackhole", "--cores 2x2", "33 100"),
    ("split_k_matmul", "wormhole", "--cores 2x2", "64 64 256"),
)


@pytest.mark.parametrize(("file", "chip", "options", "sizes"), CASES)
def test_buffers_semaphores_and_kernels_are_those_of_the_host_script(
    emitted: Any, file: str, chip: str, options: str, sizes: str
) -> None:
    made = emitted(file, chip, options, sizes)
    rows = [re.split(r"\s{2,}", line.strip()) for line in made.section("Circular buffers")[1:]]
    shown = [(int(row[0]), int(row[3]) * int(row[4]), int(row[6].replace(",", ""))) for row in rows]
    assert shown == [(index, pages, page_bytes * pages) for index, _, page_bytes, pages in made.host["BUFFERS"]]
    semaphores = [line for line in made.section("Semaphores") if line != "  none"]
    assert len(semaphores) == made.host["SEMAPHORES"]
    for name, noc in made.host["NOC_OF_KERNEL"].items():
        head = next(line for line in made.text.splitlines() if line.startswith(f"kernels/{name}.cpp on "))
        assert head.endswith("(compute)" if noc is None else f"NoC {noc}")


@pytest.mark.parametrize(("file", "chip", "options", "sizes"), CASES)
def test_what_a_kernel_moves_is_what_its_text_moves(
    emitted: Any, file: str, chip: str, options: str, sizes: str
) -> None:
    made = emitted(file, chip, options, sizes)
    for name, text in made.kernels.items():
        steps = "\n".join(made.section(f"kernels/{name}"))
        for kind, accesses in (("load", "reserve_back"), ("store", "wait_front")):
            moved = set(re.findall(rf"^\s*{kind} (\w+),", steps, re.MULTILINE))
            state = re.compile("combine_|outgoing_")
            used = {b for b in re.findall(rf"cb_{accesses}\(cb_(\w+), pages", text) if not state.match(b)}
            assert moved == used or name == "compute.cpp"
        counters = set(re.findall(r"for \(int32_t ((?:wave|turn)_\w+) = 0", text))
        assert {c.replace(".", "_") for c in re.findall(r"^\s*for ([\w.]+),", steps, re.MULTILINE)} >= counters


def test_readers_and_receivers_are_those_of_the_arguments(emitted: Any) -> None:
    """In the arguments of a core, after its digits: reads, inside, reader, first and last corner, receivers."""
    made = emitted(*CASES[0])
    digits = 2
    for line in made.section("Who sends to whom"):
        access, network = re.match(r"\s+(\w+), multicast over NoC (\d)", line).groups()  # type: ignore[union-attr]
        arguments = made.host["ARGUMENTS"][f"move_noc{network}"]
        reading = {core: words for core, words in arguments.items() if words[digits] == 1}
        shown = {}
        for group in line.partition(": ")[2].split("; "):
            reader, *corners = [(int(x), int(y)) for x, y in PLACE.findall(group)]
            shown[reader] = (corners[0], corners[-1])
        assert access in ("a_ptr", "b_ptr") and len(shown) == 4
        assert shown == {core: tuple(sorted(words[digits + 3 : digits + 5])) for core, words in reading.items()}


def test_a_ring_lists_its_cores_in_order(emitted: Any) -> None:
    made = emitted(*CASES[1])
    (line,) = [line for line in made.section("Who sends to whom") if line.lstrip().startswith("loop k")]
    network = re.search(r"over NoC (\d), around the ring", line)[1]  # type: ignore[index]
    rings = {tuple(words[-4:]) for words in made.host["ARGUMENTS"][f"move_noc{network}"].values()}
    shown = [
        tuple((int(x), int(y)) for x, y in PLACE.findall(ring))
        for ring in line.partition("ring: ")[2].partition("; then")[0].split("; ")
    ]
    assert set(shown) == rings and len(shown) == 2
    assert "combine the states of loop k in a ring" in made.text


def test_a_tree_halves_the_cores_in_every_round(emitted: Any) -> None:
    made = emitted(*CASES[2])
    rounds = [line for line in made.section("Who sends to whom") if "round" in line]
    pairs = [line.count(" to ") for line in rounds]
    assert pairs and pairs == sorted(pairs, reverse=True)
    assert "loop start combined in a tree" in made.text


def test_what_nobody_shares_is_said(emitted: Any) -> None:
    made = emitted(*CASES[3])
    assert made.section("Semaphores") == ["  none"]
    assert made.section("Who sends to whom") == ["  nobody"]
    assert "every core reads its own" in made.text and "reduce_max, sub, exp (softmax.py:30)" in made.text


def test_a_chain_is_listed_from_its_reader_on() -> None:
    """Neighbours pass a tile on; the first argument of a link, after the digits, says whether the core reads."""
    case = next(case for case in CELLS if case.name == "matmul, forwarded")
    schedule = Planned(case, "even", load_device("wormhole", cores="4x4")).made("a_ptr.broadcast=forward").schedule
    (line,) = [line for line in sending_lines(schedule) if line.startswith("a_ptr, core to core")]
    chains = [[(int(x), int(y)) for x, y in PLACE.findall(chain)] for chain in line.partition(": ")[2].split("; ")]
    for (x, y), (following_x, following_y) in (pair for chain in chains for pair in itertools.pairwise(chain)):
        assert abs(following_x - x) + abs(following_y - y) == 1
    assert sorted(core for chain in chains for core in chain) == sorted(schedule.digits)
    stream = schedule.stream("a_ptr")
    digits = len(next(iter(schedule.digits.values())))
    reading = {core for core, words in core_arguments(schedule, stream.noc).items() if words[digits] == 1}
    assert {chain[0] for chain in chains} == reading
