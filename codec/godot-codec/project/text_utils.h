// SPDX-License-Identifier: MIT
/// @file
/// Text utilities shared by the readers of scripts and resources: string escapes, UTF-8, and Godot's paths.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// Replaces the escape sequences of a string literal. GDScript and text resources have the same escapes.
/// @param text the characters between the quotes
/// @returns valid UTF-8 if @p text is valid UTF-8; an unpaired surrogate becomes U+FFFD
[[nodiscard]] std::string unescape(std::string_view text);

/// Returns the value of a string token. Replaces its escapes, unless it is a raw string.
[[nodiscard]] inline std::string string_value_of(const Token &string) {
  return string.is_raw ? std::string(string.text) : unescape(string.text);
}

using Tokens = std::span<const Token>;

/// True if the token at an index is a member of an object other than `self`. The index may be the number of tokens.
[[nodiscard]] inline bool is_member_of_other(Tokens tokens, std::size_t i) {
  return i > 0 && tokens[i - 1].is_symbol('.') && !(i > 1 && tokens[i - 2].is_word("self"));
}

/// Views a file's content as bytes.
[[nodiscard]] inline Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

/// Appends a code point as UTF-8; U+FFFD if the code point is not valid.
void append_utf8(std::string &text, std::uint32_t code);

/// Resolves a path as Godot does when it loads a file.
/// @param path as written: absolute (`res://a.gd`), or relative to the file's folder (`../a.gd`); a `uid://…` is
/// returned unchanged
/// @param file path of the file that contains @p path: `res://b/c.gd`
[[nodiscard]] std::string resolve_path(std::string_view path, std::string_view file);

/// Returns a property's NodePath without steps into a child and back: `.:x` for `Shape/..:x`. Keeps a `..` at the
/// beginning. Also keeps a `..` after a unique name (`%Shape`), because the path does not contain the parent of this
/// node.
[[nodiscard]] std::string remove_parent_steps(std::string_view path);

/// Returns a file name's extension in lower case, without the dot: `gd`; empty if there is none.
[[nodiscard]] std::string extension_of(std::string_view path);

/// Parses an integer.
/// @returns nullopt if the whole text is not an integer of this type
template <typename Integer>
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text) {
  Integer number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Splits a text at a separator, and calls @p take for each part, including empty parts.
template <typename Take>
void for_each_part(std::string_view text, char separator, const Take &take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace godot_codec::project
