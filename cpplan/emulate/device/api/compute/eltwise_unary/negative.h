#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_PLAIN_UNARY(negative, NEGATIVE)
EMU_UNARY(negative_tile_int32, NEGATIVE_INT, NEGATIVE)
}  // namespace ckernel
