#pragma once

#include "api/compute/common.h"

namespace ckernel {
#define EMU_ELEMENTWISE(name, op, accumulate_default)                                                                \
    ALWI void name##_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = accumulate_default, uint32_t = 0) {             \
        emu_binary_init(op, 0, acc_to_dest, icb0, icb1);                                                                   \
    }                                                                                                                      \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                                   \
    ALWI void name##_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {                \
        emu_binary(op, 0, icb0, icb1, itile0, itile1, idst, 0);                                                            \
    }                                                                                                                      \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                                   \
    ALWI void name##_block(uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, \
                           uint32_t ntiles) {                                                                              \
        for (uint32_t i = 0; i < ntiles; ++i) emu_binary(op, 0, icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i, 0); \
    }                                                                                                                      \
    template <EltwiseBinaryReuseDestType reuse_dest>                                                                       \
    ALWI void name##_reuse_dest_init(uint32_t icb, uint32_t = 0) {                                                         \
        static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "reuse_dest must be DEST_TO_SRCA or DEST_TO_SRCB");  \
        emu_reuse_init(op, uint32_t(reuse_dest), icb);                                                                     \
    }                                                                                                                      \
    template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                            \
    ALWI void name##_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {                \
        emu_reuse(op, uint32_t(reuse_dest), in_cb_id, in_tile_index, dst_tile_index);                                      \
    }
EMU_ELEMENTWISE(add, 0, false)
EMU_ELEMENTWISE(sub, 1, false)
EMU_ELEMENTWISE(mul, 2, true)

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
ALWI void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, uint32_t = 0) {
    emu_binary_init(uint32_t(eltwise_binary_type), 0, acc_to_dest, icb0, icb1);
}
}  // namespace ckernel
