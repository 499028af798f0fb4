// SPDX-License-Identifier: MIT
/// @file
/// Reads exported games, from their packs.
#pragma once

#include <string>

#include "godot-codec/project/contents.h"
#include "godot-codec/project/pack.h"

namespace godot_codec::project {

/// Reads the game's files from a pack: scripts as source or tokens, scenes and resources as text or binary, and the
/// settings. If the exporter has moved a file, its `.remap` file contains the new path.
/// @returns why there is no project, as the predicate of a sentence about the file ("is encrypted"); empty on success
[[nodiscard]] std::string read_pack(ByteSource &source, const Limits &limits, ProjectSources &sources);

/// Converts a project.binary to the text format of project.godot. Skips values that this converter cannot write as
/// text. Source: ProjectSettings::_load_settings_binary()
[[nodiscard]] std::string text_from_settings(std::string_view file);

/// True if a file starts with the signature of a project.binary.
[[nodiscard]] bool is_binary_settings(std::string_view file);

}  // namespace godot_codec::project
