// Shapes of the vector unit's calls; the headers of api/compute give them the vendor's names.
#pragma once

#include "emulation/compute.h"

#define EMU_INIT(name, operation) \
    ALWI void name() { emu_vector_init(operation); }
#define EMU_UNARY(name, operation, init) \
    ALWI void name(uint32_t idst) { emu_vector_unary(operation, init, idst, 0, 0, ALL_FACES); }
#define EMU_UNARY_PARAMETER(name, operation, init) \
    ALWI void name(uint32_t idst, uint32_t param0) { emu_vector_unary(operation, init, idst, param0, 0, ALL_FACES); }
#define EMU_UNARY_PARAMETERS(name, operation, init) \
    ALWI void name(uint32_t idst, uint32_t param0, uint32_t param1) { emu_vector_unary(operation, init, idst, param0, param1, ALL_FACES); }
// name_tile_init() and name_tile(idst), the latter with the template parameter for 32-bit DST
#define EMU_FP32_UNARY(name, operation)                \
    EMU_INIT(name##_tile_init, operation)              \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE> \
    EMU_UNARY(name##_tile, operation, operation)
#define EMU_PLAIN_UNARY(name, operation)  \
    EMU_INIT(name##_tile_init, operation) \
    EMU_UNARY(name##_tile, operation, operation)
#define EMU_PLAIN_PARAMETER(name, operation) \
    EMU_INIT(name##_tile_init, operation)    \
    EMU_UNARY_PARAMETER(name##_tile, operation, operation)
#define EMU_BINARY_TILES(name, operation, init) \
    ALWI void name(uint32_t idst0, uint32_t idst1, uint32_t odst) { emu_vector_binary(operation, init, idst0, idst1, odst, ALL_FACES); }

namespace ckernel {
constexpr bool is_uint32_format(DataFormat format) { return format == DataFormat::UInt32; }
constexpr bool emu_is_integer(DataFormat f) {
    return f == DataFormat::Int32 || f == DataFormat::UInt32 || f == DataFormat::UInt16 || f == DataFormat::UInt8;
}
constexpr bool emu_is_unsigned(DataFormat f) { return emu_is_integer(f) && f != DataFormat::Int32; }
constexpr uint32_t emu_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
}  // namespace ckernel
