// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The interface between layouts.cpp (file and fields of custom formats) and layout_tree.cpp (tree items).
#pragma once

#include <cstdint>

namespace godot_plugin {

extern int proto_game;

/// Returns the registered field for an index in game_layouts()->fields().
[[nodiscard]] int registered_layout_field(std::uint32_t field);

void register_layout_tree();

}  // namespace godot_plugin
