#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(left_shift_tile_init, SHIFT_LEFT)
EMU_INIT(right_shift_tile_init, SHIFT_RIGHT)
template <DataFormat data_format>
EMU_UNARY_PARAMETER(left_shift_tile, SHIFT_LEFT, SHIFT_LEFT)
template <DataFormat data_format>
EMU_UNARY_PARAMETER(right_shift_tile, SHIFT_RIGHT, SHIFT_RIGHT)
}  // namespace ckernel
