// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's EnetSession. The first pass updates the session with each datagram. Every pass reads it.
#pragma once

#include <cstdint>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

using godot_codec::EnetConnection;

/// Returns the session of the current capture.
[[nodiscard]] const godot_codec::EnetSession &enet_session();

/// A packet's state in this pass.
struct EnetPacketState {
  std::uint32_t datagram_count;      ///< number of ENet datagrams so far
  std::uint32_t message_count;       ///< number of messages so far
  const EnetConnection *connection;  ///< connection of the first datagram
  /// True if the last message is a multiplayer message of a connection with proven game traffic. This proves that the
  /// packet's transport was detected correctly.
  bool has_proven_game;
};

/// A packet with its conversation and its hosts.
struct EnetPacket {
  packet_info *pinfo;
  unsigned sender;
  EnetPacketState *state;
  conversation_t *conversation;      ///< null: epan has no conversation
  godot_codec::EnetHostPair *hosts;  ///< null: the session does not know the hosts
};

/// Looks up a packet's state, conversation and hosts. @param conversation the packet's conversation; null if not looked
/// up yet
[[nodiscard]] EnetPacket find_enet_packet(packet_info *pinfo, conversation_t *conversation);

/// Reads a datagram, using the facts about its hosts at that point of the capture. The result is the same on every
/// pass.
/// @param configured the user's preferences
[[nodiscard]] godot_codec::EnetDatagram read_enet(const EnetPacket &packet, godot_codec::Bytes bytes,
                                                  const godot_codec::EnetExpectedFormat &configured);

/// Returns the findings about a datagram that has a readable header. On the first pass, updates the session first. Call
/// once for each datagram of a packet, in order.
[[nodiscard]] godot_codec::EnetDatagramFindings process_enet_datagram(EnetPacket &packet, godot_codec::Bytes whole,
                                                                      const godot_codec::EnetDatagram &datagram);

/// Returns the connection of the first datagram of the packet; null if there is none. The packet must be the last one
/// that was dissected.
[[nodiscard]] const EnetConnection *enet_connection(packet_info *pinfo);

/// Returns the number of connections in the capture so far.
[[nodiscard]] std::uint32_t enet_connection_count();

}  // namespace godot_plugin
