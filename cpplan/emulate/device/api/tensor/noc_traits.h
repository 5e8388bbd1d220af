#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

struct emu_page_args { uint32_t page_id{}; uint32_t offset_bytes = 0; };
template <typename DSpec>
struct noc_traits_t<TensorAccessor<DSpec>> {
    using src_args_type = emu_page_args;
    using dst_args_type = emu_page_args;
    static uint64_t source(const TensorAccessor<DSpec>& t, const emu_page_args& args) { return t.get_noc_addr(args.page_id, args.offset_bytes); }
    static uint64_t destination(const TensorAccessor<DSpec>& t, const emu_page_args& args) { return t.get_noc_addr(args.page_id, args.offset_bytes); }
};
