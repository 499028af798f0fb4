// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebRTC by a relay (TURN, RFC 8656): the datagrams are inside of STUN's indications and of ChannelData.
#pragma once

#include <cstdint>

#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The last frame in which STUN had DTLS.
inline std::uint32_t relayed_frame = 0;

/// After a frame was dissected: takes away what STUN has appended to the sentence of a message inside.
inline void restore_relayed_info(packet_info *pinfo) {
  if (relayed_frame == pinfo->num) end_told(pinfo);
}

void register_turn(int proto);
/// Hooks onto STUN and onto TLS.
void handoff_turn();

}  // namespace godot_plugin
