#pragma once

#include "api/compute/common.h"

namespace ckernel {
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, uint32_t = 0) {
    static_assert(reduce_type != PoolType::MIN, "The FPU reduce has no MIN");
    emu_reduce_init(uint32_t(reduce_type), uint32_t(reduce_dim), icb, icb_scaler, ocb);
}
ALWI void reduce_uninit([[maybe_unused]] uint32_t icb = 0) { emu_reduce_uninit(); }
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst) {
    emu_reduce(uint32_t(reduce_type), uint32_t(reduce_dim), icb, icb_scaler, itile, itile_scaler, idst);
}
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_block(uint32_t icb, uint32_t icb_scaler, uint32_t start_itile, uint32_t itile_scaler, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t i = 0; i < ntiles; ++i)
        emu_reduce(uint32_t(reduce_type), uint32_t(reduce_dim), icb, icb_scaler, start_itile + i, itile_scaler, start_idst + i);
}
}  // namespace ckernel
