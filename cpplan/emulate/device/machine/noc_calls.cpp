// Calls of the data-movement API: what kernels issue, checked before it joins the processor's pending transfers.
#include <algorithm>
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

uint64_t place(uint32_t x, uint32_t y) { return uint64_t(y) << 32 | x; }

std::string at(uint32_t x, uint32_t y) { return "NoC (" + std::to_string(x) + ", " + std::to_string(y) + ")"; }

void check_alignment(uint64_t remote, uint32_t local, uint32_t to) {
    uint32_t mask = to - 1;
    if ((uint32_t(remote) & mask) != (local & mask))
        fail("alignment", "source and destination differ modulo " + std::to_string(to) + " bytes: " +
                              std::to_string(uint32_t(remote) & mask) + " and " + std::to_string(local & mask));
}

void check_receivers(uint64_t to, uint32_t receivers, bool loopback) {
    if (!(to & RECTANGLE) || to & DRAM) fail("multicast", "the address is not one of get_noc_multicast_addr");
    if (contains_sender(to) && !loopback) fail("multicast", "the sender lies inside the rectangle of a multicast without loopback");
    if (loopback && !contains_sender(to)) fail("multicast", "a loopback multicast whose rectangle leaves out the sender");
    uint32_t want = receivers_in(to, loopback);
    if (receivers != want)
        fail("multicast", "counts " + std::to_string(receivers) + " receivers, but the rectangle holds " + std::to_string(want) + " cores");
}

void check_link(Processor& p, uint64_t to, bool linked) {
    uint64_t target = to >> 36;
    if (p.open_link && target != p.link_target) fail("multicast", "a linked chain changes its rectangle");
    p.open_link = linked;
    p.link_target = target;
}

void issue_write(uint32_t from, uint64_t to, uint32_t bytes, bool multicast, bool loopback, bool linked) {
    Processor& p = *machine.current;
    uint32_t local = own_offset(from, bytes, "NoC write");
    check_place(*p.core, local, bytes);
    check_alignment(to, local, 16);
    for (const Span& s : p.reading)
        if (s.overlaps(local, bytes)) fail("barrier", "a NoC write sends bytes whose NoC read is outstanding");
    Transfer t{Transfer::Write};
    t.multicast = multicast;
    t.loopback = loopback;
    t.linked = linked;
    t.remote = to;
    t.local = local;
    t.bytes = bytes;
    p.pending.push_back(std::move(t));
    p.unacknowledged = true;
    ++machine.progress;
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

uint64_t emu_worker_address(uint32_t x, uint32_t y, uint32_t address) {
    if (!machine.at.count(place(x, y))) fail("address", "there is no core at " + at(x, y));
    return uint64_t(y) << 42 | uint64_t(x) << 36 | address;
}

uint64_t emu_multicast_address(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address, uint32_t noc) {
    bool ordered = noc == 0 ? x0 <= x1 && y0 <= y1 : x0 >= x1 && y0 >= y1;
    if (!ordered) fail("multicast", std::string("NoC ") + (noc ? "1 wants the high corner first" : "0 wants the low corner first"));
    return RECTANGLE | uint64_t(y0 & 63) << 54 | uint64_t(x0 & 63) << 48 | uint64_t(y1 & 63) << 42 | uint64_t(x1 & 63) << 36 | address;
}

uint64_t emu_bank_address(uint32_t bank, uint32_t address) {
    if (bank >= machine.banks) fail("address", "DRAM bank " + std::to_string(bank) + " of " + std::to_string(machine.banks));
    return DRAM | uint64_t(bank) << 36 | address;
}

uint64_t emu_dram_address(uint32_t id, uint32_t page_bytes, uint32_t base, uint32_t offset) {
    uint32_t alignment = machine.read_alignment, stride = (page_bytes + alignment - 1) & ~(alignment - 1);
    return emu_bank_address(id % machine.banks, base + id / machine.banks * stride + offset);
}

void emu_read(uint64_t from, uint32_t to, uint32_t bytes) {
    Processor& p = *machine.current;
    if (from & RECTANGLE && !(from & DRAM)) fail("multicast", "a NoC read from a multicast address");
    uint32_t local = own_offset(to, bytes, "NoC read");
    check_alignment(from, local, from & DRAM ? machine.read_alignment : 16);
    if (leaves_from(p, local, bytes)) fail("barrier", "a NoC read falls on bytes whose NoC write may not have left");
    Transfer t{Transfer::Read};
    t.remote = from;
    t.local = local;
    t.bytes = bytes;
    p.pending.push_back(std::move(t));
    p.reading.push_back({local, bytes});
    ++machine.progress;
}

void emu_write(uint32_t from, uint64_t to, uint32_t bytes) {
    if (to & RECTANGLE && !(to & DRAM)) fail("multicast", "a unicast write to a multicast address");
    issue_write(from, to, bytes, false, false, false);
}

void emu_write_word(uint64_t to, uint32_t value) {
    Processor& p = *machine.current;
    if (to & (DRAM | RECTANGLE)) fail("address", "an inline write goes to L1 of one core");
    Transfer t{Transfer::Write};
    t.remote = to;
    t.bytes = 4;
    t.departed = true;
    t.payload.resize(4);
    memcpy(t.payload.data(), &value, 4);
    p.pending.push_back(std::move(t));
    p.unacknowledged = true;
    ++machine.progress;
}

void emu_multicast(uint32_t from, uint64_t to, uint32_t bytes, uint32_t receivers, uint32_t linked, uint32_t loopback) {
    check_receivers(to, receivers, loopback);
    check_link(*machine.current, to, linked);
    issue_write(from, to, bytes, true, loopback, linked);
}

void emu_atomic_add(uint64_t to, uint32_t value, uint32_t receivers, uint32_t multicast) {
    Processor& p = *machine.current;
    if (multicast) check_receivers(to, receivers, false);
    else if (to & (DRAM | RECTANGLE)) fail("address", "an atomic goes to L1 of one core");
    Transfer t{Transfer::Atomic};
    t.multicast = multicast;
    t.remote = to;
    t.bytes = 4;
    t.value = value;
    p.pending.push_back(std::move(t));
    ++machine.progress;
    maybe_switch();
}

void emu_barrier(uint32_t what) {
    Processor& p = *machine.current;
    if (what & 2 && p.open_link) fail("multicast", "a barrier inside a linked chain: the write that closes it never comes");
    if (what & 1) {
        drain(p, Transfer::Read);
        p.reading.clear();
    }
    if (what & 6) {
        for (Transfer& t : p.pending)
            if (t.kind == Transfer::Write) depart(p, t);
    }
    if (what & 2) {
        drain(p, Transfer::Write);
        p.unacknowledged = false;
    }
    if (what & 8) drain(p, Transfer::Atomic);
    maybe_switch();
}

uint32_t emu_coordinate(uint32_t which) {
    const Core& c = *machine.current->core;
    return which == 0 ? c.noc_x : which == 1 ? c.noc_y : which == 2 ? c.x : c.y;
}

uint32_t emu_semaphore(uint32_t id) {
    const Core& c = *machine.current->core;
    if (id >= 16 || !(c.semaphores >> id & 1)) fail("configuration", "semaphore " + std::to_string(id) + " does not exist on this core");
    return uint32_t(uintptr_t(l1(c, SEMAPHORES + 16 * id)));
}

void emu_semaphore_wait(const volatile uint32_t* word, uint32_t value, uint32_t at_least) {
    Wait w;
    w.kind = at_least ? Wait::AtLeast : Wait::Equal;
    w.amount = value;
    w.word = word;
    block(w);
}

uint32_t emu_argument(uint32_t index, uint32_t common) {
    const Processor& p = *machine.current;
    const auto& all = common ? p.common : p.arguments;
    if (index >= all.size())
        fail("argument", std::string(common ? "common " : "") + "run-time argument " + std::to_string(index) + " of " + std::to_string(all.size()));
    uint32_t value;    // kernels may write to their arguments through get_arg_addr
    memcpy(&value, l1(*p.core, ARGUMENTS + p.role * 4096 + common * 2048 + index * 4), 4);
    return value;
}

uint32_t emu_argument_address(uint32_t index, uint32_t common) {
    const Processor& p = *machine.current;
    return uint32_t(uintptr_t(l1(*p.core, ARGUMENTS + p.role * 4096 + common * 2048 + index * 4)));
}
}
