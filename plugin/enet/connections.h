// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of ENet connections: `-z enet,connections`.
#pragma once

namespace godot_plugin {

/// Registers the table. Call after the ENet protocol and the tap of frame records are registered.
void register_enet_connections();

}  // namespace godot_plugin
