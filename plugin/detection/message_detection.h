// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages between two peers: detects the protocol of each message once, from the state of its connection.
#pragma once

#include "godot-codec/detection/game_connection.h"
#include "godot-codec/detection/peer_detection.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A client's connection to its server. Directions are the values of direction_of().
using PeerLink = godot_codec::GameConnection;

/// How a connection begins.
struct PeerLinkStart {
  bool is_to_server;      ///< the packet goes to the server
  bool is_from_start;     ///< the connection began in the capture
  bool begins_like_game;  ///< true if the connection began as connections of games do
  bool has_roles = true;  ///< true if it is known which side is the server
  /// See godot_codec::MpDeliveryTracker.
  const godot_codec::MpTransmissionTrackers *transmissions = nullptr;
  unsigned server_index = 0;  ///< number of the server, from server_index_of(); 0: not looked up
};

/// Creates a connection, which lives as long as the capture.
[[nodiscard]] PeerLink *new_peer_link(const packet_info *pinfo, const PeerLinkStart &start);

/// Returns the side that sent a packet, as a value of Message::sender_side.
[[nodiscard]] unsigned sending_end(const packet_info *pinfo, const PeerLink &link);

/// A message and its protocol.
struct DetectedMessage {
  MessageContext &context;
  godot_codec::ProtocolDecision decision;
  godot_codec::MpPacketReader *reader;  ///< in the packet's memory
};

/// Detects the protocol of a message, and updates the game's state from the message. Call once for each message.
/// @param context the message; its link must not be null. It must live as long as the result
/// @param options the user's settings. This function fills in the generation and the settings for Variants
[[nodiscard]] DetectedMessage detect_message(MessageContext &context, godot_codec::PeerDetectionOptions options);

/// Calls the dissector of the detected protocol in place of the running dissector.
/// @param running the protocol of the running dissector, which is a heuristic or belongs to the port
/// @returns 0 if no protocol was detected
int dissect_detected_message(DetectedMessage &message, int running = detection_protocol_id());

/// Returns options with the protocols that the user has not disabled.
[[nodiscard]] godot_codec::PeerDetectionOptions enabled_peer_protocols();

/// Appends the summary of a message if it is a multiplayer message. Does not show the message, and does not update
/// state. @returns true if it is a multiplayer message
bool append_peer_summary(const MessageContext &context, godot_codec::PeerDetectionOptions options,
                         godot_codec::TextBuffer &text);

/// Returns the position of a message that is offered to a heuristic. The position is the same on every pass.
[[nodiscard]] godot_codec::PacketPosition heuristic_position(packet_info *pinfo);

void register_message_detection();

}  // namespace godot_plugin
