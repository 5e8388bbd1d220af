// Writes all pages of buffer 16 to a tensor.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t pages = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, tensor, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
