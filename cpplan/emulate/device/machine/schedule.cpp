// One fiber per processor, one thread in all: the order depends on the seed alone, and nobody able to run is a deadlock.
#include "machine/state.h"

namespace emu {

namespace {

bool holds(const Processor& p) {
    const Wait& w = p.wait;
    switch (w.kind) {
        case Wait::Room: { const Buffer& b = p.core->buffer[w.buffer]; return b.pages - b.held() >= w.amount; }
        case Wait::Pages: return p.core->buffer[w.buffer].held() >= w.amount;
        case Wait::Equal: return *w.word == w.amount;
        case Wait::AtLeast: return *w.word >= w.amount;
        default: return true;
    }
}

void enter() {
    machine.current->entry();
    finish(*machine.current);
    machine.current->done = true;
    for (;;) swapcontext(&machine.current->context, &machine.scheduler);
}

void resume(Processor& p) {
    machine.current = &p;
    if (!p.started) {
        p.started = true;
        ++machine.progress;
        p.stack.reset(new char[STACK]);
        getcontext(&p.context);
        p.context.uc_stack.ss_sp = p.stack.get();
        p.context.uc_stack.ss_size = STACK;
        p.context.uc_link = nullptr;
        makecontext(&p.context, enter, 0);
    }
    ++machine.switches;
    if (p.wait.kind == Wait::Nothing) ++machine.progress;    // a spinning kernel may go round without getting anywhere
    swapcontext(&machine.scheduler, &p.context);
    if (p.done) {
        ++machine.progress;
        p.stack.reset();
    }
    machine.current = nullptr;
}

// Kernels that wait for the same thing share a line, with the first few of their cores.
[[noreturn]] void report_deadlock() {
    std::map<std::string, std::vector<const Core*>> waiting;
    for (auto& p : machine.processors)
        if (!p->done) waiting[waiting_for(*p)].push_back(p->core);
    std::string text = "no kernel can go on:";
    for (auto& [what, cores] : waiting) {
        text += "\n  " + what + (cores.size() == 1 ? ": core" : ": cores");
        for (size_t i = 0; i < std::min<size_t>(cores.size(), 4); ++i)
            text += (i ? ", (" : " (") + std::to_string(cores[i]->x) + ", " + std::to_string(cores[i]->y) + ")";
        if (cores.size() > 4) text += " and " + std::to_string(cores.size() - 4) + " more";
    }
    fail_plain("deadlock", text);
}

}  // namespace

uint32_t random_below(uint32_t n) {
    machine.random ^= machine.random << 13;
    machine.random ^= machine.random >> 7;
    machine.random ^= machine.random << 17;
    return uint32_t((machine.random >> 11) % n);
}

void block(const Wait& wait) {
    Processor& p = *machine.current;
    p.wait = wait;
    if (!holds(p) || (machine.seed && random_below(4) == 0)) swapcontext(&p.context, &machine.scheduler);
    while (!holds(p)) swapcontext(&p.context, &machine.scheduler);
    p.wait = Wait{};
    ++machine.progress;
}

void maybe_switch() {
    if (!machine.seed || random_below(4) != 0) return;
    Processor& p = *machine.current;
    p.wait = Wait{};
    swapcontext(&p.context, &machine.scheduler);
}

void run_all() {
    auto& all = machine.processors;
    size_t left = all.size();
    while (left) {
        uint64_t before = machine.progress;
        size_t first = machine.seed ? random_below(uint32_t(all.size())) : 0;
        for (size_t i = 0; i < all.size(); ++i) {
            Processor& p = *all[(first + i) % all.size()];
            if (machine.seed && random_below(4) == 0) land_something(p);
            if (p.done || !holds(p)) continue;
            resume(p);
            if (p.done) --left;
        }
        if (left && machine.progress == before && !land_when_stuck()) report_deadlock();
    }
}

}  // namespace emu

extern "C" void emu_pause(void) {
    using namespace emu;
    Processor& p = *machine.current;
    p.wait.kind = Wait::Spin;
    swapcontext(&p.context, &machine.scheduler);
    p.wait = Wait{};
}
