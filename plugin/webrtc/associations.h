// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Associations of SCTP that may be WebRTC's, and the packet of one that is dissected.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/webrtc/channels.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// State of an association. Found by the conversation of the ports below SCTP, as SCTP's own are 5000 for everybody.
struct WebRtcAssociation {
  godot_codec::DataChannels *channels;
  void *game;             ///< the carrier's
  void *own;              ///< the state of the game's own channels
  bool is_from_start;     ///< its INIT is in the capture
  std::uint32_t tags[2];  ///< SCTP's verification tags, by direction; 0: none was seen yet
};

/// Who exchanges a packet of an association.
struct WebRtcEnds {
  WebRtcAssociation *association;
  port_type type;  ///< the kind of ports by which the association is told from others
  std::uint32_t source;
  std::uint32_t destination;
  conversation_t *conversation;
  unsigned direction;  ///< 0 or 1, as direction_of() says with these ports
};

/// A packet of SCTP while it is dissected.
struct SctpPacket {
  WebRtcEnds ends;
  tvbuff_t *tvb;  ///< SCTP's header and chunks; null where they were not found
};

/// The packet that is dissected: as begin_sctp_packet() was told, or else found among the frame's bytes.
[[nodiscard]] SctpPacket &sctp_packet_of(packet_info *pinfo);

/// Says that a packet of SCTP is going to be dissected, by the ports that @p pinfo has. Learns from it.
SctpPacket &begin_sctp_packet(tvbuff_t *tvb, packet_info *pinfo);

/// True if the frame that is dissected has had a packet of SCTP.
[[nodiscard]] bool is_sctp_begun(packet_info *pinfo);

/// Learns from a packet that nobody has told of.
void learn_sctp_packet(packet_info *pinfo);

/// The chunk that brought a message, or its last missing fragment.
[[nodiscard]] std::optional<godot_codec::SctpData> find_sctp_data(const SctpPacket &packet, tvbuff_t *message);

/// True if bytes inside of DTLS are SCTP, as browsers send it.
[[nodiscard]] bool is_webrtc_packet(tvbuff_t *tvb, packet_info *pinfo);

void register_webrtc_associations(int proto);

}  // namespace godot_plugin
