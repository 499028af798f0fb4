// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_webrtc`: data channels of a browser game. Finds SCTP inside of DTLS, and says which channel a
/// message of Godot's came by.
#pragma once

#include <cstdint>

#include "godot-codec/multiplayer/account.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/webrtc/associations.h"

namespace godot_plugin {

/// The channel of a message.
struct WebRtcChannel {
  std::uint32_t payload = godot_codec::sctp_no_payload;  ///< SctpPayload
  bool is_known = false;                                 ///< else nothing below is
  std::uint16_t stream = 0;
  const godot_codec::DataChannel *opened = nullptr;  ///< null: not by DCEP
  const char *delivery = "";
  godot_codec::SequenceRange turn;  ///< a message's that comes for sure, and in order
};

/// @param payload as SCTP hands it on
[[nodiscard]] WebRtcChannel channel_of(const SctpPacket &packet, tvbuff_t *message, std::uint32_t payload,
                                       packet_info *pinfo);

/// The channel for the Info column, such as `Reliable ch 1` or `Reliable ch 0 "chat"`; null where it is not known.
[[nodiscard]] const char *describe_channel(const WebRtcChannel &channel, packet_info *pinfo);

/// Draws the channel as a layer of its own.
/// @param is_multiplayers its message is one of the high-level multiplayer
void draw_channel(const WebRtcChannel &channel, tvbuff_t *message, packet_info *pinfo, proto_tree *tree,
                  bool is_multiplayers);

void register_godot_webrtc();
/// Hooks onto DTLS.
void handoff_godot_webrtc();

}  // namespace godot_plugin
