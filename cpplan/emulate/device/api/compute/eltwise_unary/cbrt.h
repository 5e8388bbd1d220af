#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_FP32_UNARY(cbrt, CBRT)
}  // namespace ckernel
