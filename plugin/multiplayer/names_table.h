// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of names, `-z godot_mp,names`: what the game's folder gave, and which nodes' calls and values have no
/// name.
#pragma once

namespace godot_plugin {

/// Registers the table.
void register_names_table();

}  // namespace godot_plugin
