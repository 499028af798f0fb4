// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The names of the user's game, from the folder and the table in the preferences.
#pragma once

#include <span>
#include <string_view>

#include "godot-codec/multiplayer/names.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Null if the user has given no names. Reads the folder if that is due: if it is another folder, or if it has changed
/// before a capture was opened. The pointer is good for one packet at most.
[[nodiscard]] const godot_codec::MpNames *game_names();

/// True once in a capture, for the first packet that asks, if the user has given a folder: that packet then tells what
/// was read from the folder. Call it after game_names().
[[nodiscard]] bool is_project_due(const packet_info *pinfo);
/// Why there is no project in the folder, or empty.
[[nodiscard]] std::string_view project_problem();
/// A sentence for each thing that was left out of the folder.
[[nodiscard]] std::span<const std::string_view> project_notes();
/// Says what the folder gave, or why it gave nothing, in the pool's memory: "4 scripts, 3 scenes, 9 methods".
[[nodiscard]] const char *describe_project(wmem_allocator_t *pool);

/// To be called when a preference has changed: fields of the display filter go by them.
void apply_game_names();

/// Reads the folder again when a capture is opened, if it has changed.
void begin_game_names();

/// Registers the preferences: the game, and those that few people need.
void register_game_names(module_t *module);
void register_advanced_game_names(module_t *module);

/// Registers the table of names, `-z godot_mp,names`: what the game's folder gave, and which nodes' calls and values
/// have no name.
void register_names_table();

}  // namespace godot_plugin
