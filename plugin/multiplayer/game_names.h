// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The names of the user's game, from the folder and the table in the preferences.
#pragma once

#include <span>
#include <string_view>

#include "godot-codec/multiplayer/game_names.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns null if neither a project folder nor a table is set. Reads the folder again if the preference has changed,
/// or if the folder had changed when the capture was opened. The pointer is valid for one packet.
[[nodiscard]] const godot_codec::MpGameNames *game_names();

/// True for the first packet of a capture that calls this, if a project folder is set: this packet reports what was
/// read from the folder. Call after game_names().
[[nodiscard]] bool is_project_due(const packet_info *pinfo);
/// Returns why the folder could not be read; empty if it was read.
[[nodiscard]] std::string_view project_problem();
/// Returns a sentence for each part of the folder that was not read.
[[nodiscard]] std::span<const std::string_view> project_notes();
/// Returns what was read from the folder, "4 scripts, 3 scenes, 9 methods", or why nothing was read. In the pool's
/// memory.
[[nodiscard]] const char *describe_project(wmem_allocator_t *pool);

/// Call when a preference has changed, because the custom formats' fields of the display filter depend on them.
void apply_game_names();

/// Reads the folder again when a capture is opened, if it has changed.
void begin_game_names();

/// Registers the preferences: the project folder, and the advanced ones.
void register_game_names(module_t *module);
void register_advanced_game_names(module_t *module);

}  // namespace godot_plugin
