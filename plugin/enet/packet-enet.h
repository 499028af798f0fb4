// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `enet`: ENet's datagrams, and the messages in them, whatever a game puts on top.
#pragma once

namespace godot_plugin {

/// Registers protocol, fields, preferences, the dissector table `enet.port` and the heuristic list `enet`.
void register_enet();

/// Hooks the protocol onto its ports.
void handoff_enet();

}  // namespace godot_plugin
