// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// When a packet may update the state.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if the dissected bytes were sent in the conversation at this point. False for a packet quoted in an ICMP error,
/// which was sent earlier or elsewhere.
[[nodiscard]] inline bool is_in_conversation(const packet_info *pinfo) { return pinfo->flags.in_error_pkt == 0; }

/// True if state may be updated: once for each packet, in capture order.
[[nodiscard]] inline bool may_learn(const packet_info *pinfo) {
  return !PINFO_FD_VISITED(pinfo) && is_in_conversation(pinfo);
}

}  // namespace godot_plugin
