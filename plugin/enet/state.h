// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's EnetSession, and how a packet's datagrams come to it. Written on the first pass, read on every one.
#pragma once

#include <cstdint>

#include "godot-codec/enet/session.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

using godot_codec::EnetConnection;

/// Appends the summary of a message that was dissected where it was sent first. @returns whether it is one of ours
using EnetSentence = bool (*)(MessageContext context, godot_codec::TextBuffer &text);

/// The session of the capture that is open.
[[nodiscard]] const godot_codec::EnetSession &enet_session();

/// Counts of one pass over a packet.
struct EnetPacketState {
  std::uint32_t datagrams;
  std::uint32_t messages;  ///< so far, in this pass
  const EnetConnection *connection;
};

/// A packet, and what is found by looking it up.
struct EnetPacket {
  packet_info *pinfo;
  EnetPacketState *state;
  conversation_t *conversation;   ///< null: epan has none
  godot_codec::EnetHosts *hosts;  ///< null: nothing is known of them
};

/// @param conversation the packet's; null if it was not looked up yet
[[nodiscard]] EnetPacket find_enet_packet(int proto, packet_info *pinfo, conversation_t *conversation);

/// Reads a datagram, by what is known of its hosts at that point of the capture: the same on every pass.
/// @param told by the user
[[nodiscard]] godot_codec::EnetDatagram read_enet(const EnetPacket &packet, godot_codec::Bytes bytes,
                                                  const godot_codec::EnetExpectation &told);

/// True if a datagram between the ports of a connection belongs to another protocol.
[[nodiscard]] bool is_foreign_to_enet(const EnetPacket &packet, godot_codec::Bytes whole,
                                      const godot_codec::EnetDatagram &datagram);

/// Finds what is known of a datagram whose header could be read. To be called once for each datagram of a packet, in
/// their order. On the first pass it learns from the datagram before.
[[nodiscard]] godot_codec::EnetFindings take_enet(int proto, EnetPacket &packet, godot_codec::Bytes whole,
                                                  const godot_codec::EnetDatagram &datagram);

/// The connection of the first datagram of the packet that was dissected last; null if it has none.
[[nodiscard]] const EnetConnection *enet_connection(int proto, packet_info *pinfo);

/// Connections in the capture so far.
[[nodiscard]] std::uint32_t enet_connection_count();

/// Registers what has to be forgotten with the capture.
void register_enet_state();

}  // namespace godot_plugin
