// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The names of the user's game, from the folder and the table in the preferences.
#pragma once

#include <span>
#include <string_view>

#include "godot-codec/multiplayer/names.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Null if the user has given none. Reads the folder if that is due: when it is another one, and when it has changed
/// before a capture is opened. Hold on to it for a packet at most.
[[nodiscard]] const godot_codec::MpNames *game_names();

/// Reports about the folder, each once in a capture: with the first packet that asks. To be called after game_names().
struct ProjectReport {
  std::string_view problem;                 ///< why there is no project in it, or empty
  std::span<const std::string_view> notes;  ///< a sentence for each thing that was left out
};
[[nodiscard]] ProjectReport project_report(const packet_info *pinfo);

/// To be called when a preference has changed: fields of the display filter go by them.
void apply_game_names();

/// Registers the preferences: the game, and those that few people need.
void register_game_names(module_t *module);
void register_advanced_game_names(module_t *module);

}  // namespace godot_plugin
