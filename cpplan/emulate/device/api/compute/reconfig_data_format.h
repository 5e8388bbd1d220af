#pragma once

#include "emulation/compute.h"

namespace ckernel {

// The packer and the two source registers each follow one buffer's format; the forms with an old buffer skip equal formats.
#define EMU_RECONFIGURE_BOTH(name)                                                                              \
    template <SrcOrder src_order = SrcOrder::Regular>                                                            \
    ALWI void name(const uint32_t icb0, const uint32_t icb1) {                                                   \
        emu_reconfigure(src_order == SrcOrder::Reverse, icb0);                                                   \
        emu_reconfigure(src_order != SrcOrder::Reverse, icb1);                                                   \
    }                                                                                                            \
    template <SrcOrder src_order = SrcOrder::Regular>                                                            \
    ALWI void name(const uint32_t icb0_old, const uint32_t icb0, const uint32_t icb1_old, const uint32_t icb1) { \
        emu_reconfigure_from(src_order == SrcOrder::Reverse, icb0_old, icb0);                                    \
        emu_reconfigure_from(src_order != SrcOrder::Reverse, icb1_old, icb1);                                    \
    }
#define EMU_RECONFIGURE_ONE(name, source)                                      \
    ALWI void name(const uint32_t buffer) { emu_reconfigure(source, buffer); } \
    ALWI void name(const uint32_t old_buffer, const uint32_t buffer) { emu_reconfigure_from(source, old_buffer, buffer); }

EMU_RECONFIGURE_BOTH(reconfig_data_format)
EMU_RECONFIGURE_BOTH(reconfig_full_operand)
EMU_RECONFIGURE_BOTH(reconfig_data_format_skip_int8)
EMU_RECONFIGURE_ONE(reconfig_data_format_srca, 0)
EMU_RECONFIGURE_ONE(reconfig_data_format_srcb, 1)
EMU_RECONFIGURE_ONE(reconfig_full_operand_srca, 0)
EMU_RECONFIGURE_ONE(reconfig_full_operand_srcb, 1)

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t new_cb_id) { emu_reconfigure(2, new_cb_id); }
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t old_cb_id, const uint32_t new_cb_id) { emu_reconfigure_from(2, old_cb_id, new_cb_id); }

}  // namespace ckernel
