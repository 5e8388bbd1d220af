#pragma once

#include "emulation/kernel.h"

// Interleaved tensors only: word 0 holds flags (bit 0 sharded, bit 1 DRAM), word 1 the bytes of a page.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = ~std::size_t(0)>
struct TensorAccessorArgs {
    static constexpr uint32_t flags = get_compile_time_arg_val(CTA_OFFSET);
    static_assert((flags & 1) == 0, "sharded tensors are not emulated");
    static_assert(flags == 2, "only interleaved DRAM tensors with compile-time page sizes are emulated");
    static constexpr bool is_sharded = false, is_dram = true;
    static constexpr uint32_t AlignedPageSize = get_compile_time_arg_val(CTA_OFFSET + 1);
    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t) {}
    static constexpr uint32_t get_aligned_page_size() { return AlignedPageSize; }
    static constexpr uint32_t num_compile_time_args() { return 2; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + 2; }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
    static constexpr uint32_t next_common_runtime_args_offset() { return CRTA_OFFSET == ~std::size_t(0) ? 0 : uint32_t(CRTA_OFFSET); }
};
