// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of WebSocket connections: `-z godot,websockets`.
#pragma once

namespace godot_plugin {

/// Registers the table. Call after the tap of frame records is registered.
void register_web_socket_table();

}  // namespace godot_plugin
