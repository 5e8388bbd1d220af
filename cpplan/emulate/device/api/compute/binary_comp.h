#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(eq_int_tile, EQ_INT, EQ_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(ne_int_tile, NE_INT, NE_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(lt_int_tile, emu_is_unsigned(data_format) ? LT_UINT : LT_INT, LT_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(gt_int_tile, emu_is_unsigned(data_format) ? GT_UINT : GT_INT, GT_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(le_int_tile, emu_is_unsigned(data_format) ? LE_UINT : LE_INT, LE_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(ge_int_tile, emu_is_unsigned(data_format) ? GE_UINT : GE_INT, GE_INT)
template <DataFormat data_format>
EMU_INIT(eq_int_tile_init, EQ_INT)
template <DataFormat data_format>
EMU_INIT(ne_int_tile_init, NE_INT)
template <DataFormat data_format>
EMU_INIT(lt_int_tile_init, LT_INT)
template <DataFormat data_format>
EMU_INIT(gt_int_tile_init, GT_INT)
template <DataFormat data_format>
EMU_INIT(le_int_tile_init, LE_INT)
template <DataFormat data_format>
EMU_INIT(ge_int_tile_init, GE_INT)
}  // namespace ckernel
