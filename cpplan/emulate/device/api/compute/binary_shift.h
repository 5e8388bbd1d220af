#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(binary_left_shift_tile, LEFT_SHIFT_BINARY, SHIFT_BINARY)
template <DataFormat data_format>
EMU_BINARY_TILES(binary_right_shift_tile, RIGHT_SHIFT_BINARY, SHIFT_BINARY)
template <DataFormat data_format>
EMU_BINARY_TILES(binary_logical_right_shift_tile, LOGICAL_SHIFT_BINARY, SHIFT_BINARY)
EMU_INIT(binary_shift_tile_init, SHIFT_BINARY)
}  // namespace ckernel
