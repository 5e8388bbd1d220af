// Reads all pages of up to four tensors into buffers 0, 1, ...; compile-time: count, then pages and accessor of each.
#include "api/dataflow/dataflow_api.h"

template <uint32_t buffer, uint32_t offset>
void bring() {
    constexpr uint32_t pages = get_compile_time_arg_val(offset);
    constexpr auto args = TensorAccessorArgs<offset + 1>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(buffer));
    cb_reserve_back(buffer, pages);
    uint32_t at = get_write_ptr(buffer);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read_page(page, tensor, at);
        at += tensor.get_aligned_page_size();
    }
    noc_async_read_barrier();
    cb_push_back(buffer, pages);
}

void kernel_main() {
    constexpr uint32_t count = get_compile_time_arg_val(0);
    bring<0, 1>();
    if constexpr (count > 1) bring<1, 4>();
    if constexpr (count > 2) bring<2, 7>();
    if constexpr (count > 3) bring<3, 10>();
}
