#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_BINARY_TILES(div_int32_floor_tile, DIV_FLOOR_INT, DIV_FLOOR_INT)
EMU_INIT(div_int32_floor_tile_init, DIV_FLOOR_INT)
EMU_BINARY_TILES(div_int32_trunc_tile, DIV_TRUNC_INT, DIV_TRUNC_INT)
EMU_INIT(div_int32_trunc_tile_init, DIV_TRUNC_INT)
}  // namespace ckernel
