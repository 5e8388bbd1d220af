// Circular buffers: flow control, each processor's own pointers, and what may lie where.
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

std::string pages(uint32_t n) { return std::to_string(n) + (n == 1 ? " page" : " pages"); }

void lap_rule(const Buffer& b, uint64_t position, uint32_t n, const char* verb, uint32_t index) {
    if (position % b.pages + n > b.pages)
        fail("lap", std::string(verb) + " of " + pages(n) + " at page " + std::to_string(position % b.pages) + " of " +
                        describe(*machine.current->core, index) + " runs past its end: " + std::to_string(b.pages) +
                        " pages are not a multiple of the block");
}

void own_pointer(const Buffer& b, const std::array<uint64_t, 3>& mine, uint64_t all, uint32_t index, const char* verb) {
    if (mine[machine.current->role] % b.pages != all % b.pages)
        fail("pointer", describe(*machine.current->core, index) + " is " + verb +
                            " by two processors, but each moves only its own pointer");
}

// What a data-movement kernel reserves holds nothing it may rely on; a compute kernel may accumulate in place.
void spoil_reserved(Core& core, Buffer& b, uint32_t n) {
    for (uint32_t i = b.reserved; i < n; ++i) poison(l1(core, b.base + uint32_t((b.pushed + i) % b.pages) * b.page), b.page);
}

void reserve(Core& core, Buffer& b, uint32_t index, uint32_t n) {
    own_pointer(b, b.pushed_by, b.pushed, index, "filled");
    lap_rule(b, b.pushed, n, "reservation", index);
    block({Wait::Room, index, n});
    if (machine.current->role != 2) spoil_reserved(core, b, n);
    b.reserved = std::max(b.reserved, n);
    b.ever_reserved = true;
}

void push(Core& core, Buffer& b, uint32_t index, uint32_t n) {
    Processor& p = *machine.current;
    own_pointer(b, b.pushed_by, b.pushed, index, "filled");
    if (n > b.reserved) fail("reserve", "push of " + pages(n) + " to " + describe(core, index) + ", of which " + std::to_string(b.reserved) + " are reserved");
    lap_rule(b, b.pushed, n, "push", index);
    uint32_t start = b.base + uint32_t(b.pushed % b.pages) * b.page;
    for (const Span& s : p.reading)
        if (s.overlaps(start, n * b.page)) fail("barrier", "push to " + describe(core, index) + " while a NoC read into it is outstanding");
    b.pushed += n;
    b.pushed_by[p.role] += n;
    b.reserved -= n;
    b.packed = 0;
    ++machine.progress;
}

void pop(Core& core, Buffer& b, uint32_t index, uint32_t n) {
    Processor& p = *machine.current;
    own_pointer(b, b.popped_by, b.popped, index, "emptied");
    if (n > b.waited) fail("wait", "pop of " + pages(n) + " from " + describe(core, index) + ", of which " + std::to_string(b.waited) + " were waited for");
    lap_rule(b, b.popped, n, "pop", index);
    uint32_t start = b.base + uint32_t(b.popped % b.pages) * b.page;
    if (leaves_from(p, start, n * b.page)) fail("barrier", "pop from " + describe(core, index) + " while a NoC write from it may not have left");
    b.popped += n;
    b.popped_by[p.role] += n;
    b.waited -= n;
    ++machine.progress;
}

}  // namespace

Buffer& buffer_of(uint32_t index) {
    Core& core = *machine.current->core;
    if (index >= core.buffer.size() || !core.buffer[index].configured)
        fail("configuration", "buffer " + std::to_string(index) + " is not configured on this core");
    return core.buffer[index];
}

// Data from the NoC may not fall on pages that are still to be read, nor on pages nobody reserved.
void check_landing(Core& core, uint32_t offset, uint32_t bytes) {
    for (uint32_t i = 0; i < core.buffer.size(); ++i) {
        Buffer& b = core.buffer[i];
        if (!b.configured || offset >= b.end() || offset + bytes <= b.base) continue;
        uint32_t first = offset < b.base ? 0 : (offset - b.base) / b.page;
        uint32_t last = std::min(b.pages - 1, (offset + bytes - 1 - b.base) / b.page);
        for (uint32_t page = first; page <= last; ++page) {
            uint32_t distance = (page + b.pages - uint32_t(b.popped % b.pages)) % b.pages;
            std::string where = "page " + std::to_string(page) + " of " + describe(core, i) + " on core (" +
                                std::to_string(core.x) + ", " + std::to_string(core.y) + ")";
            if (distance < b.held()) fail("overwrite", "NoC data falls on " + where + ", which is still to be read");
            if (b.ever_reserved && distance >= b.held() + b.reserved) fail("reserve", "NoC data falls on " + where + ", which is not reserved");
        }
    }
}

const uint8_t* front_tile(uint32_t index, uint32_t tile, const char* what) {
    Core& core = *machine.current->core;
    Buffer& b = buffer_of(index);
    own_pointer(b, b.popped_by, b.popped, index, "emptied");
    if (tile >= b.waited)
        fail("wait", std::string(what) + " reads tile " + std::to_string(tile) + " of " + describe(core, index) + ", of which " + pages(b.waited) + " were waited for");
    if (b.popped % b.pages + tile >= b.pages)
        fail("lap", std::string(what) + " reads tile " + std::to_string(tile) + " of " + describe(core, index) + " past its end: indices do not wrap");
    const uint8_t* at = l1(core, b.base + uint32_t(b.popped % b.pages + tile) * b.page);
    if (is_poisoned(at, b.page)) fail("uninitialised", std::string(what) + " reads tile " + std::to_string(tile) + " of " + describe(core, index) + ", which was never (fully) written");
    return at;
}

uint8_t* back_tile(uint32_t index, uint32_t tile, const char* what) {
    Core& core = *machine.current->core;
    Buffer& b = buffer_of(index);
    if (tile >= b.reserved)
        fail("reserve", std::string(what) + " writes tile " + std::to_string(tile) + " of " + describe(core, index) + ", of which " + pages(b.reserved) + " are reserved");
    if (b.pushed % b.pages + tile >= b.pages)
        fail("lap", std::string(what) + " writes tile " + std::to_string(tile) + " of " + describe(core, index) + " past its end: indices do not wrap");
    return l1(core, b.base + uint32_t(b.pushed % b.pages + tile) * b.page);
}

}  // namespace emu

using namespace emu;

extern "C" {

void emu_buffer(uint32_t kind, uint32_t index, int32_t count) {
    Core& core = *machine.current->core;
    Buffer& b = buffer_of(index);
    if (count < 0 || uint32_t(count) > b.pages)
        fail("capacity", std::to_string(count) + " pages of " + describe(core, index) + ", which has " + std::to_string(b.pages));
    uint32_t n = uint32_t(count);
    switch (kind) {
        case 0: reserve(core, b, index, n); break;
        case 1: push(core, b, index, n); break;
        case 2:
            own_pointer(b, b.popped_by, b.popped, index, "emptied");
            block({Wait::Pages, index, n});
            b.waited = std::max(b.waited, n);
            break;
        default: pop(core, b, index, n);
    }
    maybe_switch();
}

uint32_t emu_buffer_holds(uint32_t kind, uint32_t index, int32_t count) {
    Buffer& b = buffer_of(index);
    uint32_t available = kind == 2 ? b.held() : b.pages - b.held();
    if (available < uint32_t(count)) emu_pause();    // such a call sits in a loop: let others move
    return available >= uint32_t(count);
}

uint32_t emu_buffer_pointer(uint32_t index, uint32_t write) {
    Core& core = *machine.current->core;
    Buffer& b = buffer_of(index);
    uint64_t position = (write ? b.pushed_by : b.popped_by)[machine.current->role] % b.pages;
    return uint32_t(uintptr_t(l1(core, b.base + uint32_t(position) * b.page)));
}

uint32_t emu_buffer_page_bytes(uint32_t index) { return buffer_of(index).page; }
uint32_t emu_buffer_pages(uint32_t index) { return buffer_of(index).pages; }

uint32_t emu_tile_address(uint32_t index, uint32_t tile) {
    return uint32_t(uintptr_t(front_tile(index, tile, "get_tile_address")));
}
}
