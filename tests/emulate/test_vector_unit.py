"""Each call of the vector unit equals numpy or math on one tile, in 16-bit and in 32-bit DST."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from emulate.pipeline import compute_source, one_tile, pack_out, run_pipeline

from cpplan.emit_ttmetal.program import FORMAT_CODES, ComputeConfig, DataFormat
from cpplan.emulate import KernelFault
from cpplan.emulate.formats import round_bf16, tilize, untilize


def full_width(inputs: int = 1) -> ComputeConfig:
    """32-bit DST, with fp32 inputs brought there unrounded."""
    return ComputeConfig(fp32_dest_acc=True, unpack_to_dest_fp32=tuple(range(inputs)))


BASE = "compute_kernel_api"

erf = np.vectorize(math.erf)


def bits(value: float) -> str:
    return f"{np.float32(value).view(np.uint32)}u"


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


UNARY: dict[str, tuple[str, str, Callable[[np.ndarray], np.ndarray]]] = {
    "exp": ("eltwise_unary/exp", "exp_tile_init(); exp_tile(0);", np.exp),
    "exp2": (BASE, "exp2_tile_init(); exp2_tile(0);", np.exp2),
    "expm1": (BASE, "expm1_tile_init(); expm1_tile(0);", np.expm1),
    "log": (BASE, "log_tile_init(); log_tile(0);", np.log),
    "log1p": ("eltwise_unary/log1p", "log1p_tile_init(); log1p_tile(0);", np.log1p),
    "sqrt": ("eltwise_unary/sqrt", "sqrt_tile_init(); sqrt_tile(0);", np.sqrt),
    "rsqrt": ("eltwise_unary/rsqrt", "rsqrt_tile_init(); rsqrt_tile(0);", lambda x: 1 / np.sqrt(x)),
    "recip": ("eltwise_unary/recip", "recip_tile_init(); recip_tile(0);", lambda x: 1 / x),
    "tanh": (BASE, "tanh_tile_init(); tanh_tile(0);", np.tanh),
    "sigmoid": (BASE, "sigmoid_tile_init(); sigmoid_tile(0);", sigmoid),
    "silu": (BASE, "silu_tile_init(); silu_tile(0);", lambda x: x * sigmoid(x)),
    "gelu": (
        "eltwise_unary/gelu",
        "gelu_tile_init<false>(); gelu_tile<false>(0);",
        lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    ),
    "erf": ("eltwise_unary/erf_erfc", "erf_tile_init<false>(); erf_tile<false>(0);", erf),
    "relu": ("eltwise_unary/relu", "relu_tile_init(); relu_tile(0);", lambda x: np.maximum(x, 0)),
    "relu_max": (
        "eltwise_unary/relu",
        f"relu_max_tile_init(); relu_max_tile(0, {bits(1.5)});",
        lambda x: np.clip(x, 0, 1.5),
    ),
    "leaky_relu": (
        "eltwise_unary/relu",
        f"leaky_relu_tile_init(); leaky_relu_tile(0, {bits(0.25)});",
        lambda x: np.where(x < 0, x * 0.25, x),
    ),
    "abs": (BASE, "abs_tile_init(); abs_tile(0);", np.abs),
    "negative": ("eltwise_unary/negative", "negative_tile_init(); negative_tile(0);", np.negative),
    "square": (BASE, "square_tile_init(); square_tile(0);", np.square),
    "power": (BASE, f"power_tile_init(); power_tile(0, {bits(1.5)});", lambda x: np.power(x, 1.5)),
    "sign": (BASE, "sign_tile_init(); sign_tile(0);", np.sign),
    "sin": ("eltwise_unary/trigonometry", "sin_tile_init(); sin_tile(0);", np.sin),
    "cos": ("eltwise_unary/trigonometry", "cos_tile_init(); cos_tile(0);", np.cos),
    "atan": ("eltwise_unary/trigonometry", "atan_tile_init(); atan_tile(0);", np.arctan),
    "floor": ("eltwise_unary/rounding", "rounding_op_tile_init(); floor_tile(0);", np.floor),
    "ceil": ("eltwise_unary/rounding", "rounding_op_tile_init(); ceil_tile(0);", np.ceil),
    "trunc": ("eltwise_unary/rounding", "rounding_op_tile_init(); trunc_tile(0);", np.trunc),
    "fill": ("eltwise_unary/fill", "fill_tile_init(); fill_tile(0, 2.5f);", lambda x: np.full_like(x, 2.5)),
    "eqz": ("eltwise_unary/comp", "eqz_tile_init(); eqz_tile(0);", lambda x: x == 0),
    "nez": ("eltwise_unary/comp", "nez_tile_init(); nez_tile(0);", lambda x: x != 0),
    "gtz": ("eltwise_unary/comp", "gtz_tile_init(); gtz_tile(0);", lambda x: x > 0),
    "ltz": ("eltwise_unary/comp", "ltz_tile_init(); ltz_tile(0);", lambda x: x < 0),
    "gez": ("eltwise_unary/comp", "gez_tile_init(); gez_tile(0);", lambda x: x >= 0),
    "lez": ("eltwise_unary/comp", "lez_tile_init(); lez_tile(0);", lambda x: x <= 0),
    "unary_gt": ("eltwise_unary/comp", f"unary_gt_tile_init(); unary_gt_tile(0, {bits(1)});", lambda x: x > 1),
    "unary_le": ("eltwise_unary/comp", f"unary_le_tile_init(); unary_le_tile(0, {bits(1)});", lambda x: x <= 1),
    "unary_ne": ("eltwise_unary/comp", f"unary_ne_tile_init(); unary_ne_tile(0, {bits(1)});", lambda x: x != 1),
    "unary_max": (BASE, f"unary_max_tile_init(); unary_max_tile(0, {bits(1)});", lambda x: np.maximum(x, 1)),
    "add scalar": (
        "eltwise_unary/binop_with_scalar",
        f"binop_with_scalar_tile_init(); add_unary_tile(0, {bits(0.75)});",
        lambda x: x + 0.75,
    ),
    "div scalar": (
        "eltwise_unary/binop_with_scalar",
        f"binop_with_scalar_tile_init(); div_unary_tile(0, {bits(0.25)});",
        lambda x: x / 4,
    ),
    "rsub scalar": (
        "eltwise_unary/binop_with_scalar",
        f"binop_with_scalar_tile_init(); rsub_unary_tile(0, {bits(0.75)});",
        lambda x: 0.75 - x,
    ),
    "rsub": ("eltwise_unary/rsub", f"rsub_tile_init(); rsub_tile(0, {bits(0.75)});", lambda x: 0.75 - x),
    "rdiv": ("eltwise_unary/rdiv", f"rdiv_tile_init(); rdiv_tile(0, {bits(3)});", lambda x: 3 / x),
    "clamp": (
        "eltwise_unary/clamp",
        f"clamp_tile_init(); clamp_tile(0, {bits(-1)}, {bits(1)});",
        lambda x: x.clip(-1, 1),
    ),
    "logical_not": (
        "eltwise_unary/logical_not",
        "logical_not_tile_init(); logical_not_tile<DataFormat::Float16_b>(0);",
        lambda x: x == 0,
    ),
    "isnan": ("eltwise_unary/isinf_isnan", "isnan_tile_init(); isnan_tile(0);", np.isnan),
}
POSITIVE = {"log", "log1p", "sqrt", "rsqrt", "power"}

BINARY: dict[str, tuple[str, str, Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "add": ("eltwise_binary_sfpu", "add_binary_tile_init(); add_binary_tile(0, 1, 0);", np.add),
    "sub": ("eltwise_binary_sfpu", "sub_binary_tile_init(); sub_binary_tile(0, 1, 0);", np.subtract),
    "mul": ("eltwise_binary_sfpu", "mul_binary_tile_init(); mul_binary_tile(0, 1, 0);", np.multiply),
    "div": ("eltwise_binary_sfpu", "div_binary_tile_init(); div_binary_tile(0, 1, 0);", np.divide),
    "rsub": ("eltwise_binary_sfpu", "rsub_binary_tile_init(); rsub_binary_tile(0, 1, 0);", lambda x, y: y - x),
    "power": ("eltwise_binary_sfpu", "power_binary_tile_init(); power_binary_tile(0, 1, 0);", lambda x, y: x**y),
    "max": ("binary_max_min", "binary_max_tile_init(); binary_max_tile(0, 1, 0);", np.maximum),
    "min": ("binary_max_min", "binary_min_tile_init(); binary_min_tile(0, 1, 0);", np.minimum),
    "lt": ("eltwise_binary_sfpu", "lt_binary_tile_init(); lt_binary_tile(0, 1, 0);", np.less),
    "eq": ("eltwise_binary_sfpu", "eq_binary_tile_init(); eq_binary_tile(0, 1, 0);", np.equal),
    "mask": ("mask", "mask_tile_init(); mask_tile(0, 1);", lambda x, y: np.where(y == 0, 0, x)),
}


def values(positive: bool = False) -> np.ndarray:
    x = np.random.default_rng(3).uniform(0.2 if positive else -3, 3, (1, 1024)).astype(np.float32)
    if not positive:
        x[0, :8] = [0, 1, -1, 0.5, -0.5, 2, -2, 1.5]
    return round_bf16(x)


@pytest.mark.parametrize("fp32", [False, True])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, fp32: bool) -> None:
    header, call, expected = UNARY[name]
    x = values(name in POSITIVE)
    if name in ("recip", "rdiv"):
        x[x == 0] = 1
    format: DataFormat = "fp32" if fp32 else "bf16"
    got = run_pipeline(
        compute_source([header], one_tile(call)), [(x, format)], (1, format), full_width() if fp32 else None
    )
    np.testing.assert_allclose(got, expected(x.astype(np.float64)), rtol=1e-5 if fp32 else 8e-3, atol=1e-5)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    header, call, expected = BINARY[name]
    x, y = values(name == "power"), np.roll(values(name in ("power", "div")), 5)
    got = run_pipeline(compute_source([header], one_tile(call, 2)), [(x, "bf16"), (y, "bf16")])
    np.testing.assert_allclose(got, expected(x.astype(np.float64), y), rtol=8e-3, atol=1e-5)


@pytest.mark.parametrize("fp32", [False, True])
def test_where_picks_by_condition(fp32: bool) -> None:
    x, y = values(), np.roll(values(), 7)
    c = (x > y).astype(np.float32)
    name = "Float32" if fp32 else "Float16_b"
    call = f"where_tile_init(); where_tile<DataFormat::{name}>(0, 1, 2, 0);"
    format: DataFormat = "fp32" if fp32 else "bf16"
    got = run_pipeline(
        compute_source(["eltwise_unary/where"], one_tile(call, 3)),
        [(c, format), (x, format), (y, format)],
        (1, format),
        full_width(3) if fp32 else None,
    )
    assert np.array_equal(got, np.where(c != 0, x, y))


def test_where_of_halves_on_a_32_bit_dst_is_a_fault() -> None:
    call = "where_tile_init(); where_tile<DataFormat::Float16_b>(0, 1, 2, 0);"
    tiles = [(values(), "fp32")] * 3
    with pytest.raises(KernelFault, match="where_tile of bf16 on a 32-bit DST"):
        run_pipeline(compute_source(["eltwise_unary/where"], one_tile(call, 3)), tiles, (1, "fp32"), full_width(3))


INTEGER: dict[str, tuple[str, str, Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "add": ("add_int_sfpu", "add_int_tile_init(); add_int_tile<DataFormat::Int32>(0, 1, 0);", np.add),
    "sub": ("sub_int_sfpu", "sub_int_tile_init(); sub_int_tile<DataFormat::Int32>(0, 1, 0);", np.subtract),
    "mul": (
        "mul_int_sfpu",
        "mul_int_tile_init<DataFormat::Int32>(); mul_int_tile<DataFormat::Int32>(0, 1, 0);",
        np.multiply,
    ),
    "max": ("binary_max_min", "binary_max_int32_tile_init(); binary_max_int32_tile(0, 1, 0);", np.maximum),
    "and": (
        "binary_bitwise_sfpu",
        "binary_bitwise_tile_init(); bitwise_and_binary_tile<DataFormat::Int32>(0, 1, 0);",
        np.bitwise_and,
    ),
    "floor_divide": ("div_int32_floor", "div_int32_floor_tile_init(); div_int32_floor_tile(0, 1, 0);", np.floor_divide),
    "remainder": ("binary_remainder", "remainder_int32_tile_init(); remainder_int32_tile(0, 1, 0);", np.remainder),
    "less": ("binary_comp", "lt_int_tile_init<DataFormat::Int32>(); lt_int_tile<DataFormat::Int32>(0, 1, 0);", np.less),
    "shift": (
        "eltwise_unary/shift",
        "left_shift_tile_init(); left_shift_tile<DataFormat::Int32>(0, 3);",
        lambda x, _: x << 3,
    ),
}


@pytest.mark.parametrize("name", INTEGER)
def test_integer(name: str) -> None:
    header, call, expected = INTEGER[name]
    draw = np.random.default_rng(5)
    x = draw.integers(-(2**15), 2**15, (1, 1024), dtype=np.int32)
    y = draw.integers(1, 2**12, (1, 1024), dtype=np.int32) * draw.choice(np.array([-1, 1], np.int32), (1, 1024))
    got = run_pipeline(
        compute_source([header], one_tile(call, 2)),
        [(x, "int32"), (y, "int32")],
        (1, "int32"),
        ComputeConfig(fp32_dest_acc=True),
    )
    assert np.array_equal(got, expected(x, y).astype(np.int32))


CASTS: list[tuple[DataFormat, DataFormat]] = [
    ("fp32", "int32"),
    ("int32", "fp32"),
    ("fp32", "bf16"),
    ("bf16", "uint16"),
    ("uint16", "fp32"),
    ("int32", "uint16"),
]


@pytest.mark.parametrize("source, target", CASTS)
def test_typecast(source: DataFormat, target: DataFormat) -> None:
    x = np.round(np.random.default_rng(2).uniform(0, 250, (1, 1024))).astype(np.float32)
    codes = f"{FORMAT_CODES[source]}, {FORMAT_CODES[target]}"
    call = f"typecast_tile_init<{codes}>(); typecast_tile<{codes}>(0);"
    config = ComputeConfig(fp32_dest_acc=True, unpack_to_dest_fp32=(0,) if source == "fp32" else ())
    got = run_pipeline(compute_source(["eltwise_unary/typecast"], one_tile(call)), [(x, source)], (1, target), config)
    assert np.array_equal(got.astype(np.float32), x)


EDGES: list[tuple[DataFormat, list[float], DataFormat, list[int]]] = [
    ("fp32", [1.9, -1.9, 3e9, -3e9], "int32", [1, -1, 2**31 - 1, -(2**31)]),
    ("fp32", [1.5, 2.5, -4.0, 70000.0], "uint16", [2, 2, 0, 65535]),
    ("fp32", [255.9, 257.0, -1.0, 3e9], "uint8", [255, 1, 255, 0]),
    ("int32", [-5, 65536, 7, 65535], "uint16", [0, 65535, 7, 65535]),
]


@pytest.mark.parametrize("source, values, target, expected", EDGES)
def test_typecast_at_the_edges(
    source: DataFormat, values: list[float], target: DataFormat, expected: list[int]
) -> None:
    """Saturation, rounding and wrapping as ckernel_sfpu_typecast.h has them."""
    x = np.zeros((1, 1024), np.float32 if source == "fp32" else np.int32)
    x[0, :4] = values
    codes = f"{FORMAT_CODES[source]}, {FORMAT_CODES[target]}"
    call = f"typecast_tile_init<{codes}>(); typecast_tile<{codes}>(0);"
    config = full_width() if source == "fp32" else ComputeConfig(fp32_dest_acc=True)
    got = run_pipeline(compute_source(["eltwise_unary/typecast"], one_tile(call)), [(x, source)], (1, target), config)
    assert got[0, :4].astype(np.int64).tolist() == expected


def test_cumsum_runs_down_columns_and_carries_over() -> None:
    x = round_bf16(np.random.default_rng(4).uniform(0, 1, (64, 32)).astype(np.float32))
    body = """
    cumsum_tile_init();
    for (uint32_t t = 0; t < 2; ++t) {
        tile_regs_acquire(); copy_init(0); cb_wait_front(0, 1); copy_tile(0, 0, 0); cb_pop_front(0, 1);
        cumsum_tile(0, t == 0);
        tile_regs_commit(); tile_regs_wait(); cb_reserve_back(16, 1); pack_tile(0, 16);
        cb_push_back(16, 1); tile_regs_release();
    }
    """
    got = run_pipeline(compute_source(["cumsum"], body), [(tilize(x), "fp32")], (2, "fp32"), full_width())
    np.testing.assert_allclose(untilize(got, 64, 32), np.cumsum(x, axis=0), rtol=1e-5)


def test_sums_of_two_tiles_truncate_in_16_bits_unless_asked_to_round() -> None:
    x, y = np.full((1, 1024), 1.0, np.float32), np.full((1, 1024), 3 * 2.0**-9, np.float32)
    for mode, expected in (("Default", 1.0), ("NearestEven", 1.0 + 2.0**-7)):
        call = f"add_binary_tile_init(); add_binary_tile<DstRoundingMode::{mode}>(0, 1, 0);"
        got = run_pipeline(compute_source(["eltwise_binary_sfpu"], one_tile(call, 2)), [(x, "bf16"), (y, "bf16")])
        assert np.array_equal(got, np.full((1, 1024), expected))


def test_a_call_without_its_init_is_a_fault() -> None:
    source = compute_source(["eltwise_unary/exp", "eltwise_unary/recip"], one_tile("exp_tile_init(); recip_tile(0);"))
    with pytest.raises(KernelFault, match="without its init") as fault:
        run_pipeline(source, [(values(), "bf16")])
    assert fault.value.kind == "setup"
    assert fault.value.line is not None
    assert "recip_tile" in source.splitlines()[fault.value.line - 1]


@pytest.mark.parametrize("dim", ["ROW", "COL"])
@pytest.mark.parametrize("pool", ["SUM", "MAX", "MIN"])
@pytest.mark.parametrize("format", ["bf16", "fp32", "int32"])
def test_reduce_of_the_vector_unit(format: DataFormat, pool: str, dim: str) -> None:
    """Columns end in row 0, rows in column 0; the rest of the tile is not specified."""
    names: dict[DataFormat, str] = {"bf16": "Float16_b", "fp32": "Float32", "int32": "Int32"}
    draw = np.random.default_rng(8)
    x = draw.integers(-99, 99, (32, 32)).astype(np.int32 if format == "int32" else np.float32)
    pair = f"PoolType::{pool}, DataFormat::{names[format]}"
    call = f"sfpu_reduce_init<{pair}>(); sfpu_reduce<{pair}, ReduceDim::REDUCE_{dim}>(0);"
    config = None if format == "bf16" else full_width() if format == "fp32" else ComputeConfig(fp32_dest_acc=True)
    tile = untilize(
        run_pipeline(compute_source([BASE], one_tile(call)), [(tilize(x), format)], (1, format), config), 32, 32
    )
    reduction = {"SUM": np.sum, "MAX": np.max, "MIN": np.min}[pool]
    got, expected = (tile[:, 0], reduction(x, axis=1)) if dim == "ROW" else (tile[0, :], reduction(x, axis=0))
    np.testing.assert_allclose(got, expected, rtol=8e-3)


def test_row_reduction_of_the_vector_unit_over_two_tiles() -> None:
    x = round_bf16(np.random.default_rng(9).uniform(-1, 1, (32, 64)).astype(np.float32))
    pair = "PoolType::MAX, DataFormat::Float16_b"
    body = f"""
    copy_init(0); cb_wait_front(0, 2); tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1);
    sfpu_reduce_init<{pair}>(); sfpu_reduce<{pair}, ReduceDim::REDUCE_ROW>(0, 2, 1);
    tile_regs_commit(); {pack_out()} cb_pop_front(0, 2);
    """
    got = run_pipeline(compute_source([BASE], body), [(tilize(x), "bf16")])
    assert np.array_equal(untilize(got, 32, 32)[:, 0], x.max(axis=1))
