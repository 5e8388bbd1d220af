#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(sub_int_tile, SUB_INT, SUB_INT)
template <DataFormat data_format>
EMU_BINARY_TILES(rsub_int_tile, RSUB_INT, RSUB_INT)
EMU_INIT(sub_int_tile_init, SUB_INT)
EMU_INIT(rsub_int_tile_init, RSUB_INT)
}  // namespace ckernel
