// Q block once, then K and V blocks of one head; ones for the row sums come from a tile filled here.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_q = 0, cb_k = 1, cb_v = 2, cb_one = 3;
    constexpr uint32_t rows = get_compile_time_arg_val(0);     // tiles of a block of queries
    constexpr uint32_t keys = get_compile_time_arg_val(1);     // tiles of a block of keys
    constexpr uint32_t blocks = get_compile_time_arg_val(2);
    constexpr uint32_t width = get_compile_time_arg_val(3);    // tiles of the head dimension
    constexpr auto q_args = TensorAccessorArgs<4>();
    constexpr auto k_args = TensorAccessorArgs<6>();
    constexpr auto v_args = TensorAccessorArgs<8>();
    const auto q = TensorAccessor(q_args, get_arg_val<uint32_t>(0));
    const auto k = TensorAccessor(k_args, get_arg_val<uint32_t>(1));
    const auto v = TensorAccessor(v_args, get_arg_val<uint32_t>(2));
    const uint32_t first_query = get_arg_val<uint32_t>(3);     // tiles from the start of the tensor
    const uint32_t first_key = get_arg_val<uint32_t>(4);
    constexpr uint32_t bytes = get_tile_size(cb_q);

    cb_reserve_back(cb_one, 1);
    auto one = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_one));
    for (uint32_t i = 0; i < 512; ++i) one[i] = 0x3F803F80;
    cb_push_back(cb_one, 1);

    cb_reserve_back(cb_q, rows * width);
    uint32_t at = get_write_ptr(cb_q);
    for (uint32_t i = 0; i < rows * width; ++i) {
        noc_async_read_page(first_query + i, q, at);
        at += bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_q, rows * width);

    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t start = first_key + block * keys * width;
        cb_reserve_back(cb_k, keys * width);
        at = get_write_ptr(cb_k);
        for (uint32_t i = 0; i < keys * width; ++i) {
            noc_async_read_page(start + i, k, at);
            at += bytes;
        }
        cb_reserve_back(cb_v, keys * width);
        uint32_t to = get_write_ptr(cb_v);
        for (uint32_t i = 0; i < keys * width; ++i) {
            noc_async_read_page(start + i, v, to);
            to += bytes;
        }
        noc_async_read_barrier();
        cb_push_back(cb_k, keys * width);
        cb_push_back(cb_v, keys * width);
    }
}
