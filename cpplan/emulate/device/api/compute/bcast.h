#pragma once

#include "api/compute/common.h"

namespace ckernel {
// Broadcast kinds: 1 column 0 of each row, 2 one row, 3 element (0, 0); always of the second operand.
#define EMU_BROADCAST_INIT(name, op, kind) \
    ALWI void name(uint32_t icb0, uint32_t icb1, uint32_t = 0) { emu_binary_init(op, kind, 0, icb0, icb1); }
#define EMU_BROADCAST(name, op, kind)                                                                       \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                    \
    ALWI void name(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {         \
        emu_binary(op, kind, icb0, icb1, itile0, itile1, idst, 0);                                          \
    }
#define EMU_BROADCAST_ROW(name, op)                                                                                              \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                                         \
    ALWI void name(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) { \
        emu_binary(op, 2, icb0, icb1, itile0, itile1, idst, bcast_row_idx);                                                      \
    }
#define EMU_BROADCAST_ANY(name, op)                                                                                              \
    template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                \
    ALWI void name(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) { \
        emu_binary(op, uint32_t(tBcastDim), icb0, icb1, itile0, itile1, idst, bcast_row_idx);                                    \
    }
EMU_BROADCAST_INIT(add_bcast_cols_init, 0, 1)
EMU_BROADCAST_INIT(sub_bcast_cols_init, 1, 1)
EMU_BROADCAST_INIT(mul_bcast_cols_init, 2, 1)
EMU_BROADCAST_INIT(add_bcast_rows_init, 0, 2)
EMU_BROADCAST_INIT(sub_bcast_rows_init, 1, 2)
EMU_BROADCAST_INIT(mul_bcast_rows_init, 2, 2)
EMU_BROADCAST_INIT(add_bcast_scalar_init, 0, 3)
EMU_BROADCAST_INIT(sub_bcast_scalar_init, 1, 3)
EMU_BROADCAST_INIT(mul_bcast_scalar_init, 2, 3)
EMU_BROADCAST(add_tiles_bcast_cols, 0, 1)
EMU_BROADCAST(sub_tiles_bcast_cols, 1, 1)
EMU_BROADCAST(mul_tiles_bcast_cols, 2, 1)
EMU_BROADCAST_ROW(add_tiles_bcast_rows, 0)
EMU_BROADCAST_ROW(sub_tiles_bcast_rows, 1)
EMU_BROADCAST_ROW(mul_tiles_bcast_rows, 2)
EMU_BROADCAST(add_tiles_bcast_scalar, 0, 3)
EMU_BROADCAST(sub_tiles_bcast_scalar, 1, 3)
EMU_BROADCAST(mul_tiles_bcast_scalar, 2, 3)
EMU_BROADCAST_ANY(add_tiles_bcast, 0)
EMU_BROADCAST_ANY(sub_tiles_bcast, 1)
EMU_BROADCAST_ANY(mul_tiles_bcast, 2)

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, uint32_t = 0) {
    emu_binary_init(uint32_t(tBcastOp), uint32_t(tBcastDim), 0, icb0, icb1);
}
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void any_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    emu_binary(uint32_t(tBcastOp), uint32_t(tBcastDim), icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast_init(uint32_t icb) { emu_unary_broadcast_init(uint32_t(bcast_type), icb); }
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index) {
    emu_unary_broadcast(uint32_t(bcast_type), icb, in_tile_index, dst_tile_index);
}
template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t icb) { emu_buffer_page_bytes(icb); }
}  // namespace ckernel
