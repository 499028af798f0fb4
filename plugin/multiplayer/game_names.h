// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The names of nodes, methods and properties of the user's game, from the project folder and a preference table.
#pragma once

#include <span>
#include <string_view>

#include "godot-codec/multiplayer/game_names.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the names; null if neither a project folder nor a table is configured. Reads the folder again after the
/// preference has changed, or if the folder had changed when the capture was opened. The pointer is valid for one
/// packet.
[[nodiscard]] const godot_codec::MpGameNames *game_names();

/// True if this packet must report the contents of the project folder, because it is the first packet of the capture
/// for which this function is called. Call after game_names().
[[nodiscard]] bool must_report_project(const packet_info *pinfo);
/// Returns why the project folder could not be read; empty if there was no error.
[[nodiscard]] std::string_view project_problem();
/// Returns a sentence for each part of the project folder that was not read.
[[nodiscard]] std::span<const std::string_view> project_notes();
/// Returns the contents of the project folder as text, for example "4 scripts, 3 scenes, 9 methods", or why it was not
/// read. The text is in the pool's memory.
[[nodiscard]] const char *describe_project(wmem_allocator_t *pool);

/// Reads the project folder and the custom formats again if they have changed. Call when a capture is opened and when a
/// preference has changed.
void update_game_names();

/// Registers the preferences for the project folder, and the advanced preferences.
void register_game_names(module_t *module);
void register_advanced_game_names(module_t *module);

}  // namespace godot_plugin
