// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// When a packet may be learned from.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Whether what is dissected belongs to the conversation at this point: not quoted by an ICMP error, which repeats a
/// packet of the past or of elsewhere.
[[nodiscard]] inline bool is_in_conversation(const packet_info *pinfo) { return pinfo->flags.in_error_pkt == 0; }

/// Whether state may be written: once for each packet, in the order of the capture.
[[nodiscard]] inline bool may_learn(const packet_info *pinfo) {
  return !PINFO_FD_VISITED(pinfo) && is_in_conversation(pinfo);
}

}  // namespace godot_plugin
