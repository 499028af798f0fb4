// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Looks up a packet's conversation. A look-up costs about a thousand instructions in epan, so that builds with tests
/// count the look-ups (core/counts.h).
#pragma once

#include "godot-codec/core/counts.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the packet's conversation; creates it if necessary.
[[nodiscard]] inline conversation_t *conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_or_create_conversation(pinfo);
}

/// Returns the packet's conversation; null if there is none.
[[nodiscard]] inline conversation_t *known_conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_conversation_pinfo(pinfo, 0);
}

}  // namespace godot_plugin
