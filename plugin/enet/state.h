// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's EnetSession, and how a packet's datagrams come to it. Written on the first pass, read on every one.
#pragma once

#include <cstdint>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

using godot_codec::EnetConnection;

/// A message, as what runs inside of ENet is told of it: the argument of its dissectors.
struct EnetMessage {
  const EnetConnection *connection;
  std::uint32_t number;  ///< index among the frame's messages, from 0; equal on every pass
  std::uint8_t channel;
  bool is_over_mtu;  ///< unreliable, and in fragments all the same
  bool teaches;      ///< false: captured before, or only quoted; nothing may be remembered of it
};

/// The session of the capture that is open.
[[nodiscard]] const godot_codec::EnetSession &enet_session();

/// Reads a datagram, by what is known of its hosts at that point of the capture: the same on every pass.
/// @param told by the user
[[nodiscard]] godot_codec::EnetDatagram read_enet(int proto, packet_info *pinfo, godot_codec::Bytes bytes,
                                                  const godot_codec::EnetExpectation &told);

/// True if a datagram between the ports of a connection belongs to another protocol.
[[nodiscard]] bool is_foreign_to_enet(int proto, packet_info *pinfo, godot_codec::Bytes whole,
                                      const godot_codec::EnetDatagram &datagram);

/// Finds what is known of a datagram whose header could be read. To be called once for each datagram of a packet, in
/// their order. On the first pass it learns from the datagram before.
[[nodiscard]] godot_codec::EnetFindings take_enet(int proto, packet_info *pinfo, godot_codec::Bytes whole,
                                                  const godot_codec::EnetDatagram &datagram);

/// How many messages this packet has had so far, in this pass.
[[nodiscard]] std::uint32_t next_enet_message(int proto, packet_info *pinfo);

/// The connection of the first datagram of the packet that was dissected last; null if it has none.
[[nodiscard]] const EnetConnection *enet_connection(int proto, packet_info *pinfo);

/// Connections in the capture so far.
[[nodiscard]] std::uint32_t enet_connection_count();

/// Registers what has to be forgotten with the capture.
void register_enet_state();

}  // namespace godot_plugin
