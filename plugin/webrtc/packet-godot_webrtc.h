// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_webrtc`: data channels of browser games. Detects SCTP inside DTLS, and shows the channel of each
/// Godot message.
#pragma once

#include <cstdint>

#include "godot-codec/core/message.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/webrtc/sctp_associations.h"

namespace godot_plugin {

struct WebRtcChannel {
  std::uint32_t payload_type = godot_codec::sctp_no_payload;  ///< SctpPayloadType
  bool is_known = false;                                      ///< if false, the following members are not set
  std::uint16_t sctp_stream = 0;
  const godot_codec::DataChannel *dcep_channel = nullptr;  ///< null: not opened by DCEP
  const char *delivery = "";
  godot_codec::SequenceRange sequence;  ///< for a reliable and ordered channel
};

/// Returns the channel of a message. @param payload the payload protocol identifier from SCTP's dissector
[[nodiscard]] WebRtcChannel channel_of(const SctpPacket &packet, tvbuff_t *message, std::uint32_t payload,
                                       packet_info *pinfo);

/// Returns the channel's text in the Info column, such as `Reliable ch 0 "chat"`; null if the channel is not known.
[[nodiscard]] const char *describe_channel(const WebRtcChannel &channel, packet_info *pinfo);

/// Adds the channel to the tree as a layer.
/// @param is_multiplayers true for a message of the high-level multiplayer
void add_channel_layer(const WebRtcChannel &channel, tvbuff_t *message, packet_info *pinfo, proto_tree *tree,
                       bool is_multiplayers);

void register_godot_webrtc();
/// Registers with DTLS's dissector.
void handoff_godot_webrtc();

// ---- turn.cpp: WebRTC through a relay (TURN, RFC 8656), with the datagrams in STUN indications and ChannelData

/// Number of the last frame with DTLS inside STUN.
inline CaptureState<std::uint32_t> relayed_frame;

/// Call after a frame was dissected: removes what STUN's dissector has appended to the summary of a relayed message.
inline void restore_relayed_summary(packet_info *pinfo) {
  if (*relayed_frame == pinfo->num) truncate_info_after_summaries(pinfo);
}

/// Registers with the dissectors of STUN and TLS.
void handoff_turn();

}  // namespace godot_plugin
