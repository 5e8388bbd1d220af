#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_PLAIN_UNARY(identity, IDENTITY)
EMU_UNARY(identity_tile_uint32, IDENTITY_INT, IDENTITY)
}  // namespace ckernel
