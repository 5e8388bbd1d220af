"""What the frontend reads from the example files: dims, loops, candidates, masks."""

from pathlib import Path

import pytest

from cpplan.frontend import read_problems
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Affine, Problem, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"


def read(name: str, *argv: int) -> Problem:
    (problem,) = read_problems(str(EXAMPLES / name), argv=[str(n) for n in argv])
    return problem


def candidate(problem: Problem, **block: int) -> TileProgram:
    """The candidate whose block parameters include the given ones."""
    for family in problem.families:
        for index, pairs in enumerate(family.blocks):
            if block.items() <= dict(pairs).items():
                return candidate_program(family, index)
    raise AssertionError(f"no candidate {block}")


def starts(program: TileProgram, name: str) -> list[tuple[int, dict[str, int]]]:
    access = next(a for a in program.accesses if a.name == name)
    return [(start.const, dict(start.terms)) for start in access.starts]


def test_grouped_gemm_is_a_box_of_64_by_128_blocks() -> None:
    program = candidate(read("matmul.py", 8192, 8192, 4096), BLOCK_M=128, BLOCK_N=64)
    assert [(d.name, d.extent) for d in program.dims] == [("pid_m", 64), ("pid_n", 128)]
    assert [(loop.name, loop.trips, loop.total_trips) for loop in program.loops] == [("k", 64, None)]


def test_gemm_accesses_are_affine_in_blocks_and_the_loop() -> None:
    program = candidate(read("matmul.py"), BLOCK_M=128, BLOCK_N=256)
    assert starts(program, "a_ptr") == [(0, {"pid_m": 128}), (0, {"k": 32})]
    assert starts(program, "b_ptr") == [(0, {"k": 32}), (0, {"pid_n": 256})]
    assert starts(program, "c_ptr") == [(0, {"pid_m": 128}), (0, {"pid_n": 256})]
    assert [(a.name, a.tile, a.loop) for a in program.accesses] == [
        ("a_ptr", (128, 32), "k"),
        ("b_ptr", (32, 256), "k"),
        ("c_ptr", (128, 256), None),
    ]


def test_gemm_body_is_one_dot_and_a_leaky_relu() -> None:
    program = candidate(read("matmul.py"), BLOCK_M=128, BLOCK_N=256)
    assert [op.kind for op in program.ops] == ["constant"] * 3 + ["dot", "cmp", "mul", "where", "cast"]
    dot = next(op for op in program.ops if op.kind == "dot")
    assert (dot.shape, dot.dtype, dot.attributes) == ((128, 256), "fp32", (("k", 32),))
    assert dot.operand_dtypes == ("bf16", "bf16", "fp32")
    assert program.loops[0].carries[0].yielded == dot.name
    assert [(b.shape, b.dtype, b.loop) for b in program.buffers] == [((128, 256), "fp32", "k")]


def test_accesses_name_their_source_line() -> None:
    text = (EXAMPLES / "matmul.py").read_text().splitlines()
    for access in candidate(read("matmul.py"), BLOCK_M=128).accesses:
        path, _, line = access.source.rpartition(":")
        assert path.endswith("matmul.py")
        assert f"tl.{access.kind}(" in text[int(line) - 1]


def test_all_autotune_configurations_are_candidates_of_one_family() -> None:
    problem = read("matmul.py")
    (family,) = problem.families
    shapes = [tuple(value for _, value in pairs[:3]) for pairs in family.blocks]
    assert shapes == [
        (64, 64, 64), (64, 128, 64), (128, 64, 64), (128, 128, 32),
        (128, 128, 64), (128, 256, 32), (256, 128, 32), (256, 128, 64),
    ]  # fmt: skip
    assert family.stacked.dims[0].extent.tolist() == [64, 64, 32, 32, 32, 32, 16, 16]  # type: ignore[attr-defined]


def test_configurations_that_differ_in_warps_and_stages_are_one_candidate() -> None:
    (family,) = read("batched_matmul.py").families
    assert len(family.blocks) == 3  # the file declares four


def test_sizes_that_blocks_do_not_divide_are_masked_edges() -> None:
    program = candidate(read("matmul.py", 1000, 900, 500), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)
    assert [(d.name, d.extent) for d in program.dims] == [("pid_m", 8), ("pid_n", 8)]
    assert {a.name: a.masked for a in program.accesses} == {
        "a_ptr": (True, True),
        "b_ptr": (True, True),
        "c_ptr": (True, True),
    }
    assert {a.klass for a in program.accesses} == {"affine"}


def test_masks_that_never_cut_are_dropped() -> None:
    program = candidate(read("matmul.py", 1000, 1024, 512), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)
    assert {a.name: a.masked for a in program.accesses} == {
        "a_ptr": (True, False),
        "b_ptr": (False, False),
        "c_ptr": (True, False),
    }


def test_batch_is_a_dim_and_an_axis() -> None:
    program = candidate(read("batched_matmul.py", 16, 1024, 1024, 128), BLOCK_M=128, BLOCK_N=64)
    assert [(d.name, d.extent) for d in program.dims] == [("batch", 16), ("pid_m", 8), ("pid_n", 16)]
    assert starts(program, "a_ptr") == [(0, {"batch": 1}), (0, {"pid_m": 128}), (0, {"k": 32})]
    assert program.accesses[0].tile == (1, 128, 32)


def test_elementwise_kernel_sees_matrices_as_one_run_of_elements() -> None:
    program = candidate(read("elementwise.py", 4096, 4096), BLOCK=2048)
    assert [(d.name, d.extent) for d in program.dims] == [("pid", 8192)]
    assert {t.shape for t in program.tensors} == {(4096 * 4096,)}
    assert {a.starts for a in program.accesses} == {(Affine(0, (("pid", 2048),)),)}
    assert program.buffers == ()


def test_fingerprint_is_stable_and_tells_sizes_apart() -> None:
    first, again, other = read("matmul.py"), read("matmul.py"), read("matmul.py", 4096, 4096, 2048)
    assert first.fingerprint == again.fingerprint != other.fingerprint


@pytest.mark.parametrize("name", ["matmul.py", "elementwise.py", "batched_matmul.py"])
def test_problem_describes_its_arguments(name: str) -> None:
    problem = read(name)
    assert dict(problem.arguments)[problem.arguments[0][0]].startswith("bf16[")
    assert problem.source.startswith(str(EXAMPLES / name))
