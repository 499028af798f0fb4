// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_mp`: RPCs, spawns and syncs of Godot's high-level multiplayer.
#pragma once

#include <optional>

#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/multiplayer/packets.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The generation that the user insists on.
[[nodiscard]] std::optional<godot_codec::Generation> preferred_generation();

/// Shows a packet, as known at its moment. @param reading all that it says
/// @returns who sends it and what it says, as a line in the packet's memory
const char *dissect_mp_packet(const MessageContext &context, const godot_codec::MpPacket &packet,
                              const godot_codec::PeerVerdict &verdict, const godot_codec::MpReading &reading);

/// Registers protocol, fields and preferences. @param apply called when a preference has changed
void register_godot_mp(void (*apply)());
void register_advanced_godot_mp_preferences();

}  // namespace godot_plugin
