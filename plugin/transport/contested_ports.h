// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Ports that the user has named twice: only one dissector of a port gets its packets.
#pragma once

namespace godot_plugin {

/// From now on, whenever a capture is opened, the user is told of a port that two preferences name.
void register_contested_ports();

}  // namespace godot_plugin
