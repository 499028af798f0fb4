// SPDX-License-Identifier: MIT
/// @file
/// Small things that scripts and resources have in common: texts with escapes, and Godot's paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// Reads a literal's escapes: GDScript's, which are those of text resources, too.
/// @param text between the quotes
/// @returns valid UTF-8 if @p text is; half of a surrogate pair becomes U+FFFD
[[nodiscard]] std::string unescape(std::string_view text);

/// The text that a string of a script or a resource stands for.
[[nodiscard]] inline std::string value_of(const Token &string) {
  return string.is_raw ? std::string(string.text) : unescape(string.text);
}

/// The bytes of a file that is read as one.
[[nodiscard]] inline Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

/// The next bytes of a file as a text; empty if they are not all there.
[[nodiscard]] inline std::string_view take_text(Cursor &cursor, std::size_t size) {
  const std::uint8_t *start = cursor.take(size);
  return start == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char *>(start), size);
}

/// Appends a character; U+FFFD for what is none.
void append_utf8(std::string &text, std::uint32_t code);

/// A path as written in a file, as Godot takes it.
/// @param path `res://a.gd`, or relative to the file's folder: `../a.gd`; `uid://…` stays as it is
/// @param file the file's own path, `res://b/c.gd`
[[nodiscard]] std::string resolve_path(std::string_view path, std::string_view file);

/// Returns a property's NodePath without detours over a child: `.:x` for `Shape/..:x`. A leading `..` stays, and so
/// does one after a unique name (`%Shape`), because the parent of that node is not in the path.
[[nodiscard]] std::string without_parent_parts(std::string_view path);

/// The part behind the last dot of a path's last component, in lower case: `gd`; empty if there is none.
[[nodiscard]] std::string extension_of(std::string_view path);

/// Splits at a separator and calls @p take for each part, also the empty ones.
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
