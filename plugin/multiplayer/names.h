// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The names of the user's game: of the folder and the table in the preferences.
#pragma once

#include "godot-codec/multiplayer/names.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Null if the user has given none. Reads the folder if that is due: when it is another one, and when it has changed
/// before a capture is opened. Hold on to it for a packet at most.
[[nodiscard]] const godot_codec::MpNames *game_names();

/// Why there is no project in the folder, for the first packet of a capture that asks; else empty. After game_names().
[[nodiscard]] std::string_view project_problem(const packet_info *pinfo);

/// Registers the preferences.
void register_game_names(module_t *module);

}  // namespace godot_plugin
