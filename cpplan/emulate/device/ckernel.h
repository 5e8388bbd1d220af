#pragma once

#include "emulation/kernel.h"

namespace ckernel {
// A load that waits for earlier stores; the host orders them anyway.
template <typename T>
FORCE_INLINE uint32_t load_blocking(volatile T* address) { return uint32_t(*address); }
}  // namespace ckernel
