#pragma once

#include "emulation/compute.h"

namespace ckernel {
ALWI void tile_regs_acquire() { emu_dst_phase(0); }
ALWI void tile_regs_wait() { emu_dst_phase(2); }
template <bool fp32 = DST_ACCUM_MODE>
ALWI void tile_regs_commit() { emu_dst_phase(1); }
template <bool fp32 = DST_ACCUM_MODE>
ALWI void tile_regs_release() { emu_dst_phase(3); }
}  // namespace ckernel
