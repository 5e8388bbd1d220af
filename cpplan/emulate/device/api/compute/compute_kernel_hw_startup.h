#pragma once

#include "emulation/compute.h"

namespace ckernel {
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    emu_startup(reverse ? icb1 : icb0, reverse ? icb0 : icb1, ocb);
}
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) { emu_startup(icb0, icb0, ocb); }
}  // namespace ckernel
