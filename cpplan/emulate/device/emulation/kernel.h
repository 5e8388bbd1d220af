// What every kernel sees: the vendor's macros, enumerations and constants, for the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "emulation/calls.h"
#include "emulation/operations.h"
#include "kernel_config.h"

#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr
#define ASSERT(...)
#define WAYPOINT(...)
#define DeviceZoneScopedN(...)
#define DPRINT_DATA0(...)
#define DPRINT_DATA1(...)
#define DPRINT_MATH(...)
#define DPRINT_PACK(...)
#define DPRINT_UNPACK(...)

using uint = unsigned int;

enum class DataFormat : uint8_t {
    Float32 = 0, Float16 = 1, Bfp8 = 2, Bfp4 = 3, Tf32 = 4, Float16_b = 5, Bfp8_b = 6, Bfp4_b = 7, Int32 = 8, UInt16 = 9, Lf8 = 10,
    Bfp2 = 11, Int8 = 14, Bfp2_b = 15, UInt32 = 24, Fp8_e4m3 = 26, UInt8 = 30, Invalid = 0xff
};

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
    static_assert(Index < emu_config::compile_args.size(), "Index out of range");
    return emu_config::compile_args[Index];
}
#define get_compile_time_arg_val(index) get_ct_arg<index>()
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
#include <string_view>
constexpr std::pair<std::string_view, uint32_t> emu_named_args[] = {KERNEL_COMPILE_TIME_ARG_MAP};
constexpr uint32_t get_named_compile_time_arg_val(std::string_view name) {
    for (const auto& [known, value] : emu_named_args)
        if (known == name) return value;
    __builtin_unreachable();
}
#endif
constexpr auto& kernel_compile_time_args = emu_config::compile_args;

template <typename T>
FORCE_INLINE T get_arg_val(int index) {
    static_assert(sizeof(T) == 4, "only 4B args are supported");
    uint32_t word = emu_argument(uint32_t(index), 0);
    T value;
    memcpy(&value, &word, 4);
    return value;
}
template <typename T>
FORCE_INLINE T get_common_arg_val(int index) {
    static_assert(sizeof(T) == 4, "only 4B args are supported");
    uint32_t word = emu_argument(uint32_t(index), 1);
    T value;
    memcpy(&value, &word, 4);
    return value;
}
FORCE_INLINE uintptr_t get_arg_addr(int index) { return emu_argument_address(uint32_t(index), 0); }
FORCE_INLINE uintptr_t get_common_arg_addr(int index) { return emu_argument_address(uint32_t(index), 1); }

inline uint8_t get_absolute_logical_x() { return uint8_t(emu_coordinate(2)); }
inline uint8_t get_absolute_logical_y() { return uint8_t(emu_coordinate(3)); }

constexpr int32_t get_tile_size(int32_t buffer) { return int32_t(emu_config::tile_bytes[buffer]); }
constexpr DataFormat get_dataformat(int32_t buffer) { return DataFormat(emu_config::format[buffer]); }
constexpr uint32_t get_tile_hw(int32_t) { return 1024; }
constexpr uint32_t get_tile_num_faces(int32_t) { return 4; }
