"""``--format TENSOR=bfp8_b``: what the launch becomes, and which tensors cannot be stored so, each with one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cpplan.errors import InputError
from cpplan.frontend import read_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.layout import tile_sizes
from cpplan.tile.program import Problem, TileProgram

KERNELS = Path(__file__).parent / "kernels" / "stored.py"
EXAMPLES = Path(__file__).parents[2] / "examples"


def problem(entry: str, *formats: str, path: Path = KERNELS, **options: Any) -> Problem:
    (found,) = read_launches(str(path), entry=entry, formats=formats, **options).problems
    return found


def program(entry: str, *formats: str) -> TileProgram:
    return candidate_program(problem(entry, *formats).families[0], 0)


def refusal(entry: str | None, *formats: str, path: Path = KERNELS, argv: tuple[str, ...] = ()) -> str:
    with pytest.raises(InputError) as refused:
        read_launches(str(path), entry=entry, formats=formats, argv=argv)
    return str(refused.value)


# -- what is planned ---------------------------------------------------------------------------------------------------


def test_tensors_and_what_reads_their_tiles_have_the_format() -> None:
    """The kernel goes on computing in its own types: unpacking makes those of the tiles."""
    found = program("product", "a=bfp8_b")
    assert {tensor.name: tensor.dtype for tensor in found.tensors} == {"a": "bfp8_b", "b": "bf16", "c": "bf16"}
    (dot,) = (op for op in found.ops if op.kind == "dot")
    assert dot.operand_dtypes == ("bfp8_b", "bf16", "fp32")
    assert {op.dtype for op in found.ops} == {op.dtype for op in program("product").ops}


def test_products_read_through_views() -> None:
    """Keys are loaded transposed: the product reads the tile as it lies."""
    reading = read_launches(
        str(EXAMPLES / "matmul_bias_activation.py"), argv=("64", "64", "64"), formats=("w_ptr=bfp8_b",)
    )
    found = candidate_program(reading.problems[0].families[0], 0)
    (dot,) = (op for op in found.ops if op.kind == "dot")
    assert next(op for op in found.ops if op.name == dot.operands[1]).kind == "transpose"
    assert dot.operand_dtypes[:2] == ("bf16", "bfp8_b")


@pytest.mark.parametrize(("format_", "page"), [("bfp8_b", 1024 + 64), ("bfp4_b", 512 + 64)])
def test_a_hardware_tile_has_a_byte_or_half_per_element_and_one_per_sixteen(format_: str, page: int) -> None:
    """Blocks of 64x32 of A and 32x32 of B are 2 and 1 hardware tiles; the block of C and its sum have 2."""
    stored = f"a={format_}", f"b={format_}"
    assert tile_sizes(program("product")) == [2 * 2048, 2048, 2 * 2048, 2 * 4096]
    assert tile_sizes(program("product", *stored)) == [2 * page, page, 2 * 2048, 2 * 4096]


def test_it_is_another_problem_than_without() -> None:
    plain, stored, other = problem("product"), problem("product", "a=bfp8_b"), problem("product", "a=bfp4_b")
    assert len({plain.fingerprint, stored.fingerprint, other.fingerprint}) == 3
    assert dict(stored.arguments)["a"] == "bf16[128,64] as bfp8_b"
    assert dict(stored.arguments)["b"] == dict(plain.arguments)["b"] == "bf16[64,96]"


def test_parameters_that_share_memory_may_share_a_format() -> None:
    found = program("in_place", "x=bfp8_b", "y=bfp8_b")
    assert {tensor.name: tensor.dtype for tensor in found.tensors} == {"y": "bfp8_b", "x": "bfp8_b", "w": "bf16"}


def test_every_launch_takes_the_formats_of_the_tensors_that_it_has() -> None:
    """The second kernel of decoding has neither keys nor values."""
    reading = read_launches(
        str(EXAMPLES / "flash_decode.py"), argv=("2", "8", "2", "512", "64", "2"), formats=("k_ptr=bfp8_b",)
    )
    types = [{tensor.dtype for tensor in item.families[0].stacked.tensors} for item in reading.problems]
    assert ["bfp8_b" in kinds for kinds in types] == [True, False]


def test_block_shapes_that_take_rows_are_left_out() -> None:
    """Of the four configurations of SwiGLU one works on single rows, of which there are no hardware tiles."""
    path, argv = EXAMPLES / "swiglu.py", ("64", "2048")
    shapes = {
        formats: [
            dict(block)["BLOCK_M"]
            for family in read_launches(str(path), argv=argv, formats=formats).problems[0].families
            for block in family.blocks
        ]
        for formats in ((), ("x_ptr=bfp8_b",))
    }
    assert 1 in shapes[()]
    assert sorted(shapes["x_ptr=bfp8_b",]) == sorted(rows for rows in shapes[()] if rows > 1)


@pytest.mark.parametrize(("rows", "left"), [(128, [4, 32, 64]), (96, [4, 32]), (40, [4])])
def test_block_shapes_that_hang_over_are_left_out_where_no_zeros_are_filled_in(rows: int, left: list[int]) -> None:
    """Softmax has blocks of 1, 4, 32 and 64 rows, and what it puts beyond the last ones is minus infinity."""
    (found,) = read_launches(str(EXAMPLES / "softmax.py"), argv=(str(rows), "128"), formats=("x_ptr=bfp8_b",)).problems
    assert sorted(dict(b)["BLOCK_ROWS"] for family in found.families for b in family.blocks) == left


def test_free_block_shapes_are_refused_where_all_of_them_hang_over() -> None:
    softmax: dict[str, Any] = {"path": str(EXAMPLES / "softmax.py"), "free": ("BLOCK_ROWS",)}
    (found,) = read_launches(**softmax, argv=("96", "128"), formats=("x_ptr=bfp8_b",)).problems
    assert found.families
    with pytest.raises(InputError, match=r"the mask of load x_ptr .* puts -inf"):
        read_launches(**softmax, argv=("33", "128"), formats=("x_ptr=bfp8_b",))


@pytest.mark.parametrize(("formats", "depths"), [((), [32]), (("a=bfp8_b", "b=bfp8_b"), [32, 64])])
def test_of_free_block_shapes_those_fit_whose_tiles_fit_as_they_are_stored(
    formats: tuple[str, ...], depths: list[int]
) -> None:
    """Blocks of 32x32 in two steps of 32 take 4 tiles of A and B, one of C in bf16 and one of the sum in fp32."""
    room = 4 * 1088 + 2048 + 4096
    assert room < 4 * 2048 + 2048 + 4096
    (family,) = problem("product", *formats, free=("BM", "BN", "BK"), sram_limit=room).families
    assert [dict(block) for block in family.blocks] == [{"BM": 32, "BN": 32, "BK": depth} for depth in depths]


# -- what is not -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "tensor", "reason"),
    [
        ("counted", "x", "its elements are int32, and block formats hold floating-point numbers"),
        ("by_rows", "x", "the kernel works on rows, which lie in memory as runs of 1,024 elements"),
        ("scale", "w", "the kernel takes vectors of it"),
        ("added", "y", "atomics update its elements one by one"),
        ("gathered", "x", "the kernel does not take whole tiles of it"),
        ("skipped", "x", "the kernel does not take whole tiles of it"),
        ("bits", "x", "the kernel takes its bf16 elements for int16"),
        ("largest", "x", "the mask of load x"),
        ("product(64, 50, 64)", "c", "it is written in rows of 50 elements"),
        ("in_place", "x", "y is the same memory, is written, and has another format"),
    ],
)
def test_what_cannot_be_stored_is_named_with_the_reason(entry: str, tensor: str, reason: str) -> None:
    message = refusal(entry, f"{tensor}=bfp8_b")
    kernel = message.partition(f": {tensor} of ")[2].partition(" cannot be stored as bfp8_b: ")[0]
    assert kernel.endswith("_kernel"), message
    assert f"cannot be stored as bfp8_b: {reason}" in message
    assert f"{KERNELS.name}:" in message.partition(" cannot ")[0]
    advice = ("leave its --format out", "use blocks of several rows", "give both the same")
    assert any(words in message.lower() for words in advice), message


@pytest.mark.parametrize(
    ("formats", "message"),
    [
        (["d=bfp8_b"], "--format d=bfp8_b: product_kernel has no tensor of that name; there is a, b, c"),
        (["M=bfp8_b"], "--format M=bfp8_b: product_kernel has no tensor of that name; there is a, b, c"),
        (["a=fp8"], "--format a=fp8: fp8 is no block format: bfp8_b and bfp4_b are"),
        (["a=bf16"], "--format a=bf16: bf16 is no block format: bfp8_b and bfp4_b are"),
        (["a"], "--format a: write TENSOR=FORMAT, such as a_ptr=bfp8_b"),
        (["=bfp8_b"], "--format =bfp8_b: write TENSOR=FORMAT"),
        (["a=bfp8_b", "a=bfp4_b"], "--format a=bfp4_b: a is to be bfp8_b as well: a tensor has one format"),
    ],
)
def test_options_that_say_nothing_are_refused(formats: list[str], message: str) -> None:
    assert message in refusal("product", *formats)


def test_a_tensor_that_the_kernel_never_touches_is_refused() -> None:
    assert refusal("scale", "unused=bfp8_b") == "--format unused=bfp8_b: scale_kernel neither reads nor writes unused"


def test_no_kernel_declares_a_block_format_itself() -> None:
    with pytest.raises(InputError, match=r"Triton has no bfp8_b tensors: .* as a=bf16\[64,64\].*--format a=bfp8_b"):
        read_launches(str(KERNELS), kernel="product_kernel", args=("a=bfp8_b[64,64]",), grid="1")
