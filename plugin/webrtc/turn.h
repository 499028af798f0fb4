// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebRTC through a relay (TURN, RFC 8656), with the datagrams in STUN indications and ChannelData.
#pragma once

#include <cstdint>

#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Number of the last frame with DTLS inside STUN.
inline std::uint32_t relayed_frame = 0;

/// Call after a frame was dissected: removes what STUN's dissector has appended to the summary of a relayed message.
inline void restore_relayed_info(packet_info *pinfo) {
  if (relayed_frame == pinfo->num) cut_info_after_summaries(pinfo);
}

void register_turn(int proto);
/// Registers with the dissectors of STUN and TLS.
void handoff_turn();

}  // namespace godot_plugin
