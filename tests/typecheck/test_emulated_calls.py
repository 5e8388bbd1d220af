"""Calls that the emulation's tests make compile against the vendor's headers, so the emulation follows the real API."""

from __future__ import annotations

import pytest
from emulate.test_matrix_unit import AXES, OPS, VECTORS
from emulate.test_vector_unit import BINARY, CASTS, INTEGER, UNARY

from cpplan.emit_ttmetal.program import FORMAT_CODES, ComputeConfig
from cpplan.typecheck import check_kernel

pytestmark = pytest.mark.vendor
COMMON = (
    "compute_kernel_hw_startup",
    "matmul",
    "tile_move_copy",
    "eltwise_binary",
    "bcast",
    "reduce",
    "transpose",
    "pack",
    "tilize",
    "pack_untilize",
)


def one_unit(headers: set[str], calls: list[str]) -> str:
    includes = "".join(f'#include "api/compute/{header}.h"\n' for header in [*COMMON, *sorted(headers)])
    bodies = "".join(f"    {{ {call} }}\n" for call in calls)
    return f"{includes}void kernel_main() {{\n    compute_kernel_hw_startup(0, 1, 16);\n{bodies}}}\n"


def vector_calls() -> tuple[set[str], list[str]]:
    tables = [*UNARY.values(), *BINARY.values(), *INTEGER.values()]
    codes = [f"{FORMAT_CODES[a]}, {FORMAT_CODES[b]}" for a, b in CASTS]
    casts = [f"typecast_tile_init<{pair}>(); typecast_tile<{pair}>(0);" for pair in codes]
    where = [f"where_tile_init(); where_tile<DataFormat::{name}>(0, 1, 2, 0);" for name in ("Float32", "Float16_b")]
    headers = {header for header, *_ in tables} | {"eltwise_unary/typecast", "eltwise_unary/where", "cumsum"}
    reductions = [
        f"sfpu_reduce_init<{pair}>(); sfpu_reduce<{pair}, ReduceDim::REDUCE_{dim}>(0, 1, 1);"
        for dim in ("ROW", "COL")
        for pair in ("PoolType::SUM, DataFormat::Float16_b", "PoolType::MIN, DataFormat::Int32")
    ]
    others = [*casts, *where, *reductions, "cumsum_tile_init(); cumsum_tile(0, true);"]
    return headers, [call for _, call, _ in tables] + others


def matrix_calls() -> list[str]:
    calls = []
    for op in OPS:
        calls.append(f"{op}_init(0, 1); {op}_tiles(0, 1, 0, 0, 0);")
        calls += [f"{op}_bcast_{kind}_init(0, 1); {op}_tiles_bcast_{kind}(0, 1, 0, 0, 0);" for kind in VECTORS]
        for reuse in ("DEST_TO_SRCA", "DEST_TO_SRCB"):
            name = f"EltwiseBinaryReuseDestType::{reuse}"
            calls.append(f"{op}_reuse_dest_init<{name}>(1); {op}_reuse_dest_tiles<{name}>(1, 0, 0);")
    for dim in AXES:
        for pool in ("SUM", "MAX"):
            arguments = f"PoolType::{pool}, ReduceDim::REDUCE_{dim}"
            calls.append(
                f"reduce_init<{arguments}>(0, 1, 16); reduce_tile<{arguments}>(0, 1, 0, 0, 0); reduce_uninit();"
            )
    calls += [
        f"unary_bcast_init<BroadcastType::{k}>(0); unary_bcast<BroadcastType::{k}>(0, 0, 0);" for k in ("ROW", "COL")
    ]
    calls += ["transpose_init(0); transpose_tile(0, 0, 0);", "pack_reconfig_l1_acc(1); pack_tile<true>(0, 16, 0);"]
    calls += ["reconfig_data_format(0, 1); reconfig_data_format_srca(0, 1); pack_reconfig_data_format(16);"]
    calls += ["tilize_init(0, 3, 16); tilize_block(0, 3, 16); tilize_uninit(0, 16);"]
    calls += ["pack_untilize_init<3>(0, 16); pack_untilize_block<3>(0, 1, 16); pack_untilize_uninit(16);"]
    return calls


@pytest.mark.parametrize("fp32", [False, True])
@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_calls_compile_against_the_real_headers(arch: str, fp32: bool) -> None:
    headers, calls = vector_calls()
    found = check_kernel(
        one_unit(headers, calls + matrix_calls()),
        "compute",
        arch,  # type: ignore[arg-type]
        formats={0: "bf16", 1: "bf16", 16: "bf16"},
        compute=ComputeConfig(fp32_dest_acc=fp32),
    )
    assert found == ()
