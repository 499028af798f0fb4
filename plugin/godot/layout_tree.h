// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The interface between the file of a game's formats and the drawing of bytes by it.
#pragma once

#include <cstdint>

namespace godot_plugin {

/// The protocol `game`.
extern int proto_game;

/// The registered field of one of game_layouts()->fields(), by its index.
[[nodiscard]] int registered_layout_field(std::uint32_t field);

void register_layout_tree();

}  // namespace godot_plugin
