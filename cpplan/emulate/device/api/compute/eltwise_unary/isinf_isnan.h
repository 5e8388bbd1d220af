#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_PLAIN_UNARY(isinf, ISINF)
EMU_PLAIN_UNARY(isposinf, ISPOSINF)
EMU_PLAIN_UNARY(isneginf, ISNEGINF)
EMU_PLAIN_UNARY(isnan, ISNAN)
EMU_PLAIN_UNARY(isfinite, ISFINITE)
}  // namespace ckernel
