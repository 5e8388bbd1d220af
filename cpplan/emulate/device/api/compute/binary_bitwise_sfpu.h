#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_BINARY_TILES(bitwise_and_binary_tile, AND_BINARY, BITWISE_BINARY)
template <DataFormat data_format>
EMU_BINARY_TILES(bitwise_or_binary_tile, OR_BINARY, BITWISE_BINARY)
template <DataFormat data_format>
EMU_BINARY_TILES(bitwise_xor_binary_tile, XOR_BINARY, BITWISE_BINARY)
EMU_INIT(binary_bitwise_tile_init, BITWISE_BINARY)
}  // namespace ckernel
