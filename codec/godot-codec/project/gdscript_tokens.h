// SPDX-License-Identifier: MIT
/// @file
/// Converts tokenised scripts of exported games (.gdc, Godot 4.3 and later) to source text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godot_codec::project {

class Decompressor;

/// The text that a binary file was converted to, or the reason why there is no text.
struct ConvertedText {
  std::string text;     ///< valid UTF-8 if the file's strings are
  std::string problem;  ///< the reason why there is no text, as the end of a sentence: "it is compressed"; empty on
                        ///< success
};

/// True if a file starts with the .gdc signature.
[[nodiscard]] bool is_tokenised_script(std::string_view file);

/// Writes tokens as source code. Each token is on its original line. The file has no comments, and spaces are added
/// only where two words would merge.
/// Rules: GDScriptTokenizerBuffer::set_code_buffer(), versions 100 (Godot 4.3) and 101 (Godot 4.5).
/// @param decompressor null: compressed files are not converted
/// @param max_size limit of the tokens and of the text, in bytes
[[nodiscard]] ConvertedText script_from_tokens(std::string_view file, const Decompressor *decompressor,
                                               std::size_t max_size);

}  // namespace godot_codec::project
