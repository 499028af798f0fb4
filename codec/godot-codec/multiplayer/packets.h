// SPDX-License-Identifier: MIT
/// @file
/// Whole packets of the multiplayer teach a session.
#pragma once

#include "godot-codec/enet/session.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// Hands on each command of a packet and how it goes: first the packet's own, then what a relay holds.
/// @param take is called with a MpMessage and its MpRoute
/// @returns the last one's route, or the packet's own where it has no command
template <typename Take>
MpRoute for_each_command(const MpPacket &packet, const MpReading &reading, Take take) {
  MpRoute route = reading.has_prefix ? prefixed_route(packet, reading.prefix) : direct_route(packet);
  for (std::uint32_t i = 0; i < reading.count; ++i) {
    if (i > 0) route = relayed_route(packet, route, reading.commands[i - 1].fields.peer(MpField::peer));
    take(reading.commands[i], route);
  }
  return route;
}

/// Learns all that a packet says. Once for each packet, in their order.
void learn_mp_packet(MpConnection &connection, const MpPacket &packet, const MpReading &reading);

/// Makes a message of a prefix that no command follows.
[[nodiscard]] MpMessage mp_message_of(const MpPrefix &prefix, Generation generation);

/// True if a connection of ENet's began as those of Godot's multiplayer do: its clients choose their ids, and tell
/// them, and ask for certain counts of channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
