// Reads a program description, runs it, writes the tensors back and prints what happened as one JSON line.
//
// The description is a text file, one item a line; names stand last because they may hold spaces. See load_line.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "machine/state.h"

namespace emu {

Machine machine;

namespace {

std::string rest_of(std::istringstream& line) {
    std::string text;
    std::getline(line >> std::ws, text);
    return text;
}

std::vector<uint32_t> numbers(std::istringstream& line) {
    uint32_t n = 0;
    line >> n;
    std::vector<uint32_t> all(n);
    for (auto& value : all) line >> value;
    return all;
}

void* symbol_of(const std::string& path) {
    void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) fail_plain("internal", dlerror());
    void* entry = dlsym(object, "emu_kernel_entry");
    if (!entry) fail_plain("internal", path + " has no kernel_main");
    return entry;
}

void load_core(std::istringstream& line) {
    auto core = std::make_unique<Core>();
    line >> core->x >> core->y >> core->noc_x >> core->noc_y;
    core->index = uint32_t(machine.cores.size());
    machine.at[uint64_t(core->noc_y) << 32 | core->noc_x] = core.get();
    machine.cores.push_back(std::move(core));
}

void load_buffer(std::istringstream& line) {
    uint32_t index, format, page, pages, base;
    line >> index >> format >> page >> pages >> base;
    auto cores = numbers(line);
    std::string name = rest_of(line);
    for (uint32_t c : cores) {
        Buffer& b = machine.cores[c]->buffer[index];
        b.configured = true;
        b.name = name;
        b.format = Format(format);
        b.base = base;
        b.page = page;
        b.pages = pages;
        poison(l1(*machine.cores[c], base), b.page * b.pages);
    }
}

void load_semaphore(std::istringstream& line) {
    uint32_t id, initial;
    line >> id >> initial;
    for (uint32_t c : numbers(line)) {
        Core& core = *machine.cores[c];
        core.semaphores |= 1u << id;
        core.initial[id] = initial;
        memcpy(l1(core, SEMAPHORES + 16 * id), &initial, 4);
    }
}

void load_tensor(std::istringstream& line) {
    Tensor t;
    uint32_t given;
    line >> t.base >> t.page >> t.pages >> given >> t.name;
    t.path = rest_of(line);
    t.stride = (t.page + machine.read_alignment - 1) & ~(machine.read_alignment - 1);
    t.bytes.resize(size_t(t.page) * t.pages);
    if (!given) poison(t.bytes.data(), t.bytes.size());
    else {
        std::ifstream file(t.path, std::ios::binary);
        file.read(reinterpret_cast<char*>(t.bytes.data()), std::streamsize(t.bytes.size()));
        if (size_t(file.gcount()) != t.bytes.size()) fail_plain("internal", "tensor file of " + t.name + " is short");
    }
    machine.tensors.push_back(std::move(t));
}

struct KernelLine { uint32_t role, noc, fp32, full_sync, fidelity; uint64_t unpack_to_dest; std::string name, object; };

void set_compute(Core& core, const KernelLine& k) {
    Registers& r = core.registers;
    r.fp32 = k.fp32;
    r.full_sync = k.full_sync;
    r.tiles = 16u >> k.fp32 >> !k.full_sync;
    r.sections = k.full_sync ? 1 : 2;
    r.fidelity = k.fidelity;
    r.unpack_to_dest = k.unpack_to_dest;
    r.section = std::make_unique<Section[]>(r.sections);
    for (uint32_t i = 0; i < r.sections; ++i) memset(&r.section[i], 0, sizeof(Section));
}

void load_processor(std::istringstream& line, const KernelLine& k, const std::vector<uint32_t>& common) {
    uint32_t index;
    line >> index;
    auto p = std::make_unique<Processor>();
    p->core = machine.cores[index].get();
    p->role = k.role;
    p->noc = k.noc;
    p->kernel = k.name;
    p->entry = reinterpret_cast<void (*)()>(symbol_of(k.object));
    p->arguments = numbers(line);
    p->common = common;
    uint8_t* place = l1(*p->core, ARGUMENTS + k.role * 4096);
    memcpy(place, p->arguments.data(), 4 * p->arguments.size());
    memcpy(place + 2048, common.data(), 4 * common.size());
    if (k.role == 2) set_compute(*p->core, k);
    machine.processors.push_back(std::move(p));
}

void load_line(const std::string& text) {
    static KernelLine kernel;
    static std::vector<uint32_t> common;
    std::istringstream line(text);
    std::string item;
    line >> item;
    if (item == "chip") {
        uint32_t blackhole;
        line >> blackhole >> machine.banks >> machine.read_alignment >> machine.seed;
        machine.blackhole = blackhole;
        machine.random = machine.seed * 0x9E3779B97F4A7C15ull | 1;
    } else if (item == "core") load_core(line);
    else if (item == "idle") { uint32_t x, y; line >> x >> y; machine.at[uint64_t(y) << 32 | x] = nullptr; }
    else if (item == "buffer") load_buffer(line);
    else if (item == "semaphore") load_semaphore(line);
    else if (item == "tensor") load_tensor(line);
    else if (item == "kernel") {
        kernel = KernelLine{};
        line >> kernel.role >> kernel.noc >> kernel.fp32 >> kernel.full_sync >> kernel.fidelity >> kernel.unpack_to_dest;
        kernel.name = rest_of(line);
        common.clear();
    } else if (item == "object") kernel.object = rest_of(line);
    else if (item == "common") common = numbers(line);
    else if (item == "run") load_processor(line, kernel, common);
    else fail_plain("internal", "description line " + text);
}

void check_left_pages() {
    for (auto& core : machine.cores)
        for (uint32_t i = 0; i < core->buffer.size(); ++i) {
            const Buffer& b = core->buffer[i];
            if (b.held())
                fail_plain("left", "core (" + std::to_string(core->x) + ", " + std::to_string(core->y) + "): " + std::to_string(b.held()) +
                                       " pages of " + describe(*core, i) + " were pushed and never popped");
        }
}

void check_left_phases() {
    for (auto& core : machine.cores) {
        const Registers& r = core->registers;
        if (r.acquired || r.packing || r.committed)
            fail_plain("dst", "core (" + std::to_string(core->x) + ", " + std::to_string(core->y) + ") ends inside a DST phase");
    }
}

// A semaphore that ends elsewhere than it started is no error (each launch sets it anew), but worth knowing.
std::string changed_semaphores() {
    std::string list;
    for (uint32_t id = 0; id < 16; ++id) {
        uint32_t n = 0;
        for (auto& core : machine.cores) {
            uint32_t value;
            memcpy(&value, l1(*core, SEMAPHORES + 16 * id), 4);
            n += (core->semaphores >> id & 1) && value != core->initial[id];
        }
        if (n) list += (list.empty() ? "[" : ", [") + std::to_string(id) + ", " + std::to_string(n) + "]";
    }
    return "[" + list + "]";
}

void print_report() {
    std::string tensors;
    for (const Tensor& t : machine.tensors)
        tensors += (tensors.empty() ? "\"" : ", \"") + t.name + "\": [" + std::to_string(t.read) + ", " + std::to_string(t.written) + "]";
    printf("{\"kind\": \"done\", \"tensors\": {%s}, \"semaphores\": %s, \"unicast_bytes\": %lu, \"multicast_bytes\": %lu, "
           "\"delivered_bytes\": %lu, \"multicasts\": %lu, \"atomics\": %lu, \"matmul_tiles\": %lu}\n",
           tensors.c_str(), changed_semaphores().c_str(), machine.unicast_bytes, machine.multicast_bytes, machine.delivered_bytes,
           machine.multicasts, machine.atomics, machine.matmul_tiles);
}

// L1 addresses are pointers of 32 bits, so all cores' windows lie below 4 GiB.
void allocate_pool() {
    const size_t size = 257ull * SLOT;
    for (uintptr_t at = 1u << 28; at + size < uintptr_t(1) << 32; at += 1u << 28) {
        void* pool = mmap(reinterpret_cast<void*>(at), size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (pool == MAP_FAILED) continue;
        if (pool == reinterpret_cast<void*>(at)) {
            machine.pool = static_cast<uint8_t*>(pool);
            return;
        }
        munmap(pool, size);    // an old kernel took the address for a hint
    }
    fail_plain("internal", "no memory below 4 GiB for L1");
}

}  // namespace
}  // namespace emu

int main(int, char** argv) {
    using namespace emu;
    allocate_pool();
    std::ifstream description(argv[1]);
    for (std::string line; std::getline(description, line);)
        if (!line.empty()) load_line(line);
    install_signal_handlers(5);
    run_all();
    check_left_phases();
    check_left_pages();
    for (const Tensor& t : machine.tensors) {
        std::ofstream file(t.path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(t.bytes.data()), std::streamsize(t.bytes.size()));
        if (!file) fail_plain("internal", "cannot write " + t.path);
    }
    print_report();
    return 0;
}
