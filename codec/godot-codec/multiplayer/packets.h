// SPDX-License-Identifier: MIT
/// @file
/// Updates a session with whole packets of the multiplayer.
#pragma once

#include "godot-codec/enet/session.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// Calls a function for each command of a packet: first for the command of the packet, then for the relayed commands.
/// @param take called with an MpMessage and its MpRoute
/// @returns the route of the last command, or of the packet if it has no command
template <typename Take>
MpRoute for_each_command(const MpPacket &packet, const MpReading &reading, Take take) {
  MpRoute route = reading.has_prefix ? prefixed_route(packet, reading.prefix) : direct_route(packet);
  for (std::uint32_t i = 0; i < reading.count; ++i) {
    if (i > 0) route = relayed_route(packet, route, reading.commands[i - 1].fields.peer(MpField::peer));
    take(reading.commands[i], route);
  }
  return route;
}

/// Updates the session with a packet. Call it once for each packet, in capture order.
void record_mp_packet(MpConnection &connection, const MpPacket &packet, const MpReading &reading);

/// Returns a message for a prefix that no command follows.
[[nodiscard]] MpMessage mp_message_of(const MpPrefix &prefix, Generation generation);

/// True if an ENet connection began like connections of Godot's multiplayer: the client sends an id that it has chosen,
/// and requests 3 or 255 channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
