// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The carriers, which bring messages, and find out which protocol they belong to. This layer is above all protocols,
/// which know nothing of one another.
#pragma once

namespace godot_plugin {

/// After the protocols.
void register_transports();
/// Hooks onto the carriers' tables and heuristics.
void handoff_transports();
/// Does as the preferences say. Called when one of `godot` or `godot_mp` has changed.
void apply_transports();

}  // namespace godot_plugin
