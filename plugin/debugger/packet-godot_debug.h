// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_debug`: what Godot's editor and a running game tell each other.
#pragma once

namespace godot_plugin {

/// Registers protocol, fields and preferences.
void register_godot_debug();

/// Hooks the protocol onto its ports.
void handoff_godot_debug();

}  // namespace godot_plugin
