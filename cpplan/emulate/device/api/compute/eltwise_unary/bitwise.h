#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(bitwise_and_tile_init, BITWISE_AND)
EMU_INIT(bitwise_or_tile_init, BITWISE_OR)
EMU_INIT(bitwise_xor_tile_init, BITWISE_XOR)
template <DataFormat data_format>
EMU_UNARY_PARAMETER(bitwise_and_tile, BITWISE_AND, BITWISE_AND)
template <DataFormat data_format>
EMU_UNARY_PARAMETER(bitwise_or_tile, BITWISE_OR, BITWISE_OR)
template <DataFormat data_format>
EMU_UNARY_PARAMETER(bitwise_xor_tile, BITWISE_XOR, BITWISE_XOR)
}  // namespace ckernel
