// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of problems, `-z godot,problems`: why a game does not work, a row for each cause.
#pragma once

namespace godot_plugin {

/// Registers the table.
void register_problems();

}  // namespace godot_plugin
