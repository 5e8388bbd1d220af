#pragma once

#include "api/tensor/tensor_accessor_args.h"

// The emulation needs no distribution spec; the parameter keeps the vendor's way to name the type.
template <typename DSpec = void>
struct TensorAccessor {
    uint32_t bank_base_address, aligned_page_size;
    template <std::size_t C, std::size_t R>
    TensorAccessor(const TensorAccessorArgs<C, R>& args, const uint32_t base, const uint32_t page_size = 0)
        : bank_base_address(base), aligned_page_size(page_size ? page_size : args.get_aligned_page_size()) {}
    uint32_t get_bank_base_address() const { return bank_base_address; }
    uint32_t get_aligned_page_size() const { return aligned_page_size; }
    uint64_t get_noc_addr(const uint32_t page_id, const uint32_t offset = 0, uint8_t = 0) const {
        return emu_dram_address(page_id, aligned_page_size, bank_base_address, offset);
    }
};
template <std::size_t C, std::size_t R>
TensorAccessor(const TensorAccessorArgs<C, R>&, uint32_t) -> TensorAccessor<void>;
template <std::size_t C, std::size_t R>
TensorAccessor(const TensorAccessorArgs<C, R>&, uint32_t, uint32_t) -> TensorAccessor<void>;
