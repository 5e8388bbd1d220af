#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(add_int_tile, ADD_INT, ADD_INT)
EMU_INIT(add_int_tile_init, ADD_INT)
}  // namespace ckernel
