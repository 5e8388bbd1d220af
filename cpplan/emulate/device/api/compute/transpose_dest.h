#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init([[maybe_unused]] uint32_t operand = 0) { emu_transpose_dst_init(transpose_of_faces); }
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t idst) { emu_transpose_dst(idst, transpose_of_faces); }
}  // namespace ckernel
