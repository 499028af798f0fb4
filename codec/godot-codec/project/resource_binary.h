// SPDX-License-Identifier: MIT
/// @file
/// Converts resources in the engine's binary format (.scn, .res) to text. The exporter stores .tscn and .tres files in
/// this binary format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/project/gdscript_tokens.h"

namespace godot_codec::project {

/// True if a file starts with the signature of a binary resource, compressed or not.
[[nodiscard]] bool is_binary_resource(std::string_view file);

/// Converts a binary resource to the text format (.tscn, .tres). Writes numbers, strings, paths, arrays and references.
/// Replaces other values by a placeholder.
/// Rules: ResourceLoaderBinary::open(), parse_variant() and load(), SceneState::set_bundled_scene(), format 4 and
/// later.
/// @param decompressor null: compressed files are not converted
/// @param max_size limit of the resource and of the text, in bytes
[[nodiscard]] ConvertedText text_from_resource(std::string_view file, const Decompressor *decompressor,
                                               std::size_t max_size);

/// Returns the text form of a UID as ResourceUID writes it: `uid://bqarenaplay1`.
[[nodiscard]] std::string uid_text(std::uint64_t uid);

}  // namespace godot_codec::project
