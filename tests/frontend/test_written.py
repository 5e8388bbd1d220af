"""Launches written as options: --kernel with --arg, --constexpr and --grid."""

from pathlib import Path

import pytest

from cpplan.errors import InputError
from cpplan.frontend import read_problems
from cpplan.frontend.expressions import evaluate_grid, parse_argument, parse_values
from cpplan.frontend.launch import TensorArgument
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem

MATMUL = str(Path(__file__).parents[2] / "examples" / "matmul.py")
ARGS = [
    "a_ptr=bf16[512,256]", "b_ptr=bf16[256,1024]", "c_ptr=bf16[512,1024]", "M=512", "N=1024", "K=256", "stride_am=256",
    "stride_ak=1", "stride_bk=1024", "stride_bn=1", "stride_cm=1024", "stride_cn=1",
]  # fmt: skip
BLOCKS = ["BLOCK_M=64,128", "BLOCK_N=64", "BLOCK_K=32", "GROUP_M=4", "ACTIVATION=None"]
GRID = "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"


def matmul(
    args: list[str] = ARGS, constexprs: list[str] = BLOCKS, grid: str | None = GRID, **options: object
) -> Problem:
    (problem,) = read_problems(
        MATMUL, kernel="matmul_kernel", args=args, constexprs=constexprs, grid=grid, **options  # type: ignore[arg-type]
    )  # fmt: skip
    return problem


def test_values_of_constexprs_are_candidates() -> None:
    (family,) = matmul().families
    assert [dict(block)["BLOCK_M"] for block in family.blocks] == [64, 128]
    assert candidate_program(family, 1).dims[0].extent == 4


def test_written_and_captured_launch_give_the_same_program() -> None:
    (captured,) = read_problems(MATMUL, argv=["512", "1024", "256"])
    written = matmul(constexprs=["BLOCK_M=128", "BLOCK_N=64", "BLOCK_K=64", "GROUP_M=8", "ACTIVATION=leaky_relu"])
    (family,) = captured.families
    index = [tuple(v for _, v in block[:3]) for block in family.blocks].index((128, 64, 64))
    assert candidate_program(written.families[0], 0) == candidate_program(family, index)


def test_tuned_configurations_stand_in_for_missing_constexprs() -> None:
    assert len(matmul(constexprs=["ACTIVATION=None"]).families[0].blocks) == 8


def test_free_parameters_of_a_written_launch() -> None:
    (family,) = matmul(free=["BLOCK_M"]).families
    assert [dict(block)["BLOCK_M"] for block in family.blocks] == list(range(32, 513, 32))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"args": ARGS[:-1]}, "also needs --arg stride_cn=..."),
        ({"args": [*ARGS, "stride_xx=1"]}, "no such parameter"),
        ({"args": [*ARGS, "BLOCK_M=64"]}, "--arg BLOCK_M: kernel matmul_kernel has no such parameter"),
        ({"constexprs": ["BLOK_M=64"]}, "did you mean BLOCK_M"),
        ({"grid": None}, "--kernel needs --grid"),
        ({"grid": "Q"}, "'Q' is not a scalar of this launch"),
        ({"grid": "__import__('os')"}, "only integers, scalar names"),
    ],
)
def test_mistakes_get_one_message(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        matmul(**options)  # type: ignore[arg-type]


def test_unknown_kernel_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"there is no kernel 'gemm'; it has leaky_relu, matmul_kernel"):
        read_problems(MATMUL, kernel="gemm", grid="1")


def test_options_without_a_kernel_are_refused() -> None:
    with pytest.raises(InputError, match="name one"):
        read_problems(MATMUL, args=["M=4"])


def test_tensor_descriptions() -> None:
    assert parse_argument("a=bf16[4,8]") == ("a", TensorArgument("bf16", (4, 8), (8, 1)))
    assert parse_argument("a=fp8e4[4,8]:1,4") == ("a", TensorArgument("fp8e4", (4, 8), (1, 4)))
    assert parse_argument("scale=0.5") == ("scale", 0.5)


@pytest.mark.parametrize("text", ["a", "a=", "=3", "a=bf17[4]", "a=bf16[0]", "a=bf16[4,4]:1", "a=word"])
def test_bad_descriptions(text: str) -> None:
    with pytest.raises(InputError, match="--arg"):
        parse_argument(text)


def test_constexpr_values() -> None:
    assert parse_values("B=64,128") == ("B", [64, 128])
    assert parse_values("ACT=relu,None,True") == ("ACT", ["relu", None, True])
    with pytest.raises(InputError, match="empty value"):
        parse_values("B=64,,128")


def test_grid_expressions() -> None:
    assert evaluate_grid("32,32", {}) == (32, 32, 1)
    assert evaluate_grid("triton.cdiv(M, 96), 2*M//4, max(1, M % 3)", {"M": 100}) == (2, 50, 1)
    with pytest.raises(InputError, match="at least 1"):
        evaluate_grid("M // 200", {"M": 100})
