"""Element-wise calls, broadcasts, reductions and transposes of the matrix unit equal numpy, traps included."""

from __future__ import annotations

import numpy as np
import pytest
from emulate.pipeline import compute_source, one_tile, pack_out, run_pipeline

from cpplan.emit_ttmetal.program import ComputeConfig, DataFormat
from cpplan.emulate import KernelFault
from cpplan.emulate.formats import round_bf16, tilize, untilize

TAKE = "cb_wait_front(0, 1); cb_wait_front(1, 1);"
DROP = "cb_pop_front(0, 1); cb_pop_front(1, 1);"
OPS = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
STARTUP = "compute_kernel_hw_startup(0, 1, 16);"


def matrix(seed: int, rows: int = 32, columns: int = 32) -> np.ndarray:
    return round_bf16(np.random.default_rng(seed).uniform(-2, 2, (rows, columns)).astype(np.float32))


def two_operands(init: str, call: str, header: str, x: np.ndarray, y: np.ndarray, seed: int = 0) -> np.ndarray:
    body = f"{TAKE} {init} tile_regs_acquire(); {call} tile_regs_commit(); {pack_out()} {DROP}"
    source = compute_source([header], body, STARTUP)
    return untilize(run_pipeline(source, [(tilize(x), "bf16"), (tilize(y), "bf16")], seed=seed), 32, 32)


@pytest.mark.parametrize("op", OPS)
def test_elementwise(op: str) -> None:
    x, y = matrix(1), matrix(2)
    got = two_operands(f"{op}_init(0, 1);", f"{op}_tiles(0, 1, 0, 0, 0);", "eltwise_binary", x, y)
    np.testing.assert_allclose(got, OPS[op](x, y), rtol=8e-3, atol=1e-6)


VECTORS = {
    "cols": lambda y: y[:, :1],
    "rows": lambda y: y[:1, :],
    "scalar": lambda y: y[:1, :1],
}


@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("op", OPS)
def test_broadcast_takes_the_first_column_row_or_element(op: str, kind: str) -> None:
    x, y = matrix(3), matrix(4)
    got = two_operands(f"{op}_bcast_{kind}_init(0, 1);", f"{op}_tiles_bcast_{kind}(0, 1, 0, 0, 0);", "bcast", x, y)
    np.testing.assert_allclose(got, OPS[op](x, VECTORS[kind](y)), rtol=8e-3, atol=1e-6)


def test_products_add_up_in_dst_and_sums_replace() -> None:
    """ELWMUL accumulates whatever its init says; ELWADD overwrites unless acc_to_dest."""
    x, y = matrix(5), matrix(6)
    twice = "{0}_tiles(0, 1, 0, 0, 0); {0}_tiles(0, 1, 0, 0, 0);"
    product = two_operands("mul_init(0, 1, false);", twice.format("mul"), "eltwise_binary", x, y)
    np.testing.assert_allclose(product, 2 * x * y, rtol=1.6e-2, atol=1e-6)
    total = two_operands("add_init(0, 1);", twice.format("add"), "eltwise_binary", x, y)
    np.testing.assert_allclose(total, x + y, rtol=8e-3, atol=1e-6)
    total = two_operands("add_init(0, 1, true);", twice.format("add"), "eltwise_binary", x, y)
    np.testing.assert_allclose(total, 2 * (x + y), rtol=1.6e-2, atol=1e-6)


@pytest.mark.parametrize("order, expected", [("DEST_TO_SRCA", 1), ("DEST_TO_SRCB", -1)])
def test_reuse_of_dst_keeps_the_order_of_operands(order: str, expected: int) -> None:
    """DST as srcA: DST - tile; as srcB: tile - DST."""
    x, y = matrix(7), matrix(8)
    reuse = f"EltwiseBinaryReuseDestType::{order}"
    got = two_operands(
        "copy_init(0);",
        f"copy_tile(0, 0, 0); sub_reuse_dest_init<{reuse}>(1); sub_reuse_dest_tiles<{reuse}>(1, 0, 0);",
        "eltwise_binary",
        x,
        y,
    )
    np.testing.assert_allclose(got, expected * (x - y), rtol=8e-3, atol=1e-6)


def reduce_source(pool: str, dim: str, tiles: int, uninit: bool = True) -> str:
    arguments = f"PoolType::{pool}, ReduceDim::REDUCE_{dim}"
    swapped = dim == "ROW" and pool != "MAX"
    startup = f"compute_kernel_hw_startup({'1, 0' if swapped else '0, 1'}, 16);"
    reduce = f"for (uint32_t i = 0; i < {tiles}; ++i) reduce_tile<{arguments}>(0, 1, i, 0, 0);"
    body = f"""
    cb_wait_front(0, {tiles}); cb_wait_front(1, 1);
    reduce_init<{arguments}>(0, 1, 16);
    tile_regs_acquire(); {reduce} tile_regs_commit(); {pack_out()}
    {"reduce_uninit();" if uninit else ""}
    cb_pop_front(0, {tiles}); cb_pop_front(1, 1);
    """
    return compute_source(["reduce"], body, startup)


AXES = {"ROW": 1, "COL": 0, "SCALAR": (0, 1)}


@pytest.mark.parametrize("full_scaler", [True, False])
@pytest.mark.parametrize("dim", AXES)
@pytest.mark.parametrize("pool", ["SUM", "MAX"])
@pytest.mark.parametrize("config", [ComputeConfig(), ComputeConfig(fp32_dest_acc=True)], ids=["16", "32"])
def test_reduce_over_three_tiles(pool: str, dim: str, full_scaler: bool, config: ComputeConfig) -> None:
    """Results sit in column 0, row 0 or element (0, 0), everything else is packed as zero."""
    columns = dim == "ROW"
    x = matrix(9, 32, 96) if columns else matrix(9, 96, 32)
    scaler = np.ones((32, 32), np.float32)
    if not full_scaler:  # the vendor's advice: ones in the first row of each face
        scaler[:] = 0
        scaler[[0, 16], :] = 1
    format: DataFormat = "fp32" if config.fp32_dest_acc else "bf16"
    got = untilize(
        run_pipeline(reduce_source(pool, dim, 3), [(tilize(x), "bf16"), (tilize(scaler), "bf16")], (1, format), config),
        32,
        32,
    )
    result = (np.max if pool == "MAX" else np.sum)(x, axis=AXES[dim])
    expected = np.zeros((32, 32), np.float32)
    if dim == "ROW":
        expected[:, 0] = result
    elif dim == "COL":
        expected[0, :] = result
    else:
        expected[0, 0] = result
    tolerance = 0.25 if format == "bf16" and dim == "SCALAR" else 0.1
    np.testing.assert_allclose(got, expected, rtol=1e-2, atol=tolerance if format == "bf16" else 1e-3)


def test_a_negative_maximum_is_found() -> None:
    """DST that nothing wrote counts as minus infinity for a maximum, not as zero."""
    x = round_bf16(-1 - np.abs(matrix(10)))
    got = run_pipeline(reduce_source("MAX", "ROW", 1), [(tilize(x), "bf16"), (np.ones((1, 1024)), "bf16")])
    assert np.array_equal(untilize(got, 32, 32)[:, 0], x.max(axis=1))


def test_the_scaler_counts_twice_in_a_scalar_sum() -> None:
    x, half = np.abs(matrix(11)), np.full((1, 1024), 0.5, np.float32)
    got = run_pipeline(
        reduce_source("SUM", "SCALAR", 1),
        [(tilize(x), "bf16"), (half, "bf16")],
        (1, "fp32"),
        ComputeConfig(fp32_dest_acc=True),
    )
    np.testing.assert_allclose(got[0, 0], x.sum() / 4, rtol=1e-4)


@pytest.mark.parametrize("dim", AXES)
def test_the_vector_unit_reads_anything_where_a_reduction_wrote_nothing(dim: str) -> None:
    """The reduction's mask hides it, except for column 16, which a row's mask lets through; reduce_uninit lifts it."""
    negate = "negative_tile_init(); negative_tile(0);"
    x = matrix(21)
    for uninit in (False, True):
        source = reduce_source("SUM", dim, 1, uninit=False).replace(
            "tile_regs_commit();", f"{negate} tile_regs_commit(); {'reduce_uninit();' if uninit else ''}"
        )
        source = '#include "api/compute/eltwise_unary/negative.h"\n' + source
        got = run_pipeline(source, [(tilize(x), "bf16"), (np.ones((1, 1024)), "bf16")])
        unknown = np.isnan(untilize(got, 32, 32))
        assert not unknown[0, 0]
        assert unknown[:, 16].all() if dim == "ROW" else unknown.any() == uninit
        assert np.delete(unknown, 16, axis=1).any() == uninit


def test_without_reduce_uninit_the_mask_stays() -> None:
    extra = (
        "copy_init(0); cb_wait_front(0, 1); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();" + pack_out()
    )
    for uninit in (True, False):
        source = reduce_source("SUM", "ROW", 1, uninit).replace(
            "cb_pop_front(0, 1);", f"reconfig_data_format_srca(0); {extra} cb_pop_front(0, 1);"
        )
        x = matrix(12)
        got = run_pipeline(source, [(tilize(x), "bf16"), (np.ones((1, 1024)), "bf16")], (2, "bf16"))
        kept = untilize(got[1:], 32, 32)
        assert np.array_equal(kept, x) == uninit
        assert np.array_equal(kept[:, 0], x[:, 0])


@pytest.mark.parametrize("format", ["bf16", "int32"])
def test_transpose(format: DataFormat) -> None:
    x = matrix(13) if format == "bf16" else np.arange(1024, dtype=np.int32).reshape(32, 32)
    body = f"""
    cb_wait_front(0, 1); transpose_init(0);
    tile_regs_acquire(); transpose_tile(0, 0, 0); tile_regs_commit(); {pack_out()} cb_pop_front(0, 1);
    """
    config = ComputeConfig(fp32_dest_acc=format == "int32")
    got = run_pipeline(compute_source(["transpose"], body), [(tilize(x), format)], (1, format), config)
    assert np.array_equal(untilize(got, 32, 32), x.T)


@pytest.mark.parametrize(
    "kind, vector", [("COL", VECTORS["cols"]), ("ROW", VECTORS["rows"]), ("SCALAR", VECTORS["scalar"])]
)
def test_unary_broadcast(kind: str, vector: object) -> None:
    x = matrix(14)
    body = f"""
    cb_wait_front(0, 1); unary_bcast_init<BroadcastType::{kind}>(0);
    tile_regs_acquire(); unary_bcast<BroadcastType::{kind}>(0, 0, 0); tile_regs_commit();
    {pack_out()} cb_pop_front(0, 1);
    """
    got = untilize(run_pipeline(compute_source(["bcast"], body), [(tilize(x), "bf16")]), 32, 32)
    assert callable(vector) and np.array_equal(got, np.broadcast_to(vector(x), (32, 32)))


@pytest.mark.parametrize("transposed", [0, 1])
def test_matmul_of_one_tile(transposed: int) -> None:
    x, y = matrix(15), matrix(16)
    body = f"""{TAKE} matmul_init(0, 1, {transposed});
    tile_regs_acquire(); matmul_tiles(0, 1, 0, 0, 0); tile_regs_commit(); {pack_out()} {DROP}"""
    startup = "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
    got = untilize(
        run_pipeline(
            compute_source(["matmul"], body, startup),
            [(tilize(x), "bf16"), (tilize(y), "bf16")],
            (1, "fp32"),
            ComputeConfig(fp32_dest_acc=True),
        ),
        32,
        32,
    )
    np.testing.assert_allclose(got, x @ (y.T if transposed else y), rtol=1e-5, atol=1e-4)


def test_fp32_through_a_source_register_loses_bits_and_unpack_to_dest_keeps_them() -> None:
    x = np.random.default_rng(17).uniform(1, 2, (1, 1024)).astype(np.float32)
    source = compute_source([], one_tile(""))
    plain = run_pipeline(source, [(x, "fp32")], (1, "fp32"), ComputeConfig(fp32_dest_acc=True))
    full = run_pipeline(source, [(x, "fp32")], (1, "fp32"), ComputeConfig(fp32_dest_acc=True, unpack_to_dest_fp32=(0,)))
    assert np.array_equal(full, x)
    assert not np.array_equal(plain, x)
    np.testing.assert_allclose(plain, x, rtol=2**-10)


@pytest.mark.parametrize("fidelity, kept_a, kept_b", [("LoFi", 4, 6), ("HiFi2", 9, 6), ("HiFi4", 9, 10)])
def test_fidelity_limits_the_mantissas_of_a_product(fidelity: str, kept_a: int, kept_b: int) -> None:
    """In an element-wise product the first operand is srcA (explicit mantissa bits by tt-isa-documentation)."""

    def cut(x: np.ndarray, bits: int) -> np.ndarray:
        return (x.view(np.uint32) & np.uint32(0xFFFFFFFF << (23 - bits) & 0xFFFFFFFF)).view(np.float32)

    x = np.random.default_rng(20).uniform(1, 2, (2, 1024)).astype(np.float32)
    body = (
        f"{TAKE} mul_init(0, 1); tile_regs_acquire(); mul_tiles(0, 1, 0, 0, 0); tile_regs_commit(); {pack_out()} {DROP}"
    )
    config = ComputeConfig(fp32_dest_acc=True, math_fidelity=fidelity)  # type: ignore[arg-type]
    source = compute_source(["eltwise_binary"], body, STARTUP)
    got = run_pipeline(source, [(x[:1], "fp32"), (x[1:], "fp32")], (1, "fp32"), config)
    np.testing.assert_allclose(got, cut(cut(x[:1], 10), kept_a) * cut(cut(x[1:], 10), kept_b), rtol=1e-6)


def test_l1_accumulation_adds_onto_the_page() -> None:
    x = matrix(18)
    body = """
    copy_init(0); cb_wait_front(0, 1); cb_reserve_back(16, 1);
    for (uint32_t i = 0; i < 3; ++i) {
        pack_reconfig_l1_acc(i > 0);
        tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();
        tile_regs_wait(); pack_tile<true>(0, 16, 0); tile_regs_release();
    }
    cb_push_back(16, 1); cb_pop_front(0, 1);
    """
    got = run_pipeline(compute_source([], body), [(tilize(x), "bf16")], (1, "fp32"), ComputeConfig(fp32_dest_acc=True))
    np.testing.assert_allclose(untilize(got, 32, 32), 3 * x, rtol=1e-6)


def test_a_buffer_of_another_format_needs_a_reconfiguration() -> None:
    source = compute_source([], one_tile("", 2).replace("reconfig_data_format_srca(1);", ""))
    with pytest.raises(KernelFault, match="srcA is configured for bf16") as fault:
        run_pipeline(source, [(tilize(matrix(1)), "bf16"), (tilize(matrix(2)), "bfp8_b")])
    assert fault.value.kind == "format"


def test_tilize_and_untilize_are_inverse() -> None:
    """A row-major block of 32 rows becomes tiles, and tiles become rows again."""
    x = matrix(19, 32, 96)
    rows = x.reshape(3, 1024)  # pages as the buffer holds them, whole rows one after the other
    body = "{0} cb_wait_front(0, 3); cb_reserve_back(16, 3); {1} cb_push_back(16, 3); cb_pop_front(0, 3); {2}"
    tile = body.format("tilize_init(0, 3, 16);", "tilize_block(0, 3, 16);", "tilize_uninit(0, 16);")
    tiles = run_pipeline(compute_source(["tilize"], tile), [(rows, "bf16")], (3, "bf16"))
    assert np.array_equal(tiles, tilize(x))
    back = body.format(
        "pack_untilize_init<3>(0, 16);", "pack_untilize_block<3>(0, 1, 16);", "pack_untilize_uninit(16);"
    )
    got = run_pipeline(compute_source(["pack_untilize"], back), [(tilize(x), "bf16")], (3, "bf16"))
    assert np.array_equal(got, rows)
