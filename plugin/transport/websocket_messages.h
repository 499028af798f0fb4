// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of WebSockets: the high-level multiplayer's, or Variants.
#pragma once

namespace godot_plugin {

/// Registers the preferences of ports, with `godot` and `godot_mp`.
void register_websocket_messages();
/// Hooks onto packet-websocket.
void handoff_websocket_messages();
/// Hooks onto the ports that the user has named.
void apply_websocket_ports();

}  // namespace godot_plugin
