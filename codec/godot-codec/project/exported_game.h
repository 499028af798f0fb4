// SPDX-License-Identifier: MIT
/// @file
/// Reads exported games: their packs, and the conversion of binary scripts, resources and settings to text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/project/game_pack.h"
#include "godot-codec/project/project_contents.h"

namespace godot_codec::project {

/// Reads the game's files from a pack: scripts as source or tokens, scenes and resources as text or binary, and the
/// settings. If the exporter has moved a file, its `.remap` file contains the new path.
/// @returns why there is no project, as the predicate of a sentence about the file ("is encrypted"); empty on success
[[nodiscard]] std::string read_pack(RegularFile &pack, ParsedSources &sources);

/// Decompresses a file, or a part of a file.
/// @param decompressor null: nothing is decompressed
/// @param method the function of the decompressor
/// @param size size of the content in bytes, as stored in the export
/// @returns the reason why there is no content, as the end of a sentence ("it is compressed"); empty on success
[[nodiscard]] std::string decompress_content(const Decompressor *decompressor,
                                             Decompressor::Function Decompressor::*method, std::string_view compressed,
                                             std::size_t size, std::size_t max_size, std::string &content);

/// Converts a project.binary to the text format of project.godot. Skips values that this converter cannot write as
/// text. Source: ProjectSettings::_load_settings_binary()
[[nodiscard]] std::string convert_binary_settings(std::string_view file);

/// True if a file starts with the signature of a project.binary.
[[nodiscard]] bool is_binary_settings(std::string_view file);

/// The text that a binary file was converted to, or the reason why there is no text.
struct ConvertedText {
  std::string text;     ///< valid UTF-8 if the file's strings are
  std::string problem;  ///< the reason why there is no text, as the end of a sentence: "it is compressed"; empty on
                        ///< success
};

/// True if a file starts with the .gdc signature.
[[nodiscard]] bool is_binary_script(std::string_view file);

/// Writes tokens as source code. Each token is on its original line. The file has no comments, and spaces are added
/// only where two words would merge.
/// Rules: GDScriptTokenizerBuffer::set_code_buffer(), versions 100 (Godot 4.3) and 101 (Godot 4.5).
/// @param decompressor null: compressed files are not converted
/// @param max_size limit of the tokens and of the text, in bytes
[[nodiscard]] ConvertedText convert_binary_script(std::string_view file, const Decompressor *decompressor,
                                                  std::size_t max_size);

/// True if a file starts with the signature of a binary resource, compressed or not.
[[nodiscard]] bool is_binary_resource(std::string_view file);

/// Converts a binary resource to the text format (.tscn, .tres). Writes numbers, strings, paths, arrays and references.
/// Replaces other values by a placeholder.
/// Rules: ResourceLoaderBinary::open(), parse_variant() and load(), SceneState::set_bundled_scene(), format 4 and
/// later.
/// @param decompressor null: compressed files are not converted
/// @param max_size limit of the resource and of the text, in bytes
[[nodiscard]] ConvertedText convert_binary_resource(std::string_view file, const Decompressor *decompressor,
                                                    std::size_t max_size);

/// Returns the text form of a UID as ResourceUID writes it: `uid://bqarenaplay1`.
[[nodiscard]] std::string format_uid(std::uint64_t uid);

}  // namespace godot_codec::project
