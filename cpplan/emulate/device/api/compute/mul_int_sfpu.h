#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(mul_int_tile, MUL_INT, MUL_INT)
template <DataFormat data_format>
EMU_INIT(mul_int_tile_init, MUL_INT)
}  // namespace ckernel
