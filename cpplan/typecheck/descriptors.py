"""The file chlkc_descriptors.h that the vendor's JIT writes for each kernel: formats and geometry of its buffers."""

from __future__ import annotations

from collections.abc import Mapping

from cpplan.emit_ttmetal.program import FORMAT_CODES, MAX_BUFFERS, TILE_BYTES, Arch, ComputeConfig, DataFormat

UNSET_FORMAT = 255
UNSET_TILE_BYTES = 1088
GEOMETRY = {
    "tile_num_faces": 4,
    "partial_face": 0,
    "tile_face_r_dim": 16,
    "narrow_tile": 0,
    "tile_r_dim": 32,
    "tile_c_dim": 32,
    "num_faces_r_dim": 2,
    "num_faces_c_dim": 2,
}
FIDELITY_CODES = {"LoFi": 0, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


def descriptors(formats: Mapping[int, DataFormat], compute: ComputeConfig, arch: Arch) -> str:
    """``formats`` by buffer index; the arrays are as long as the chip has buffers."""
    count = MAX_BUFFERS[arch]
    codes = [FORMAT_CODES[formats[i]] if i in formats else UNSET_FORMAT for i in range(count)]
    sizes = [TILE_BYTES[formats[i]] if i in formats else UNSET_TILE_BYTES for i in range(count)]
    sync = "Full" if compute.dst_full_sync else "Half"
    fidelity = FIDELITY_CODES[compute.math_fidelity]
    blocks = [
        "#pragma once",
        "#if defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK)",
        '#include "llk_defs.h"',
        f"constexpr ckernel::MathFidelity MATH_FIDELITY = ckernel::MathFidelity({fidelity});",
        f"constexpr bool APPROX = {str(compute.approx).lower()};",
        "#endif",
        "#if !defined(UCK_CHLKC_PACK)",
        *_side("unpack", codes, sizes),
        "#endif",
        "#if !defined(UCK_CHLKC_MATH) && !defined(UCK_CHLKC_UNPACK)",
        *_side("pack", codes, sizes),
        "#if defined(UCK_CHLKC_PACK)",
        _array("unsigned char", "unpack_src_format", codes),
        "#endif",
        "#endif",
        "#if defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK) || defined(UCK_CHLKC_UNPACK)",
        f"constexpr bool DST_ACCUM_MODE = {str(compute.fp32_dest_acc).lower()};",
        f"#define DST_SYNC_MODE DstSync::Sync{sync}",
        "#endif",
    ]
    return "\n".join(blocks) + "\n"


def _side(prefix: str, codes: list[int], sizes: list[int]) -> list[str]:
    return [
        _array("unsigned char", f"{prefix}_src_format", codes),
        _array("unsigned char", f"{prefix}_dst_format", codes),
        *(_array("uint8_t", f"{prefix}_{name}", [value] * len(codes)) for name, value in GEOMETRY.items()),
        _array("uint16_t", f"{prefix}_tile_size", sizes),
    ]


def _array(type: str, name: str, values: list[int]) -> str:
    return f"constexpr {type} {name}[{len(values)}] = {{{', '.join(map(str, values))}}};"
