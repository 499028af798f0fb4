// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// When a packet may be learned from.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if the dissected bytes belong to the conversation at this point. False for a packet that an ICMP error quotes:
/// that repeats one of the past, or of elsewhere.
[[nodiscard]] inline bool is_in_conversation(const packet_info *pinfo) { return pinfo->flags.in_error_pkt == 0; }

/// True if state may be written: once for each packet, in the order of the capture.
[[nodiscard]] inline bool may_learn(const packet_info *pinfo) {
  return !PINFO_FD_VISITED(pinfo) && is_in_conversation(pinfo);
}

}  // namespace godot_plugin
