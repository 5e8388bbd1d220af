// The NoC: transfers land late, writes to different places in any order, and sources are read when data really leaves.
#include <algorithm>
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

constexpr uint64_t DRAM = 1ull << 63, RECTANGLE = 1ull << 62;

struct Rectangle { uint32_t x0, y0, x1, y1; };

Rectangle rectangle(uint64_t a) {
    uint32_t x0 = (a >> 48) & 63, y0 = (a >> 54) & 63, x1 = (a >> 36) & 63, y1 = (a >> 42) & 63;
    return {std::min(x0, x1), std::min(y0, y1), std::max(x0, x1), std::max(y0, y1)};
}

uint64_t place(uint32_t x, uint32_t y) { return uint64_t(y) << 32 | x; }

std::string at(uint32_t x, uint32_t y) { return "NoC (" + std::to_string(x) + ", " + std::to_string(y) + ")"; }

// Core behind a unicast address; null for one that runs nothing.
Core* worker(uint64_t address) {
    uint32_t x = (address >> 36) & 63, y = (address >> 42) & 63;
    auto found = machine.at.find(place(x, y));
    if (found == machine.at.end()) fail("address", "there is no core at " + at(x, y));
    return found->second;
}

uint32_t remote_offset(uint64_t address, uint32_t bytes) {
    uint32_t offset = uint32_t(address) & (SLOT - 1);
    if (bytes > (machine.blackhole ? 1572864u : 1499136u) - std::min(offset, 1499136u))
        fail("address", std::to_string(bytes) + " bytes at " + std::to_string(offset) + " run past the end of L1");
    return offset;
}

void check_target(Core& core, uint32_t offset, uint32_t bytes) {
    if (offset >= SEMAPHORES && offset < SEMAPHORES + 256) {
        uint32_t id = (offset - SEMAPHORES) / 16;
        if (!(core.semaphores >> id & 1))
            fail("configuration", "semaphore " + std::to_string(id) + " does not exist on core (" + std::to_string(core.x) + ", " + std::to_string(core.y) + ")");
        return;
    }
    bool inside = false;
    for (const Buffer& b : core.buffer) inside |= b.configured && offset >= b.base && offset + bytes <= b.end();
    if (!inside)
        fail("address", std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of core (" + std::to_string(core.x) + ", " +
                            std::to_string(core.y) + ") lie in no circular buffer and are no semaphore");
    check_landing(core, offset, bytes);
}

void store(Core* core, uint32_t offset, const std::vector<uint8_t>& data) {
    if (!core) return;
    check_target(*core, offset, uint32_t(data.size()));
    memcpy(l1(*core, offset), data.data(), data.size());
}

void land_read(Processor& p, const Transfer& t) {
    const uint8_t* from;
    if (t.remote & DRAM) from = dram(t.remote, t.bytes, false);
    else {
        Core* core = worker(t.remote);
        if (!core) fail("address", "a core that runs no kernel has nothing to read");
        from = l1(*core, remote_offset(t.remote, t.bytes));
        machine.unicast_bytes += t.bytes;
    }
    if (is_poisoned(from, t.bytes)) fail("uninitialised", "a NoC read takes bytes that nobody wrote");
    check_target(*p.core, t.local, t.bytes);
    memmove(l1(*p.core, t.local), from, t.bytes);
}

void depart(Processor& p, Transfer& t) {
    if (t.departed) return;
    const uint8_t* from = l1(*p.core, t.local);
    if (is_poisoned(from, t.bytes)) fail("uninitialised", "a NoC write sends bytes that nobody wrote, or that were given up before they left");
    t.payload.assign(from, from + t.bytes);
    t.departed = true;
}

void land_write(Processor& p, Transfer& t) {
    if (t.remote & DRAM) {
        memcpy(dram(t.remote, t.bytes, true), t.payload.data(), t.bytes);
    } else if (t.multicast) {
        Rectangle r = rectangle(t.remote);
        machine.multicast_bytes += t.bytes;
        ++machine.multicasts;
        for (uint32_t y = r.y0; y <= r.y1; ++y)
            for (uint32_t x = r.x0; x <= r.x1; ++x) {
                auto found = machine.at.find(place(x, y));
                if (found == machine.at.end() || (found->second == p.core && !t.loopback)) continue;
                machine.delivered_bytes += t.bytes;
                store(found->second, remote_offset(t.remote, t.bytes), t.payload);
            }
    } else {
        machine.unicast_bytes += t.bytes;
        store(worker(t.remote), remote_offset(t.remote, t.bytes), t.payload);
    }
}

void add_at(Core* core, uint32_t offset, uint32_t value) {
    if (!core) return;
    check_target(*core, offset, 4);
    uint32_t word;
    memcpy(&word, l1(*core, offset), 4);
    word += value;
    memcpy(l1(*core, offset), &word, 4);
}

void land_atomic(Processor& p, const Transfer& t) {
    ++machine.atomics;
    uint32_t offset = remote_offset(t.remote, 4);
    if (!t.multicast) return add_at(worker(t.remote), offset, t.value);
    Rectangle r = rectangle(t.remote);
    for (uint32_t y = r.y0; y <= r.y1; ++y)
        for (uint32_t x = r.x0; x <= r.x1; ++x) {
            auto found = machine.at.find(place(x, y));
            if (found != machine.at.end() && found->second != p.core) add_at(found->second, offset, t.value);
        }
}

// Writes with one key keep their order: those to one place, and all multicasts of a processor.
uint64_t order_key(const Transfer& t) { return t.multicast ? RECTANGLE : t.remote >> 36; }

void land(Processor& p, size_t index) {
    Processor* running = machine.current;
    machine.current = &p;
    if (p.pending[index].kind == Transfer::Write) {
        uint64_t key = order_key(p.pending[index]);
        for (size_t i = 0; i < index; ++i)
            if (p.pending[i].kind == Transfer::Write && order_key(p.pending[i]) == key) { index = i; break; }
        for (size_t i = 0; i <= index; ++i)
            if (p.pending[i].kind == Transfer::Write) depart(p, p.pending[i]);
    }
    Transfer t = std::move(p.pending[index]);
    p.pending.erase(p.pending.begin() + long(index));
    ++machine.progress;
    if (t.kind == Transfer::Read) land_read(p, t);
    else if (t.kind == Transfer::Write) land_write(p, t);
    else land_atomic(p, t);
    machine.current = running;
}

// Lands all transfers of one kind; with a seed, in some order and with others running in between.
void drain(Processor& p, Transfer::Kind kind) {
    for (;;) {
        size_t count = 0, chosen = 0;
        for (size_t i = 0; i < p.pending.size(); ++i)
            if (p.pending[i].kind == kind && (++count == 1 || (machine.seed && random_below(uint32_t(count)) == 0))) chosen = i;
        if (!count) return;
        land(p, chosen);
        if (machine.seed && kind != Transfer::Read) maybe_switch();
    }
}

bool has(const Processor& p, Transfer::Kind kind) {
    return std::any_of(p.pending.begin(), p.pending.end(), [kind](const Transfer& t) { return t.kind == kind; });
}

void check_alignment(uint64_t remote, uint32_t local, uint32_t to) {
    uint32_t mask = to - 1;
    if ((uint32_t(remote) & mask) != (local & mask))
        fail("alignment", "source and destination differ modulo " + std::to_string(to) + " bytes: " +
                              std::to_string(uint32_t(remote) & mask) + " and " + std::to_string(local & mask));
}

uint32_t receivers_in(uint64_t address, bool with_sender) {
    Rectangle r = rectangle(address);
    uint32_t n = 0;
    for (uint32_t y = r.y0; y <= r.y1; ++y)
        for (uint32_t x = r.x0; x <= r.x1; ++x) {
            auto found = machine.at.find(place(x, y));
            n += found != machine.at.end() && (with_sender || found->second != machine.current->core);
        }
    return n;
}

bool contains_sender(uint64_t address) {
    Rectangle r = rectangle(address);
    const Core& c = *machine.current->core;
    return c.noc_x >= r.x0 && c.noc_x <= r.x1 && c.noc_y >= r.y0 && c.noc_y <= r.y1;
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

}  // namespace

void land_something(Processor& p) {
    if (p.pending.empty()) return;
    size_t index = random_below(uint32_t(p.pending.size()));
    if (p.pending[index].kind == Transfer::Write && random_below(2)) {
        Processor* running = machine.current;
        machine.current = &p;
        for (Transfer& t : p.pending)
            if (t.kind == Transfer::Write && !t.departed) { depart(p, t); break; }
        machine.current = running;
        return;
    }
    land(p, index);
}

bool land_when_stuck() {
    for (Transfer::Kind kind : {Transfer::Atomic, Transfer::Write, Transfer::Read}) {
        bool landed = false;
        for (auto& p : machine.processors)
            while (has(*p, kind)) {
                size_t i = 0;
                while (p->pending[i].kind != kind) ++i;
                land(*p, i);
                landed = true;
            }
        if (landed) return true;
    }
    return false;
}

void finish(Processor& p) {
    if (has(p, Transfer::Read) || !p.reading.empty()) fail("barrier", "ends with NoC reads outstanding");
    if (has(p, Transfer::Write) || p.unacknowledged) fail("barrier", "ends with NoC writes not acknowledged (noc_async_write_barrier)");
    if (has(p, Transfer::Atomic)) fail("barrier", "ends with NoC atomics outstanding (noc_async_atomic_barrier)");
    if (p.open_link) fail("multicast", "ends inside a linked chain");
}

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
    for (const Span& s : p.sending)
        if (s.overlaps(local, bytes)) fail("barrier", "a NoC read falls on bytes whose NoC write may not have left");
    Transfer t{Transfer::Read};
    t.remote = from;
    t.local = local;
    t.bytes = bytes;
    p.pending.push_back(std::move(t));
    p.reading.push_back({local, bytes});
    ++machine.progress;
}

static void issue_write(uint32_t from, uint64_t to, uint32_t bytes, bool multicast, bool loopback, bool linked) {
    Processor& p = *machine.current;
    uint32_t local = own_offset(from, bytes, "NoC write");
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
    p.sending.push_back({local, bytes});
    p.unacknowledged = true;
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
        p.sending.clear();
    }
    if (what & 2) {
        drain(p, Transfer::Write);
        p.unacknowledged = false;
    }
    if (what & 8) drain(p, Transfer::Atomic);
    maybe_switch();
}

uint32_t emu_noc_index(void) { return machine.current->noc; }

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
