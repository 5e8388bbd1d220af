#pragma once

#include "api/dataflow/noc.h"

struct UnicastEndpoint {};
struct MulticastEndpoint {};

struct emu_core_args { uint32_t noc_x{}, noc_y{}, addr{}; };
template <>
struct noc_traits_t<UnicastEndpoint> {
    using src_args_type = emu_core_args;
    using dst_args_type = emu_core_args;
    static uint64_t source(const UnicastEndpoint&, const emu_core_args& a) { return emu_worker_address(a.noc_x, a.noc_y, a.addr); }
    static uint64_t destination(const UnicastEndpoint&, const emu_core_args& a) { return emu_worker_address(a.noc_x, a.noc_y, a.addr); }
};
template <>
struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type { uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, addr{}; };
    static uint64_t rectangle(const dst_args_mcast_type& a) {
        return emu_multicast_address(a.noc_x_start, a.noc_y_start, a.noc_x_end, a.noc_y_end, a.addr, noc_index);
    }
};
