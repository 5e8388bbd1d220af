// The object interface of the NoC: transfers between buffers of this core and tensors.
#pragma once

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

struct emu_buffer_args { uint32_t offset_bytes = 0; };
template <typename Buffer>
struct emu_buffer_traits {
    using src_args_type = emu_buffer_args;
    using dst_args_type = emu_buffer_args;
    static uint32_t source(const Buffer& buffer, const emu_buffer_args& args) { return buffer.get_read_ptr() + args.offset_bytes; }
    static uint32_t destination(const Buffer& buffer, const emu_buffer_args& args) { return buffer.get_write_ptr() + args.offset_bytes; }
};
template <>
struct noc_traits_t<DataflowBuffer> : emu_buffer_traits<DataflowBuffer> {};
template <>
struct noc_traits_t<CircularBuffer> : emu_buffer_traits<CircularBuffer> {};

template <typename T>
struct noc_traits_t<CoreLocalMem<T>> {
    using src_args_type = emu_buffer_args;
    using dst_args_type = emu_buffer_args;
    static uint32_t source(const CoreLocalMem<T>& memory, const emu_buffer_args& args) { return uint32_t(memory.get_address()) + args.offset_bytes; }
    static uint32_t destination(const CoreLocalMem<T>& memory, const emu_buffer_args& args) { return source(memory, args); }
};

enum class NocOptions : uint32_t { DEFAULT = 0, MCAST_INCL_SRC = 1u << 3 };

class Noc {
public:
    Noc() = default;
    explicit Noc(uint8_t) {}
    uint8_t get_noc_id() const { return noc_index; }
    template <typename Src, typename Dst>
    void async_read(const Src& src, const Dst& dst, uint32_t size_bytes, const typename noc_traits_t<Src>::src_args_type& src_args,
                    const typename noc_traits_t<Dst>::dst_args_type& dst_args) const {
        emu_read(noc_traits_t<Src>::source(src, src_args), noc_traits_t<Dst>::destination(dst, dst_args), size_bytes);
    }
    template <typename Src, typename Dst>
    void async_write(const Src& src, const Dst& dst, uint32_t size_bytes, const typename noc_traits_t<Src>::src_args_type& src_args,
                     const typename noc_traits_t<Dst>::dst_args_type& dst_args) const {
        emu_write(noc_traits_t<Src>::source(src, src_args), noc_traits_t<Dst>::destination(dst, dst_args), size_bytes);
    }
    template <NocOptions opts = NocOptions::DEFAULT, typename Src, typename Dst>
    void async_write_multicast(const Src& src, const Dst&, uint32_t size_bytes, uint32_t num_dsts,
                               const typename noc_traits_t<Src>::src_args_type& src_args,
                               const typename noc_traits_t<Dst>::dst_args_mcast_type& dst_args, bool linked = false) const {
        emu_multicast(noc_traits_t<Src>::source(src, src_args), noc_traits_t<Dst>::rectangle(dst_args), size_bytes, num_dsts, linked,
                      opts == NocOptions::MCAST_INCL_SRC);
    }
    void async_read_barrier() const { emu_barrier(1); }
    void async_write_barrier() const { emu_barrier(2); }
    void async_writes_flushed() const { emu_barrier(4); }
    void async_atomic_barrier() const { emu_barrier(8); }
    void async_full_barrier() const { emu_barrier(15); }
};
