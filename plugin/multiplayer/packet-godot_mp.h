// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_mp`: RPCs, spawns and syncs of Godot's high-level multiplayer.
#pragma once

#include "plugin/enet/state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Whether a message of ENet's is one of the high-level multiplayer. The answer is the same on every pass.
[[nodiscard]] bool is_mp_message(tvbuff_t *tvb, packet_info *pinfo, const EnetMessage &enet);

/// Whether the connection of a message of ENet's is known to be a game's, so far. For the first pass.
[[nodiscard]] bool is_mp_game(packet_info *pinfo, const EnetMessage &enet);

/// Registers protocol, fields and preferences.
void register_godot_mp();

/// Hooks the protocol onto ENet and WebSocket.
void handoff_godot_mp();

}  // namespace godot_plugin
