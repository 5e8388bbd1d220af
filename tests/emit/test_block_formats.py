"""Programs with tensors in block formats: their pages, their edges, and what they compute, against numbers that are
rounded here by the definition of the format."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emit.whole import simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compare import largest_error, random_memory, tolerance
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.files import program_files
from cpplan.emit_ttmetal.host import host_script
from cpplan.emit_ttmetal.launch import as_held, device_memory, memory_after
from cpplan.emit_ttmetal.program import Arch, Program
from cpplan.emulate import Stats, run
from cpplan.errors import KernelError, ScheduleError
from cpplan.frontend import read_launches
from cpplan.frontend.find_launch import find_launch
from cpplan.frontend.interpreted import interpret
from cpplan.frontend.launch import Launch
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.family import candidate_program
from cpplan.tile.program import TileProgram
from cpplan.tile.stored import stored_as

KERNELS = Path(__file__).parents[1] / "frontend" / "kernels" / "stored.py"
ARCHS: tuple[Arch, ...] = ("wormhole", "blackhole")
MAGNITUDE = {"bfp8_b": 7, "bfp4_b": 3}
"""Bits of a magnitude, of which the largest one of 16 elements uses all."""


class Made:
    """A launch of the kernels with tensors in ``formats``, planned in the simplest way and emitted."""

    def __init__(self, entry: str, arch: Arch, **formats: str) -> None:
        stored = [f"{name}={format_}" for name, format_ in formats.items()]
        (problem,) = read_launches(str(KERNELS), entry=entry, formats=stored).problems
        device = load_device(arch, cores="2x2@1,1")
        self.program: TileProgram = candidate_program(problem.families[0], 0)
        self.launch: Launch = find_launch(str(KERNELS), problem.name, dict(self.program.block), entry=entry)
        self.schedule: Schedule = build_schedule(self.program, device, simple_plan(self.program, device))

    @property
    def emitted(self) -> Program:
        return emit(self.schedule)

    def run(self, memory: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], Stats]:
        pages, stats = run(self.emitted, device_memory(self.schedule, memory))
        return memory_after(self.schedule, memory, pages), stats


def rounded(matrix: np.ndarray, format_: str) -> np.ndarray:
    """By the definition: 16 neighbours of a row are multiples of 2^(e - bits + 1), where 2^e is the power of two in the
    largest of them; each is the nearest, but no more than the largest that there is."""
    bits, out = MAGNITUDE[format_], np.zeros_like(matrix, dtype=np.float64)
    for (row, column), _ in np.ndenumerate(matrix):
        block = matrix[row, column // 16 * 16 : column // 16 * 16 + 16].astype(np.float64)
        largest = np.abs(block).max()
        if largest:
            step = 2.0 ** (math.floor(math.log2(largest)) - bits + 1)
            number = float(matrix[row, column])
            out[row, column] = math.copysign(min(round(abs(number) / step), 2**bits - 1) * step, number)
    return out


def matrices(shapes: Mapping[str, tuple[int, int]], seed: int = 0) -> dict[str, np.ndarray]:
    """Numbers of very different sizes, as bf16 has them."""
    random = np.random.default_rng(seed)
    drawn = {n: random.standard_normal(s) * np.exp(2 * random.standard_normal(s)) for n, s in shapes.items()}
    return {n: (a.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32) for n, a in drawn.items()}


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", MAGNITUDE)
@pytest.mark.parametrize("columns", [64, 50])
def test_tensors_hold_what_the_format_says(format_: str, columns: int) -> None:
    """Also where rows end inside of 16 elements: the others of these are zeros."""
    made = Made(f"largest({columns}, 0.0)", "wormhole", x=format_)
    x = matrices({"x": (64, columns)})["x"]
    held = as_held(made.program, {"x": x.reshape(-1)})["x"].reshape(64, columns)
    assert np.array_equal(held, rounded(x, format_))


def test_pages_are_exponents_and_then_signed_magnitudes() -> None:
    """A tile is four faces of 16x16; each row of a face has one of the 64 exponents. In row 0: 1.5 and -0.25 share 2^0,
    so they are 96 and 16 of 64ths."""
    made = Made("product(32, 32, 32)", "wormhole", a="bfp8_b")
    a = np.zeros((32, 32), np.float32)
    a[0, 0], a[0, 15], a[0, 16], a[17, 0] = 1.5, -0.25, 4.0, 2.0**-20
    (page,) = device_memory(made.schedule, {n: a.reshape(-1) for n in "abc"})["a"].view(np.uint8).reshape(-1, 1088)
    exponents, elements = page[:64], page[64:]
    assert {row: int(e) for row, e in enumerate(exponents) if e} == {0: 127, 16: 129, 33: 107}
    assert {at: int(e) for at, e in enumerate(elements) if e} == {0: 96, 15: 128 + 16, 256: 64, 512 + 16: 64}


@pytest.mark.parametrize("format_", MAGNITUDE)
def test_random_inputs_are_numbers_that_the_format_has(format_: str) -> None:
    """So what a comparison with the interpreter finds is the program's, not the format's."""
    made = Made("product", "wormhole", a=format_)
    a = random_memory(made.launch, made.program, 3)["a"].reshape(128, 64)
    assert np.array_equal(rounded(a, format_), a)
    assert np.abs(a).max() > 2


def test_a_tensor_in_several_layouts_holds_numbers_of_all_of_them() -> None:
    """Two tiles of it begin at columns 0 and 8, so it is laid out twice, with other sixteens sharing an exponent."""
    made = Made("twice", "wormhole", x="bfp8_b")
    assert [layout.tensor for layout in made.schedule.layouts].count("x") == 2
    x = matrices({"x": (32, 40)})["x"]
    held = as_held(made.program, {"x": x.reshape(-1)})["x"].reshape(32, 40)
    ahead = np.pad(held, ((0, 0), (8, 0)))
    assert np.array_equal(rounded(held, "bfp8_b"), held)
    assert np.array_equal(rounded(ahead, "bfp8_b"), ahead)


# -- programs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ARCHS)
def test_buffers_have_pages_of_the_format(arch: Arch) -> None:
    program = Made("product", arch, a="bfp8_b", b="bfp4_b").emitted
    pages = {buffer.name: (buffer.format, buffer.page_bytes) for buffer in program.buffers}
    assert pages["a"] == ("bfp8_b", 1088)
    assert pages["b"] == ("bfp4_b", 576)
    assert pages["c"] == ("bf16", 2048)
    assert [(tensor.format, tensor.page_bytes) for tensor in program.tensors] == [pages[name] for name in "abc"]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("size", ["128, 96, 64", "100, 90, 70"])
@pytest.mark.parametrize("stored", [{"a": "bfp8_b", "b": "bfp8_b"}, {"b": "bfp8_b"}, {"a": "bfp4_b", "b": "bfp8_b"}])
def test_a_product_of_stored_matrices_is_that_of_their_rounded_numbers(
    arch: Arch, size: str, stored: dict[str, str]
) -> None:
    """Nothing else is lost: the two passes of HiFi2 take seven bits of the left factor (of eight the last is dropped),
    sums are in fp32, and the result is bf16, which has eight bits."""
    made = Made(f"product({size})", arch, **stored)
    m, n, k = map(int, size.split(", "))
    given = matrices({"a": (m, k), "b": (k, n), "c": (m, n)})
    a, b = (rounded(given[name], stored[name]) if name in stored else given[name].astype(np.float64) for name in "ab")
    computed, _ = made.run({name: array.reshape(-1) for name, array in given.items()})
    expected = a @ b
    dropped = 2**-18 if "a" in stored else 2**-7
    bound = 2**-8 * np.abs(expected) + dropped * (np.abs(a) @ np.abs(b))
    assert (np.abs(computed["c"].reshape(m, n) - expected) <= bound).all()


@pytest.mark.parametrize("arch", ARCHS)
def test_transfers_move_the_bytes_of_the_format(arch: Arch) -> None:
    """128x64, 64x128 and 128x128 elements in tiles of 32x32; blocks of 64x32, so 4 blocks read A and 2 read B."""
    made = Made("product(128, 128, 64)", arch, a="bfp8_b", b="bfp4_b", c="bfp8_b")
    _, stats = made.run(random_memory(made.launch, made.program, 0))
    assert stats.dram["a"].read_bytes == 4 * (4 * 2) * 1088
    assert stats.dram["b"].read_bytes == 2 * (2 * 4) * 576
    assert stats.dram["c"].written_bytes == (4 * 4) * 1088


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("format_", MAGNITUDE)
def test_results_are_rounded_to_the_format(arch: Arch, format_: str) -> None:
    """Rows end after 80 elements, five times sixteen: what is computed beyond has exponents of its own."""
    made = Made("product(100, 80, 64)", arch, a="bfp8_b", b="bfp8_b", c=format_)
    given = matrices({"a": (100, 64), "b": (64, 80), "c": (100, 80)})
    computed, _ = made.run({name: array.reshape(-1) for name, array in given.items()})
    found = computed["c"].reshape(100, 80)
    exact = rounded(given["a"], "bfp8_b") @ rounded(given["b"], "bfp8_b")
    assert np.array_equal(rounded(found, format_), found)
    steps = 2.0 ** np.floor(np.log2(np.abs(exact).reshape(100, 5, 16).max(axis=2))) * 2.0 ** (1 - MAGNITUDE[format_])
    error = np.abs(found - exact).reshape(100, 5, 16).max(axis=2)
    assert (error <= 1.01 * steps).all()  # the packer cuts bfp4_b off; bfp8_b is off by a step at the largest magnitude
    assert format_ == "bfp4_b" or np.median(error / steps) <= 0.5


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("entry", ["scale", "head", "largest(50, 0.0)", "product(100, 80, 70, kind='float32')"])
def test_programs_compute_what_the_interpreter_computes(arch: Arch, entry: str) -> None:
    """Element-wise work beside a vector; a mask inside the matrix; one that a block hangs over; a kernel in fp32."""
    made = Made(entry, arch, **({"a": "bfp8_b", "b": "bfp8_b"} if "product" in entry else {"x": "bfp8_b"}))
    memory = random_memory(made.launch, made.program, 1)
    expected = as_held(made.program, interpret(made.launch, memory))
    computed, _ = made.run(memory)
    for tensor in made.program.tensors:
        if made.program.is_written(tensor.name):
            allowed = tolerance(made.program, tensor, expected[tensor.name])
            assert largest_error(computed[tensor.name], expected[tensor.name]) <= allowed


def test_results_may_be_rounded_to_a_neighbour() -> None:
    """Numbers of bfp8_b beside 1.0 are 2^-6 apart, of bfp4_b 2^-2; inputs in these formats allow for nothing more."""
    expected = np.array([1.0])
    allowed = {
        format_: tolerance(made.program, made.program.tensor("c"), expected)
        for format_, made in {
            "bf16": Made("product", "wormhole"),
            "inputs": Made("product", "wormhole", a="bfp8_b", b="bfp8_b"),
            "bfp8_b": Made("product", "wormhole", c="bfp8_b"),
            "bfp4_b": Made("product", "wormhole", c="bfp4_b"),
        }.items()
    }
    assert allowed["inputs"] == allowed["bf16"]
    assert allowed["bfp8_b"] == allowed["bf16"] + 2**-6
    assert allowed["bfp4_b"] == allowed["bf16"] + 2**-2


def test_masked_elements_are_overwritten_by_their_bytes_alone() -> None:
    """Row 41 and those behind become zeros whatever their exponents, which stay: they are the first 64 bytes."""
    program = Made("head", "wormhole", x="bfp8_b").emitted
    (source,) = (kernel.source for kernel in program.kernels if "plan::fill_outside" in kernel.source)
    assert "plan::fill_outside<uint8_t>(at + 64, " in source


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "formats", "reason"),
    [
        ("largest", {"x": "bfp8_b"}, "x cannot be stored as bfp8_b: the mask of load x .* puts -inf .*only zeros"),
        ("largest", {"x": "bfp4_b"}, "x cannot be stored as bfp4_b: the mask of load x .* puts -inf .*only zeros"),
        ("head", {"x": "bfp4_b"}, "x cannot be stored as bfp4_b: the mask of load x .* puts 0.0 .*Store it as bfp8_b"),
        ("product(64, 50, 64)", {"c": "bfp8_b"}, "c cannot be stored as bfp8_b: it is written in rows of 50 elements"),
    ],
)
def test_programs_whose_edges_share_exponents_are_refused_however_they_came(
    entry: str, formats: dict[str, str], reason: str
) -> None:
    """Reading refuses them first; of free block shapes it does so only where none is left."""
    stored = [f"{name}={format_}" for name, format_ in formats.items()]
    with pytest.raises(KernelError, match=f"stored.py:.*{reason.partition(': ')[2]}"):
        read_launches(str(KERNELS), entry=entry, formats=stored)
    (problem,) = read_launches(str(KERNELS), entry=entry).problems
    program, device = stored_as(candidate_program(problem.families[0], 0), formats), load_device("wormhole")
    with pytest.raises(ScheduleError, match=f"stored.py:.*{reason}"):
        build_schedule(program, device, simple_plan(program, device))


# -- the host's side ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ARCHS)
def test_the_host_script_stores_and_brings_back(arch: Arch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch")
    from emit import fake_ttnn

    made = Made("product(100, 80, 70)", arch, b="bfp8_b", c="bfp8_b")
    for name, text in program_files(made.schedule, made.emitted).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setitem(__import__("sys").modules, "ttnn", fake_ttnn.module(arch))
    script: Mapping[str, Any] = runpy.run_path(str(tmp_path / "host.py"))
    assert script["STORED_AS"] == {"b": "bfloat8_b", "c": "bfloat8_b"}
    given = matrices({"a": (100, 70), "b": (70, 80), "c": (100, 80)})
    to_run: Callable[..., Any] = script["run"]
    results = to_run(fake_ttnn.Device(arch), {n: torch.from_numpy(x).bfloat16() for n, x in given.items()})
    computed, _ = made.run({name: array.reshape(-1) for name, array in given.items()})
    assert np.array_equal(results["c"].float().numpy(), computed["c"].reshape(100, 80))


def test_what_a_kernel_keeps_in_fp16_has_no_circular_buffer_in_the_host_library() -> None:
    """The tensors are stored as bfp8_b, so they are no reason; what is kept between two products is."""
    made = Made("chain", "wormhole", a="bfp8_b", b="bfp8_b", c="bfp8_b")
    with pytest.raises(ScheduleError, match="is kept in fp16, which circular buffers of ttnn do not hold"):
        host_script(made.schedule, made.emitted)
