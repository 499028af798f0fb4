// SPDX-License-Identifier: MIT
/// @file
/// Scripts as games are exported with them (.gdc): tokens, from Godot 4.3 on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godot_codec::project {

class Unpacker;

/// How a file was turned into text.
struct Rewritten {
  std::string text;     ///< valid UTF-8 where the file's texts are
  std::string problem;  ///< why there is no text, as the end of a sentence: "it
                        ///< is compressed"; empty if there is
};

/// True if a file begins like one of tokens.
[[nodiscard]] bool is_tokens(std::string_view file);

/// Writes tokens as the source of a script, each on the line where it was.
/// Comments are not in the file, and spaces are where two words would be one.
/// Rules: GDScriptTokenizerBuffer::set_code_buffer(), versions 100 (4.3) and
/// 101 (4.5).
/// @param unpacker null: compressed files have no text
/// @param max_size bytes of the tokens, and of the text
[[nodiscard]] Rewritten text_of_tokens(std::string_view file, const Unpacker *unpacker, std::size_t max_size);

}  // namespace godot_codec::project
