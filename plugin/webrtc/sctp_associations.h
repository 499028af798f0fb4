// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// SCTP associations that may belong to WebRTC, and the SCTP packet of the frame that is being dissected.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/webrtc/data_channels.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/ws_compat.h"

namespace godot_codec {
struct GameConnection;
}

namespace godot_plugin {

/// State of an association. The key is the conversation of the ports below SCTP (those of UDP), because WebRTC's SCTP
/// ports are always 5000.
struct WebRtcAssociation {
  godot_codec::DataChannelTracker *channels;
  godot_codec::GameConnection *multiplayer_link;  ///< of the multiplayer's channels; null before their first message
  godot_codec::GameConnection *custom_link;  ///< of the game's additional channels; null before their first message
  bool is_from_start;                        ///< true if its INIT was captured
  std::uint32_t verification_tags[2];        ///< SCTP's verification tags, by direction; 0: not seen yet
};

/// Sender and receiver of a packet of an association.
struct AssociationEnds {
  WebRtcAssociation *association;
  PacketPorts ports;  ///< ports that identify the association
  conversation_t *conversation;
  unsigned direction;  ///< 0 or 1: direction_of() with these ports
};

/// The SCTP packet of a frame, during its dissection.
struct SctpPacket {
  AssociationEnds ends;
  tvbuff_t *tvb;  ///< SCTP header and chunks; null if not found
};

/// Returns the SCTP packet of this frame: the one passed to begin_sctp_packet() or, if there was none, the packet found
/// in the frame's bytes.
[[nodiscard]] SctpPacket &sctp_packet_of(packet_info *pinfo);

/// Call before an SCTP packet is dissected, with its ports in @p pinfo. Updates the state on the first pass.
SctpPacket &begin_sctp_packet(tvbuff_t *tvb, packet_info *pinfo);

/// True if begin_sctp_packet() was called for this frame.
[[nodiscard]] bool is_sctp_packet_begun(packet_info *pinfo);

/// On the first pass, updates the state from a packet for which begin_sctp_packet() was not called.
void update_from_sctp_packet(packet_info *pinfo);

/// Returns the data chunk with the message, or with the fragment that completed the message.
[[nodiscard]] std::optional<godot_codec::SctpDataChunk> find_sctp_data(const SctpPacket &packet, tvbuff_t *message);

/// True if the payload of a DTLS record is an SCTP packet of WebRTC.
[[nodiscard]] bool is_webrtc_packet(tvbuff_t *tvb, packet_info *pinfo);

}  // namespace godot_plugin
