// SPDX-License-Identifier: MIT
/// @file
/// Parses the text format of Godot's scenes and resources (.tscn, .tres) and settings (project.godot). The text
/// consists of tags in brackets, each followed by keys with values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

enum class ResourceValueKind : std::uint8_t {
  other,  ///< any other type; `texts` has the strings in the value
  null,
  boolean,
  integer,
  string,     ///< also a StringName
  node_path,  ///< `NodePath("../A")`, `^"../A"`
  external,   ///< `ExtResource("1_ab")`, `ExtResource( 1 )`
  internal,   ///< `SubResource("x")`
};

/// A value, with as much detail as the project reader needs.
struct ResourceValue {
  ResourceValueKind kind = ResourceValueKind::other;
  std::int64_t integer = 0;        ///< value of an integer; 0 or 1 for a boolean
  std::string text;                ///< text of a string or node_path; id of external and internal
  std::vector<std::string> texts;  ///< for ResourceValueKind::other: all strings in the value, in order:
                                   ///< `PackedStringArray("a", "b")`
};

/// `[node name="A" parent="."]`, or `key = value`.
struct ResourceItem {
  bool is_tag = false;
  std::string name;                                          ///< first word of a tag, or the key
  ResourceValue value;                                       ///< for a key
  std::map<std::string, ResourceValue, std::less<>> fields;  ///< for a tag
  std::uint32_t line = 0;                                    ///< first line of the item, counted from 1

  /// Returns a tag's field as text if it is a string or an integer; empty if the tag has no such field.
  [[nodiscard]] std::string field_text(std::string_view field) const;
};

/// Reads the items in order. Skips text that it cannot parse.
class ResourceReader {
 public:
  /// @param source valid UTF-8; must outlive the reader
  explicit ResourceReader(std::string_view source);

  /// @returns false after the last item
  bool next(ResourceItem &item);

 private:
  Token take();
  [[nodiscard]] bool take(char symbol);
  void read_tag(ResourceItem &item);
  [[nodiscard]] std::string read_key();
  [[nodiscard]] ResourceValue read_value();
  void read_brackets(ResourceValue &value, std::string_view &first_word);

  Lexer lexer_;
  Token token_;
};

}  // namespace godot_codec::project
