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

/// Learns all that a packet says. Once for each packet, in their order.
void learn_mp_packet(MpConnection &connection, const MpPacket &packet, const MpReading &reading);

/// Makes a message of a prefix that no command follows.
[[nodiscard]] MpMessage mp_message_of(const MpPrefix &prefix, Generation generation);

/// True if a connection of ENet's began as those of Godot's multiplayer do: its clients choose their ids, and tell
/// them, and ask for certain counts of channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
