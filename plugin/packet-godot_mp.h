// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_mp`: RPCs, spawns and syncs of Godot's high-level multiplayer.
#pragma once

namespace godot_plugin {

/// Registers protocol, fields and preferences.
void register_godot_mp();

/// Hooks the protocol onto ENet and WebSocket.
void handoff_godot_mp();

}  // namespace godot_plugin
