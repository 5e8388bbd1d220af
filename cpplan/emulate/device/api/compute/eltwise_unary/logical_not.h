#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(logical_not_tile_init, LOGICAL_NOT)
template <DataFormat DATA_FORMAT>
EMU_UNARY(logical_not_tile, emu_is_integer(DATA_FORMAT) ? LOGICAL_NOT_INT : LOGICAL_NOT, LOGICAL_NOT)
}  // namespace ckernel
