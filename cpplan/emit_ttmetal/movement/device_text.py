"""Device functions that emitted data-movement kernels share, as C++; a kernel contains those that it calls."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LEAST = """\
constexpr int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
"""

MOST = """\
constexpr int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }
"""

TRIPS = """\
// Trips of a loop: ceil(line / divisor) between two limits.
constexpr int32_t trips(int32_t line, int32_t divisor, int32_t low, int32_t high) {
    const int32_t wanted = line > 0 ? (line + divisor - 1) / divisor : 0;
    return wanted < low ? low : wanted > high ? high : wanted;
}
"""

PART = """\
// What this core does for a shared load. Coordinates are those of the NoC; of the rectangle of receivers, the corner
// that the NoC meets first comes first.
struct Part {
    bool reads;   // it reads from DRAM and sends
    bool inside;  // the reader lies inside the rectangle, so that it sends to itself as well
    uint32_t reader_x, reader_y;
    uint32_t first_x, first_y, last_x, last_y;
    uint32_t receivers;  // without the reader
};

FORCE_INLINE Part part_at(uint32_t argument) {
    return {
        get_arg_val<uint32_t>(argument) != 0,
        get_arg_val<uint32_t>(argument + 1) != 0,
        get_arg_val<uint32_t>(argument + 2),
        get_arg_val<uint32_t>(argument + 3),
        get_arg_val<uint32_t>(argument + 4),
        get_arg_val<uint32_t>(argument + 5),
        get_arg_val<uint32_t>(argument + 6),
        get_arg_val<uint32_t>(argument + 7),
        get_arg_val<uint32_t>(argument + 8)};
}
"""

WORD_AT = """\
FORCE_INLINE volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}
"""

RECEIVE = """\
// Tells the sender that this core has room for the block, and waits until it is there.
template <typename Role>
FORCE_INLINE void receive(const Role& part, uint32_t ready, uint32_t valid) {
    noc_semaphore_set(word_at(valid), 0);
    noc_semaphore_inc(get_noc_addr(part.reader_x, part.reader_y, ready), 1);
    noc_semaphore_wait(word_at(valid), 1);
}
"""

SEND = """\
// Sends a block to the rectangle of receivers once all of them have room: it lies at the same address on every core.
FORCE_INLINE void send(const Part& part, uint32_t block, uint32_t bytes, uint32_t ready, uint32_t valid) {
    noc_semaphore_wait(word_at(ready), part.receivers);
    noc_semaphore_set(word_at(ready), 0);
    const uint64_t blocks = get_noc_multicast_addr(part.first_x, part.first_y, part.last_x, part.last_y, block);
    const uint64_t flags = get_noc_multicast_addr(part.first_x, part.first_y, part.last_x, part.last_y, valid);
    noc_semaphore_set(word_at(valid), 1);
    if (part.inside) {
        noc_async_write_multicast_loopback_src(block, blocks, bytes, part.receivers + 1, true);
    } else {
        noc_async_write_multicast(block, blocks, bytes, part.receivers, true);
    }
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // the flag may otherwise overtake the block
#endif
    if (part.inside) {
        noc_semaphore_set_multicast_loopback_src(valid, flags, part.receivers + 1);
    } else {
        noc_semaphore_set_multicast(valid, flags, part.receivers);
    }
    noc_async_write_barrier();
}
"""

PLACE = """\
// A core by its coordinates on the NoC.
struct Place {
    uint32_t x, y;
};

FORCE_INLINE Place place_at(uint32_t argument) {
    return {get_arg_val<uint32_t>(argument), get_arg_val<uint32_t>(argument + 1)};
}
"""

AWAIT = """\
// Waits for one signal and takes it back.
FORCE_INLINE void await(uint32_t semaphore) {
    noc_semaphore_wait(word_at(semaphore), 1);
    noc_semaphore_set(word_at(semaphore), 0);
}
"""

LINK = """\
// The place of this core in a line along which a block is passed from core to core.
struct Link {
    bool reads;    // it is the first and reads from DRAM
    bool is_last;  // nobody follows
    uint32_t reader_x, reader_y;  // the core before
    uint32_t following_x, following_y;
};

FORCE_INLINE Link link_at(uint32_t argument) {
    return {
        get_arg_val<uint32_t>(argument) != 0,
        get_arg_val<uint32_t>(argument + 1) != 0,
        get_arg_val<uint32_t>(argument + 2),
        get_arg_val<uint32_t>(argument + 3),
        get_arg_val<uint32_t>(argument + 4),
        get_arg_val<uint32_t>(argument + 5)};
}
"""

PASS_ON = """\
// Writes a block to the next core of the line once that has room for it.
FORCE_INLINE void pass_on(const Link& link, uint32_t block, uint32_t bytes, uint32_t ready, uint32_t valid) {
    if (link.is_last) {
        return;
    }
    noc_semaphore_wait(word_at(ready), 1);
    noc_semaphore_set(word_at(ready), 0);
    noc_async_write(block, get_noc_addr(link.following_x, link.following_y, block), bytes);
    noc_async_write_barrier();  // the flag goes another way than the block
    noc_semaphore_inc(get_noc_addr(link.following_x, link.following_y, valid), 1);
    noc_async_atomic_barrier();
}
"""

TURN = """\
// How this core comes to its turns at tiles that several cores update.
struct Turn {
    bool waits;      // it has to be told
    uint32_t ahead;  // turns that it has without being told
};

FORCE_INLINE Turn turn_at(uint32_t argument) {
    return {get_arg_val<uint32_t>(argument) != 0, get_arg_val<uint32_t>(argument + 1)};
}
"""

NEXT = """\
// Who has the turn after this core.
struct Next {
    bool exists;
    uint32_t x, y;
};

FORCE_INLINE Next next_at(uint32_t argument) {
    return {
        get_arg_val<uint32_t>(argument) != 0,
        get_arg_val<uint32_t>(argument + 1),
        get_arg_val<uint32_t>(argument + 2)};
}
"""

AWAIT_TURN = """\
// Waits for turn number `number`, counted from 1. Turns may come before they are waited for, so they are counted.
FORCE_INLINE void await_turn(const Turn& turn, uint32_t told, uint32_t number) {
    if (turn.waits && number > turn.ahead) {
        noc_semaphore_wait_min(word_at(told), number - turn.ahead);
    }
}
"""

END_TURNS = """\
// Waits for all that the core is told in `number` turns, and forgets it.
FORCE_INLINE void end_turns(const Turn& turn, uint32_t told, uint32_t number) {
    if (turn.waits) {
        noc_semaphore_wait_min(word_at(told), number);
        noc_semaphore_set(word_at(told), 0);
    }
}
"""

PASS_TURN = """\
// Tells the next core that it is its turn.
FORCE_INLINE void pass_turn(const Next& next, uint32_t told) {
    if (next.exists) {
        noc_semaphore_inc(get_noc_addr(next.x, next.y, told), 1);
    }
}
"""

FILL = """\
// Sets all of a hardware tile.
template <typename Word>
FORCE_INLINE void fill(uint32_t page, Word value) {
    auto* elements = reinterpret_cast<volatile tt_l1_ptr Word*>(page);
    for (uint32_t i = 0; i < 1024; ++i) {
        elements[i] = value;
    }
}
"""

CLEAR = """\
// Sets all of a page to zeros, which are zeros in a block format as well.
FORCE_INLINE void clear(uint32_t page, uint32_t bytes) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);
    for (uint32_t i = 0; i < bytes / 4; ++i) {
        words[i] = 0;
    }
}
"""

FILL_OUTSIDE = """\
// Sets the elements of a hardware tile outside of some rows and columns. A tile is four faces of 16x16 elements.
template <typename Word>
FORCE_INLINE void fill_outside(
    uint32_t page, int32_t first_row, int32_t end_row, int32_t first_column, int32_t end_column, Word value) {
    if (first_row == 0 && end_row == 32 && first_column == 0 && end_column == 32) {
        return;
    }
    auto* elements = reinterpret_cast<volatile tt_l1_ptr Word*>(page);
    for (int32_t row = 0; row < 32; ++row) {
        const bool in_rows = row >= first_row && row < end_row;
        for (int32_t column = 0; column < 32; ++column) {
            if (!in_rows || column < first_column || column >= end_column) {
                elements[(row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16] = value;
            }
        }
    }
}
"""

FILL_RUN_OUTSIDE = """\
// Sets the elements of a run of 1,024 outside of some range.
template <typename Word>
FORCE_INLINE void fill_run_outside(uint32_t page, int32_t first, int32_t end, Word value) {
    auto* elements = reinterpret_cast<volatile tt_l1_ptr Word*>(page);
    for (int32_t i = 0; i < 1024; ++i) {
        if (i < first || i >= end) {
            elements[i] = value;
        }
    }
}
"""

FUNCTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "least": (LEAST, ()),
        "most": (MOST, ()),
        "trips": (TRIPS, ()),
        "word_at": (WORD_AT, ()),
        "part_at": (PART, ()),
        "place_at": (PLACE, ()),
        "await": (AWAIT, ("word_at",)),
        "link_at": (LINK, ()),
        "receive": (RECEIVE, ("word_at",)),
        "pass_on": (PASS_ON, ("link_at", "word_at")),
        "send": (SEND, ("part_at", "word_at")),
        "turn_at": (TURN, ()),
        "next_at": (NEXT, ()),
        "await_turn": (AWAIT_TURN, ("turn_at", "word_at")),
        "end_turns": (END_TURNS, ("turn_at", "word_at")),
        "pass_turn": (PASS_TURN, ("next_at",)),
        "fill": (FILL, ()),
        "clear": (CLEAR, ()),
        "fill_outside": (FILL_OUTSIDE, ()),
        "fill_run_outside": (FILL_RUN_OUTSIDE, ()),
    }
)
"""Name -> (text, names of the functions that it calls), callees first."""


def functions_used(text: str) -> str:
    """The definitions of all ``plan::`` functions that ``text`` calls, in a namespace; empty when it calls none."""
    wanted = {name for name in FUNCTIONS if f"plan::{name}(" in text or f"plan::{name}<" in text}
    for name in list(wanted):
        wanted |= set(FUNCTIONS[name][1])
    if not wanted:
        return ""
    body = "\n".join(body for name, (body, _) in FUNCTIONS.items() if name in wanted)
    return f"namespace plan {{\n\n{body}\n}}  // namespace plan\n"
