// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// SCTP associations that may be WebRTC's, and the SCTP packet that is being dissected.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/webrtc/channels.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// State of an association. Keyed by the conversation of the ports below SCTP, because SCTP's own ports are always
/// 5000.
struct WebRtcAssociation {
  godot_codec::DataChannels *channels;
  void *game;             ///< the transport's state for the multiplayer's channels
  void *custom;           ///< the transport's state for the game's additional channels
  bool is_from_start;     ///< true if its INIT was captured
  std::uint32_t tags[2];  ///< SCTP's verification tags, by direction; 0: not seen yet
};

/// The ends of a packet of an association.
struct WebRtcEnds {
  WebRtcAssociation *association;
  port_type type;  ///< type of the ports that distinguish this association from others
  std::uint32_t source;
  std::uint32_t destination;
  conversation_t *conversation;
  unsigned direction;  ///< 0 or 1: direction_of() with these ports
};

/// An SCTP packet while it is being dissected.
struct SctpPacket {
  WebRtcEnds ends;
  tvbuff_t *tvb;  ///< SCTP header and chunks; null if not found
};

/// Returns the SCTP packet of this frame: the one passed to begin_sctp_packet() or, if there was none, the packet found
/// in the frame's bytes.
[[nodiscard]] SctpPacket &sctp_packet_of(packet_info *pinfo);

/// Call before an SCTP packet is dissected; its ports are those of @p pinfo. Updates the state on the first pass.
SctpPacket &begin_sctp_packet(tvbuff_t *tvb, packet_info *pinfo);

/// True if begin_sctp_packet() was called for this frame.
[[nodiscard]] bool is_sctp_begun(packet_info *pinfo);

/// On the first pass, updates the state from a packet for which begin_sctp_packet() was not called.
void update_from_sctp_packet(packet_info *pinfo);

/// Returns the data chunk that contained a message, or its last missing fragment.
[[nodiscard]] std::optional<godot_codec::SctpData> find_sctp_data(const SctpPacket &packet, tvbuff_t *message);

/// True if the payload of a DTLS record is SCTP as browsers send it.
[[nodiscard]] bool is_webrtc_packet(tvbuff_t *tvb, packet_info *pinfo);

}  // namespace godot_plugin
