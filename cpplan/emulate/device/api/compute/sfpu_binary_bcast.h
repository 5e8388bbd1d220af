#pragma once

#include "emulation/vector.h"

namespace ckernel {
#define EMU_TILE_VECTOR(name, op, kind)                  \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE> \
    ALWI void name(uint32_t dst_data_idx, uint32_t dst_vec_idx) { emu_vector_broadcast(op, kind, dst_data_idx, dst_vec_idx); }
EMU_INIT(sfpu_bcast_col_init, BROADCAST_COLUMN)
EMU_INIT(sfpu_add_bcast_col_init, BROADCAST_COLUMN)
EMU_INIT(sfpu_sub_bcast_col_init, BROADCAST_COLUMN)
EMU_INIT(sfpu_mul_bcast_col_init, BROADCAST_COLUMN)
EMU_INIT(sfpu_bcast_row_init, BROADCAST_ROW)
EMU_INIT(sfpu_add_bcast_row_init, BROADCAST_ROW)
EMU_INIT(sfpu_sub_bcast_row_init, BROADCAST_ROW)
EMU_INIT(sfpu_mul_bcast_row_init, BROADCAST_ROW)
EMU_TILE_VECTOR(sfpu_add_bcast_col, 0, 1)
EMU_TILE_VECTOR(sfpu_sub_bcast_col, 1, 1)
EMU_TILE_VECTOR(sfpu_mul_bcast_col, 2, 1)
EMU_TILE_VECTOR(sfpu_add_bcast_row, 0, 2)
EMU_TILE_VECTOR(sfpu_sub_bcast_row, 1, 2)
EMU_TILE_VECTOR(sfpu_mul_bcast_row, 2, 2)
}  // namespace ckernel
