// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of ENet's connections: `-z enet,connections`.
#pragma once

namespace godot_plugin {

/// Registers the table. ENet's protocol and the tap of frames have to be there.
void register_enet_connections();

}  // namespace godot_plugin
