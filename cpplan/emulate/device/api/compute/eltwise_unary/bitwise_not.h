#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_PLAIN_UNARY(bitwise_not, BITWISE_NOT)
}  // namespace ckernel
