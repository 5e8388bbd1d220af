#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_BINARY_TILES(div_int32_tile, DIV_INT, DIV_INT)
EMU_INIT(div_int32_tile_init, DIV_INT)
}  // namespace ckernel
