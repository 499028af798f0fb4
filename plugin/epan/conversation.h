// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Looks a packet's conversation up. epan takes a thousand instructions for it: each look-up is counted in builds with
/// tests (core/counts.h).
#pragma once

#include "godot-codec/core/counts.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The packet's conversation; a new one where it has none.
[[nodiscard]] inline conversation_t *conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_or_create_conversation(pinfo);
}

/// The packet's conversation; null where it has none.
[[nodiscard]] inline conversation_t *known_conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_conversation_pinfo(pinfo, 0);
}

}  // namespace godot_plugin
