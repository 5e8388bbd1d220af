#pragma once

#include "emulation/vector.h"

namespace ckernel {
#define EMU_ROUNDED_TILES(name, operation)                                                             \
    ALWI void name(uint32_t idst0, uint32_t idst1, uint32_t odst) {                                    \
        constexpr uint32_t rounding = dst_rounding_mode == DstRoundingMode::NearestEven ? NEAREST_EVEN : 0; \
        emu_vector_binary(operation, operation, idst0, idst1, odst, ALL_FACES | rounding);             \
    }
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_BINARY_TILES(div_binary_tile, DIV_BINARY, DIV_BINARY)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_BINARY_TILES(mul_binary_tile, MUL_BINARY, MUL_BINARY)
template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_ROUNDED_TILES(add_binary_tile, ADD_BINARY)
template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_ROUNDED_TILES(sub_binary_tile, SUB_BINARY)
template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_ROUNDED_TILES(rsub_binary_tile, RSUB_BINARY)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_BINARY_TILES(power_binary_tile, POWER_BINARY, POWER_BINARY)
EMU_BINARY_TILES(eq_binary_tile, EQ_BINARY, EQ_BINARY)
EMU_BINARY_TILES(ne_binary_tile, NE_BINARY, NE_BINARY)
EMU_BINARY_TILES(lt_binary_tile, LT_BINARY, LT_BINARY)
EMU_BINARY_TILES(gt_binary_tile, GT_BINARY, GT_BINARY)
EMU_BINARY_TILES(le_binary_tile, LE_BINARY, LE_BINARY)
EMU_BINARY_TILES(ge_binary_tile, GE_BINARY, GE_BINARY)
EMU_INIT(div_binary_tile_init, DIV_BINARY)
EMU_INIT(mul_binary_tile_init, MUL_BINARY)
EMU_INIT(add_binary_tile_init, ADD_BINARY)
EMU_INIT(sub_binary_tile_init, SUB_BINARY)
EMU_INIT(rsub_binary_tile_init, RSUB_BINARY)
EMU_INIT(power_binary_tile_init, POWER_BINARY)
EMU_INIT(eq_binary_tile_init, EQ_BINARY)
EMU_INIT(ne_binary_tile_init, NE_BINARY)
EMU_INIT(lt_binary_tile_init, LT_BINARY)
EMU_INIT(gt_binary_tile_init, GT_BINARY)
EMU_INIT(le_binary_tile_init, LE_BINARY)
EMU_INIT(ge_binary_tile_init, GE_BINARY)
}  // namespace ckernel
