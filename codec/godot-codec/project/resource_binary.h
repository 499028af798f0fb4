// SPDX-License-Identifier: MIT
/// @file
/// Scenes and resources in the engine's binary format (.scn, .res), and what
/// the editor makes of .tscn and .tres where it exports a game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/project/tokens.h"

namespace godot_codec::project {

/// True if a file begins like a binary resource, compressed or not.
[[nodiscard]] bool is_binary_resource(std::string_view file);

/// Writes a binary resource in the text format (.tscn, .tres), as far as that
/// is of use: values that are no numbers, texts, paths, arrays or references
/// are only said to be there. Rules: ResourceLoaderBinary::open(),
/// parse_variant() and load(), SceneState::set_bundled_scene(), format 4 and
/// later.
/// @param unpacker null: compressed files have no text
/// @param max_size bytes of the resource, and of the text
[[nodiscard]] Rewritten text_of_resource(std::string_view file, const Unpacker *unpacker, std::size_t max_size);

/// The text of a number that stands for a file: `uid://bqarenaplay1`; empty for
/// none.
[[nodiscard]] std::string uid_text(std::uint64_t uid);

}  // namespace godot_codec::project
