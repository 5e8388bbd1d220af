// The NoC: transfers land late, writes to different places in any order, and sources are read when data really leaves.
#include <algorithm>
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

bool is_semaphore(uint32_t offset) { return offset >= SEMAPHORES && offset < SEMAPHORES + 256; }

std::string name_of(const Core& core) { return "core (" + std::to_string(core.x) + ", " + std::to_string(core.y) + ")"; }

}  // namespace

// Transfers touch circular buffers and semaphores only: the rest of L1 belongs to the firmware.
void check_place(const Core& core, uint32_t offset, uint32_t bytes) {
    if (is_semaphore(offset)) {
        uint32_t id = (offset - SEMAPHORES) / 16;
        if (core.semaphores >> id & 1) return;
        fail("configuration", "semaphore " + std::to_string(id) + " does not exist on " + name_of(core));
    }
    for (const Buffer& b : core.buffer)
        if (b.configured && offset >= b.base && offset + bytes <= b.end()) return;
    fail("address", std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of " + name_of(core) +
                        " lie in no circular buffer and are no semaphore");
}

namespace {

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
    check_place(core, offset, bytes);
    if (!is_semaphore(offset)) check_landing(core, offset, bytes);
}

void store(Core* core, uint32_t offset, const std::vector<uint8_t>& data) {
    if (!core) return;
    check_target(*core, offset, uint32_t(data.size()));
    memcpy(l1(*core, offset), data.data(), data.size());
}

void land_read(Processor& p, const Transfer& t) {
    const uint8_t* from;
    if (t.remote & DRAM) from = dram(*p.core, t.remote, t.bytes, false);
    else {
        Core* core = worker(t.remote);
        if (!core) fail("address", "a core that runs no kernel has nothing to read");
        check_place(*core, remote_offset(t.remote, t.bytes), t.bytes);
        from = l1(*core, remote_offset(t.remote, t.bytes));
        machine.unicast_bytes += t.bytes;
    }
    if (is_poisoned(from, t.bytes)) fail("uninitialised", "a NoC read takes bytes that nobody wrote");
    check_target(*p.core, t.local, t.bytes);
    memmove(l1(*p.core, t.local), from, t.bytes);
}

void land_write(Processor& p, Transfer& t) {
    if (t.remote & DRAM) {
        memcpy(dram(*p.core, t.remote, t.bytes, true), t.payload.data(), t.bytes);
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

bool has(const Processor& p, Transfer::Kind kind) {
    return std::any_of(p.pending.begin(), p.pending.end(), [kind](const Transfer& t) { return t.kind == kind; });
}

}  // namespace

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

void depart(Processor& p, Transfer& t) {
    if (t.departed) return;
    const uint8_t* from = l1(*p.core, t.local);
    if (is_poisoned(from, t.bytes)) fail("uninitialised", "a NoC write sends bytes that nobody wrote, or that were given up before they left");
    t.payload.assign(from, from + t.bytes);
    t.departed = true;
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

bool leaves_from(const Processor& p, uint32_t offset, uint32_t bytes) {
    for (const Transfer& t : p.pending)
        if (t.kind == Transfer::Write && !t.departed && Span{t.local, t.bytes}.overlaps(offset, bytes)) return true;
    return false;
}

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
