// SPDX-License-Identifier: MIT
/// @file
/// The text format of Godot's scenes and resources (.tscn, .tres) and settings (project.godot): tags in brackets,
/// and below them keys with values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// A value, as far as it is of use here.
struct ResourceValue {
  enum class Kind : std::uint8_t {
    other,  ///< its texts may be of use all the same
    null,
    boolean,
    integer,
    string,     ///< a StringName too
    node_path,  ///< `NodePath("../A")`, `^"../A"`
    external,   ///< `ExtResource("1_ab")`, `ExtResource( 1 )`
    internal,   ///< `SubResource("x")`
  };

  Kind kind = Kind::other;
  std::int64_t integer = 0;        ///< an integer's value; a boolean's 0 or 1
  std::string text;                ///< the text of string and node_path; the id of external and internal
  std::vector<std::string> texts;  ///< for other: all texts in it, one after the other: `PackedStringArray("a", "b")`
};

/// `[node name="A" parent="."]`, or `key = value`.
struct ResourceItem {
  bool is_tag = false;
  std::string name;                                          ///< a tag's first word, or the key
  ResourceValue value;                                       ///< a key's value
  std::map<std::string, ResourceValue, std::less<>> fields;  ///< a tag's
  std::uint32_t line = 0;                                    ///< where it begins, counted from 1

  /// The text of a tag's field, of a string or an integer; empty if there is none.
  [[nodiscard]] std::string text_of(std::string_view field) const;
};

/// Reads one item after the other. What is not understood is passed over.
class ResourceReader {
 public:
  /// @param source valid UTF-8; must outlive this
  explicit ResourceReader(std::string_view source);

  /// @returns false at the end
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
