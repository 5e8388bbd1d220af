"""Calls of the device API in functions of their own, so that long compute kernels fit the memory for code.

The vendor's functions are inlined wherever they are called, some of them into a kilobyte, and the code of all
processors of a core shares 69 KiB. What a long kernel calls from many places is called through a function that is not
inlined; short ones keep the vendor's calls, which cost no jump.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

LONG = 200
"""Calls of a long kernel. On Blackhole one takes some 160 bytes of all compute threads together, vector functions
aside (``bench/code_sizes.py``), so that shorter kernels use less than half of the memory."""

FEWEST = 8
"""Calls from which on a function is worth it."""

_BLOCK, _TILE, _SLOTS = ("cb", "count"), ("cb", "index", "dst"), ("dst0", "dst1", "out")
PARAMETERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("cb_wait_front", "cb_pop_front", "cb_reserve_back", "cb_push_back"), _BLOCK),
        **dict.fromkeys(("tile_regs_acquire", "tile_regs_commit", "tile_regs_wait", "tile_regs_release"), ()),
        **dict.fromkeys(("reconfig_data_format_srca", "pack_reconfig_data_format", "copy_init"), ("cb",)),
        **dict.fromkeys(("copy_tile", "unary_bcast"), _TILE),
        **dict.fromkeys(("unary_bcast_init", "unary_bcast_uninit"), ("cb",)),
        "reconfig_data_format": ("cb0", "cb1"),
        "pack_tile": ("dst", "cb"),
        "pack_tile<true>": ("dst", "cb", "index"),
        "matmul_block_init": ("cb0", "cb1", "turned", "columns", "rows", "inner"),
        "matmul_block": ("cb0", "cb1", "index0", "index1", "dst", "turned", "columns", "rows", "inner"),
        **dict.fromkeys(("add_binary_tile", "sub_binary_tile", "mul_binary_tile", "div_binary_tile"), _SLOTS),
        **dict.fromkeys(("binary_max_tile", "binary_min_tile"), _SLOTS),
        **dict.fromkeys(("exp_tile", "exp2_tile", "recip_tile", "sqrt_tile", "rsqrt_tile"), ("dst",)),
        **dict.fromkeys(("fill_tile_bitcast", "add_unary_tile", "sub_unary_tile", "mul_unary_tile"), ("dst", "bits")),
        **dict.fromkeys(
            ("fill_tile_init", "binop_with_scalar_tile_init", "exp_tile_init", "exp2_tile_init", "recip_tile_init"), ()
        ),
        **dict.fromkeys((f"{name}_binary_tile_init" for name in ("add", "sub", "mul", "div")), ()),
        **dict.fromkeys(("binary_max_tile_init", "binary_min_tile_init"), ()),
    }
)
"""Parameters, all of them words, of what may be called through a function."""

_CALL = re.compile(r"(?<![\w:])(\w+)((?:<[\w:, ]*>)?)\(")
_MAIN = "void kernel_main() {"


def outlined(source: str) -> str:
    """The text of a compute kernel with its frequent calls in functions of their own."""
    before, main, body = source.partition(_MAIN)
    calls = [(match[1], match[2]) for match in _CALL.finditer(body)]
    frequent = [call for call in dict.fromkeys(calls) if _parameters(*call) is not None and calls.count(call) >= FEWEST]
    if not frequent or sum(_parameters(*call) is not None for call in calls) < LONG:
        return source
    names = {call: _name(*call) for call in frequent}
    functions = [line for call, name in names.items() for line in _function(*call, name)]
    title = "// Called from many places: one copy of each leaves more of the memory for code."
    space = ["namespace plan {", "", title, *functions, "", "}  // namespace plan", "", ""]

    def renamed(match: re.Match[str]) -> str:
        call = (match[1], match[2])
        return f"plan::{names[call]}(" if call in names else match[0]

    return before + "\n".join(space) + main + _CALL.sub(renamed, body)


def _parameters(call: str, template: str) -> tuple[str, ...] | None:
    return PARAMETERS.get(call + template, PARAMETERS.get(call))


def _name(call: str, template: str) -> str:
    """``unary_bcast_col`` for ``unary_bcast<BroadcastType::COL>``."""
    own = re.findall(r"\w+", template.rpartition("::")[2])
    return "_".join([call, *(word.lower() for word in own)])


def _function(call: str, template: str, name: str) -> list[str]:
    parameters = _parameters(call, template) or ()
    given = ", ".join(f"uint32_t {parameter}" for parameter in parameters)
    head, body = f"__attribute__((noinline)) void {name}({given}) {{", f"::{call}{template}({', '.join(parameters)});"
    return [f"{head} {body} }}"] if len(head) + len(body) < 110 else [head, f"    {body}", "}"]
