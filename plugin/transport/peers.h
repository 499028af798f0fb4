// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of ENet, WebSockets and WebRTC: detects the protocol of each message once, by connection.
#pragma once

#include "godot-codec/detection/game_link.h"
#include "godot-codec/detection/peer_messages.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A client's connection to its server. Its directions are those of direction_of().
using PeerLink = godot_codec::GameLink;

/// How a connection begins.
struct PeerLinkStart {
  bool is_to_server;      ///< the packet goes to the server
  bool is_from_start;     ///< the connection began in the capture
  bool begins_like_game;  ///< it began like those of games
  bool has_roles = true;  ///< it is known which end is the server
  /// See godot_codec::MpDeliveryTracker.
  const godot_codec::MpTransmissions *transmissions = nullptr;
};

/// A new connection; lives as long as the capture.
[[nodiscard]] PeerLink *new_peer_link(const packet_info *pinfo, const PeerLinkStart &start);

/// Returns the end of the connection that sent a packet, as in Message::end.
[[nodiscard]] unsigned end_of(const packet_info *pinfo, const PeerLink &link);

/// A message and its protocol.
struct DetectedMessage {
  MessageContext context;
  godot_codec::PeerDecision decision;
  godot_codec::MpReader *reader;  ///< in the packet's memory
};

/// Detects the protocol of a message, and updates the game's state from it. To be called once for each message.
/// @param context its link is never null
/// @param options the user's settings; how Variants are read and the generation are filled in here
[[nodiscard]] DetectedMessage detect_message(const MessageContext &context, godot_codec::PeerOptions options);

/// Calls the dissector of the detected protocol in place of the running one.
/// @param running the protocol of the running dissector: of a heuristic, or of the port
/// @returns 0 if no protocol was detected
int dissect_detected(DetectedMessage &message, int running = detection_protocol());

/// The protocols that the user has not disabled.
[[nodiscard]] godot_codec::PeerOptions enabled_peer_protocols();

/// Appends the summary of a multiplayer message, without showing the message or updating state from it. @returns
/// whether it is one
bool append_peer_summary(const MessageContext &context, godot_codec::PeerOptions options,
                         godot_codec::TextBuffer &text);

/// On the first pass: true if the packet's last message is the multiplayer's, and the messages of its connection have
/// shown that it is a game's. Then the packet's transport was detected correctly.
[[nodiscard]] bool is_confirmed_game(packet_info *pinfo);

/// The position of a message that a heuristic is offered: the same on every pass.
[[nodiscard]] godot_codec::PacketPosition heuristic_position(packet_info *pinfo);

void register_peers();

}  // namespace godot_plugin
