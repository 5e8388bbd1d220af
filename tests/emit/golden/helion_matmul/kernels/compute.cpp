// matmul_bias_gelu on wormhole[2x2]: the computation, the same on all cores.
// Block: tile_m=32, tile_n=32, tile_k=64.
// Plan: along x: pid_0 over 2 cores; along y: pid_1 over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/erf_erfc.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    constexpr uint32_t cb_a = 0;  // 2 pages of bf16: load of a once
    constexpr uint32_t cb_b = 1;  // 2 pages of bf16: load of b once
    constexpr uint32_t cb_bias = 2;  // 1 page of bf16: load of bias once
    constexpr uint32_t cb_c = 3;  // 1 page of bf16: store of c once

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_c);
    cb_wait_front(cb_a, 2);
    cb_wait_front(cb_b, 2);
    cb_wait_front(cb_bias, 1);
    cb_reserve_back(cb_c, 1);
    // to c: dot (helion_matmul.py:21); mul, extern_elementwise, add (:22)
    tile_regs_acquire();
    reconfig_data_format(cb_bias, cb_bias);
    unary_bcast_init<BroadcastType::ROW>(cb_bias);
    unary_bcast<BroadcastType::ROW>(cb_bias, 0, 0);
    unary_bcast_uninit<BroadcastType::ROW>(cb_bias);
    matmul_block_init(cb_a, cb_b, 0, 1, 1, 2);
    for (uint32_t depth = 0; depth < 2; ++depth) {
        matmul_block(cb_a, cb_b, depth, depth, 0, 0, 1, 1, 2);
    }
    copy_dest_values_init();
    copy_dest_values<DataFormat::Float32>(0, 1);
    binop_with_scalar_tile_init();
    mul_unary_tile(1, 0x3f000000u);  // 0.5
    mul_unary_tile(0, 0x3f3504f3u);  // 0.70710677
    erf_tile_init<false>();
    erf_tile<false>(0);
    binop_with_scalar_tile_init();
    add_unary_tile(0, 0x3f800000u);  // 1.0
    mul_binary_tile_init();
    mul_binary_tile(1, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_c);
    pack_tile<true>(0, cb_c, 0);
    tile_regs_release();
    cb_push_back(cb_c, 1);
    cb_pop_front(cb_bias, 1);
    cb_pop_front(cb_b, 2);
    cb_pop_front(cb_a, 2);
}
