// Ends the run with one JSON line that names core, kernel and call, and the offset of the call in the kernel's object.
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "machine/state.h"

namespace emu {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') { out += '\\'; out += c; }
        else if (c == '\n') out += "\\n";
        else if (uint8_t(c) < 32) out += ' ';
        else out += c;
    }
    return out + '"';
}

// The frames that lie in a kernel's object, innermost first: Python asks addr2line for their lines.
std::string call_sites() {
    void* frames[64];
    int n = backtrace(frames, 64);
    std::string object, offsets;
    for (int i = 0; i < n; ++i) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname) continue;
        std::string file = info.dli_fname;
        if (file.size() < 10 || file.compare(file.size() - 10, 10, ".kernel.so") != 0) continue;
        auto offset = uintptr_t(frames[i]) - uintptr_t(info.dli_fbase) - 1;
        object = file;
        offsets += (offsets.empty() ? "" : ", ") + std::to_string(offset);
    }
    return object.empty() ? "" : ", \"object\": " + quoted(object) + ", \"offsets\": [" + offsets + "]";
}

uint64_t ticks_at = 0;

void on_fault(int signal) {
    const char* text = signal == SIGFPE ? "divides by zero" : "touches memory outside L1 (addresses come from get_write_ptr, get_semaphore and the like)";
    if (machine.current) fail("memory", text);
    fail_plain("internal", "the emulation itself touched memory it does not own");
}

void on_tick(int) {
    uint64_t done = machine.switches + machine.progress + machine.matmul_tiles;
    if (machine.current && ticks_at == done) fail("spin", "runs without end and without a wait that the emulation knows");
    ticks_at = done;
}

}  // namespace

void fail_plain(const char* kind, const std::string& message) {
    printf("{\"kind\": %s, \"message\": %s}\n", quoted(kind).c_str(), quoted(message).c_str());
    fflush(stdout);
    _exit(3);
}

void fail(const char* kind, const std::string& message) {
    const Processor* p = machine.current;
    if (!p) fail_plain(kind, message);
    printf("{\"kind\": %s, \"message\": %s, \"core\": [%u, %u], \"kernel\": %s%s}\n", quoted(kind).c_str(),
           quoted(message).c_str(), p->core->x, p->core->y, quoted(p->kernel).c_str(), call_sites().c_str());
    fflush(stdout);
    _exit(3);
}

std::string describe(const Core& core, uint32_t index) {
    std::string text = "buffer " + std::to_string(index);
    if (index < core.buffer.size() && !core.buffer[index].name.empty()) text += " (" + core.buffer[index].name + ")";
    return text;
}

std::string waiting_for(const Processor& p) {
    std::string text = p.kernel;
    const Wait& w = p.wait;
    switch (w.kind) {
        case Wait::Room:
        case Wait::Pages: {
            const Buffer& b = p.core->buffer[w.buffer];
            text += (w.kind == Wait::Room ? " waits for room for " : " waits for ") + std::to_string(w.amount) +
                    " pages in " + describe(*p.core, w.buffer) + ", which holds " + std::to_string(b.held()) + " of " +
                    std::to_string(b.pages);
            break;
        }
        case Wait::Equal:
        case Wait::AtLeast: {
            uint32_t offset = uint32_t(uintptr_t(w.word) - uintptr_t(machine.pool)) & (SLOT - 1);
            bool known = offset >= SEMAPHORES && offset < SEMAPHORES + 256;
            text += " waits until " + (known ? "semaphore " + std::to_string((offset - SEMAPHORES) / 16)
                                             : "the word at " + std::to_string(offset)) +
                    (w.kind == Wait::Equal ? " is " : " is at least ") + std::to_string(w.amount) + "; it is " +
                    std::to_string(*w.word);
            break;
        }
        case Wait::Spin: text += " polls in a loop"; break;
        default: text += " is ready";
    }
    return text;
}

void install_signal_handlers(uint32_t seconds) {
    static char stack[1 << 16];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_handler = on_fault;
    action.sa_flags = SA_ONSTACK;
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(s, &action, nullptr);
    action.sa_handler = on_tick;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaction(SIGVTALRM, &action, nullptr);
    itimerval timer{};
    timer.it_interval.tv_sec = timer.it_value.tv_sec = seconds;
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
    void* warm[2];
    backtrace(warm, 2);    // loads its library now, not inside a signal handler
}

}  // namespace emu

extern "C" [[noreturn]] void emu_unsupported(const char* what) {
    emu::fail("unsupported", std::string(what) + " is not part of the emulation");
}
