"""What emitted programs look like: every example kernel in full, in ``golden/``, alternately for the two chips.

``schedule.mlir`` of a folder is what the other files are emitted from, so these tests judge the emitter alone. After a
change that is meant, ``pytest tests/emit/test_golden.py --update`` writes the texts anew from the schedules;
``python tests/emit/test_golden.py`` plans the kernels again first.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpplan.cli import main
from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.files import program_files
from cpplan.emit_ttmetal.movement.kernel import movement_source
from cpplan.emit_ttmetal.program import Arch
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.schedule.build import build_schedule
from cpplan.schedule.parse import parse_schedule
from cpplan.tile.program import Access, Affine, Dim, Loop, Tensor, TileProgram

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden")


@dataclass(frozen=True)
class Golden:
    """A plan of an example on ``cores`` of a chip; ``options`` are those of ``cpplan emit``."""

    name: str
    file: str
    chip: Arch
    sizes: str
    options: str = ""
    cores: str = "2x2"

    def write(self) -> None:
        """Plan it and write the files that ``cpplan emit`` writes."""
        options = [
            *f"--device {self.chip} --cores {self.cores} {self.options}".split(),
            "--out",
            str(GOLDEN / self.name),
        ]
        result = CliRunner().invoke(main, ["emit", f"examples/{self.file}.py", *options, "--", *self.sizes.split()])
        assert result.exit_code == 0, f"{self.name}: {result.output}"

    def files(self) -> dict[str, str]:
        """What the schedule of the folder is emitted as."""
        text = (GOLDEN / self.name / "schedule.mlir").read_text()
        schedule = parse_schedule(text, load_device(self.chip, cores=self.cores))
        return program_files(schedule, emit(schedule))


def multicasts(*accesses: str) -> str:
    """Pins under which the first access is sent along rows and the second down columns."""
    return " ".join(f"--pin {a}.broadcast={way}" for a, way in zip(accesses, ("row", "column"), strict=False))


PROGRAMS = (
    Golden("matmul", "matmul", "wormhole", "128 128 128", multicasts("a_ptr", "b_ptr")),
    Golden("matmul_shared_loop", "matmul", "blackhole", "64 64 200", "--pin k.cores=4 --pin combine=ring"),
    Golden("matmul_bfp8", "matmul", "blackhole", "70 100 72", "--format a_ptr=bfp8_b --format b_ptr=bfp8_b"),
    Golden("matmul_bias_activation", "matmul_bias_activation", "wormhole", "70 60 72"),
    Golden("batched_matmul", "batched_matmul", "blackhole", "4 64 64 64"),
    Golden("persistent_matmul", "persistent_matmul", "wormhole", "256 256 128", multicasts("a_desc", "b_desc")),
    Golden("split_k_matmul", "split_k_matmul", "blackhole", "64 64 256"),
    Golden("attention", "attention", "wormhole", "1 2 2 128 64", "--launch attention_kernel_2"),
    Golden("attention_causal", "attention", "blackhole", "1 2 2 128 32", "--launch attention_kernel"),
    Golden("flash_decode_part", "flash_decode", "wormhole", "2 8 2 256 64 2",
           "--launch decode_part_kernel --pin combine=tree"),
    Golden("flash_decode_combine", "flash_decode", "blackhole", "2 8 2 256 64 2", "--launch decode_combine_kernel"),
    Golden("mamba_chunk_scan", "mamba_chunk_scan", "wormhole", "1 128 2 32 1 32 128"),
    Golden("mamba_chunk_decay", "mamba_chunk_state", "blackhole", "1 128 2 32 1 32 64", "--launch chunk_decay_kernel"),
    Golden("mamba_chunk_state", "mamba_chunk_state", "wormhole", "1 128 2 32 1 32 64", "--launch chunk_state_kernel"),
    Golden("softmax", "softmax", "blackhole", "33 100"),
    Golden("layer_norm", "layer_norm", "wormhole", "33 300"),
    Golden("rms_norm_residual", "rms_norm_residual", "blackhole", "64 128", "--pin w_ptr.broadcast=column"),
    Golden("swiglu", "swiglu", "wormhole", "33 100"),
    Golden("elementwise", "elementwise", "blackhole", "33 100"),
    Golden("helion_matmul", "helion_matmul", "wormhole", "64 64 64"),
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_read_as_they_did(program: Golden, pytestconfig: pytest.Config) -> None:
    folder, files = GOLDEN / program.name, program.files()
    if pytestconfig.getoption("--update"):
        for name, text in files.items():
            (folder / name).write_text(text)
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept == files.keys()
    for name, text in files.items():
        assert text.encode() == (folder / name).read_bytes(), name


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_lines_are_short_and_end_cleanly(program: Golden) -> None:
    for kernel in (GOLDEN / program.name / "kernels").iterdir():
        for number, line in enumerate(kernel.read_text().splitlines(), 1):
            assert len(line) <= 120 and line == line.rstrip(), f"{kernel.name}:{number}"


def test_every_example_has_its_program() -> None:
    assert {program.file for program in PROGRAMS} == {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert {path.name for path in GOLDEN.iterdir() if path.is_dir()} == {program.name for program in PROGRAMS}


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
def test_kernels_of_waves_read_as_they_did(name: str, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--update"):
        (GOLDEN / name).write_text(kernels()[name])
    assert kernels()[name] == (GOLDEN / name).read_text()


if __name__ == "__main__":
    os.chdir(ROOT)
    for one in PROGRAMS:
        if one.file.startswith("helion") and importlib.util.find_spec("helion") is None:
            print(f"{one.name}: left as it is, helion is not installed")
            continue
        shutil.rmtree(GOLDEN / one.name, ignore_errors=True)
        one.write()
