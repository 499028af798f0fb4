// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The tables that count: calls, objects, peers, the debugger's messages, and where all bytes go.
#pragma once

namespace godot_plugin {

/// Registers the tap of frames and all tables.
void register_statistics();

}  // namespace godot_plugin
