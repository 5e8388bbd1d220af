// L1 and DRAM: addresses, alignment of offsets to bytes of the host, and the pattern of what was never written.
#include <sys/mman.h>

#include <cstring>

#include "machine/state.h"

namespace emu {

uint8_t* l1(const Core& core, uint32_t offset) { return machine.pool + size_t(core.index) * SLOT + (offset & (SLOT - 1)); }

// Kernels hold 32-bit L1 addresses that are pointers of the host; a raw offset below 2 MiB means the same byte.
uint32_t own_offset(uint32_t address, uint32_t bytes, const char* what) {
    const Core& core = *machine.current->core;
    uint32_t start = uint32_t(uintptr_t(machine.pool)) + core.index * SLOT;
    uint32_t offset = address < SLOT ? address : address - start;
    uint32_t size = machine.blackhole ? 1572864 : 1499136;
    if (offset >= size || bytes > size - offset)
        fail("address", std::string(what) + ": " + std::to_string(bytes) + " bytes at " + std::to_string(address) + " are not in this core's L1");
    return offset;
}

void poison(uint8_t* at, size_t bytes) {
    uint8_t* end = at + bytes;
    while (at < end) {    // the pattern is anchored at addresses that are multiples of 16
        size_t phase = uintptr_t(at) & 15, n = std::min<size_t>(16 - phase, size_t(end - at));
        memcpy(at, reinterpret_cast<const uint8_t*>(POISON) + phase, n);
        at += n;
    }
}

bool is_poisoned(const uint8_t* at, size_t bytes) {
    const uint8_t* end = at + bytes;
    at = reinterpret_cast<const uint8_t*>((uintptr_t(at) + 15) & ~uintptr_t(15));
    for (; at + 16 <= end; at += 16)
        if (!memcmp(at, POISON, 16)) return true;
    return false;
}

// A core that writes back what it has read loses what another core has written in between.
static void note_read(Core& core, const Writes& writes) { core.seen[&writes] = writes.count; }

static void note_write(Core& core, const Tensor& t, uint32_t page, Writes& writes) {
    auto seen = core.seen.find(&writes);
    bool is_other = writes.writer != int32_t(core.index);
    if (seen != core.seen.end()) {
        if ((is_other ? writes.count : writes.last_by_other) > seen->second)
            fail("race", "page " + std::to_string(page) + " of tensor " + t.name + " is overwritten with what was read before another core wrote it");
        core.seen.erase(seen);
    }
    if (is_other) writes.last_by_other = writes.count;
    writes.writer = int32_t(core.index);
    ++writes.count;
}

uint8_t* dram(Core& core, uint64_t address, uint32_t bytes, bool write) {
    uint32_t bank = uint32_t(address >> 36) & 255, offset = uint32_t(address);
    for (Tensor& t : machine.tensors) {
        uint32_t rows = (t.pages + machine.banks - 1) / machine.banks;
        if (offset < t.base || offset >= t.base + rows * t.stride) continue;
        uint32_t row = (offset - t.base) / t.stride, inner = (offset - t.base) % t.stride;
        uint32_t page = row * machine.banks + bank;
        if (page >= t.pages)
            fail("address", "page " + std::to_string(page) + " of tensor " + t.name + ", which has " + std::to_string(t.pages));
        if (inner + bytes > t.page)
            fail("address", "bytes " + std::to_string(inner) + ".." + std::to_string(inner + bytes) + " of a page of tensor " +
                                t.name + ", which has " + std::to_string(t.page));
        (write ? t.written : t.read) += bytes;
        if (t.writes.empty()) t.writes.resize(t.pages);
        if (bytes == t.page && write) note_write(core, t, page, t.writes[page]);
        if (bytes == t.page && !write) note_read(core, t.writes[page]);
        return &t.bytes[size_t(page) * t.page + inner];
    }
    fail("address", "DRAM bank " + std::to_string(bank) + " offset " + std::to_string(offset) + " belongs to no tensor");
}

}  // namespace emu
