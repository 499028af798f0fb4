// SPDX-License-Identifier: MIT
/// @file
/// An exported game, as a tester has it.
#pragma once

#include <string>

#include "godot-codec/project/contents.h"
#include "godot-codec/project/pack.h"

namespace godot_codec::project {

/// Reads the game's files in a pack: scripts as source or tokens, scenes and
/// resources as text or binary, settings. What the editor has put elsewhere is
/// found by its `.remap`.
/// @returns why there is no project, as the end of a sentence; empty if there
/// is one
[[nodiscard]] std::string read_pack(ByteSource &source, const Limits &limits, ProjectSources &sources);

/// Writes a project.binary as a project.godot, as far as it has texts.
/// Rule: ProjectSettings::_load_settings_binary()
[[nodiscard]] std::string text_of_settings(std::string_view file);

/// True if a file begins like a project.binary.
[[nodiscard]] bool is_binary_settings(std::string_view file);

}  // namespace godot_codec::project
