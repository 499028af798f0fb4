// SPDX-License-Identifier: MIT
/// @file
/// The syntax tree of a description file, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/layout/layout.h"

namespace godot_codec::layout {

/// A count in a description: a fixed number, the name of a field, or everything up to the end of the data.
struct SyntaxCount {
  LayoutCount::Source source = LayoutCount::Source::number;
  std::uint64_t number = 1;
  std::string name;
};

struct SyntaxCondition {
  std::string name;
  LayoutCondition::Comparison comparison = LayoutCondition::Comparison::equal;
  std::optional<std::int64_t> number;
  std::string number_name;  ///< name of the value to compare with, if the value is not written as a number
};

struct SyntaxField {
  std::uint32_t line = 0;
  std::string name;
  LayoutFieldType type = LayoutFieldType::group;
  std::uint8_t size = 0;
  bool is_big_endian = false;
  bool is_flags = false;
  std::string part;  ///< name of the part that this field uses as its type
  std::optional<SyntaxCount> count;
  std::optional<SyntaxCount> length;
  std::optional<SyntaxCondition> condition;
  std::optional<std::int64_t> constant;
  std::optional<std::string> constant_text;
  std::vector<LayoutValueName> names;
  std::vector<SyntaxField> fields;
};

/// A heading, and the lines below it.
struct SyntaxBlock {
  Layout layout;     ///< the layout that the heading describes, without its fields
  std::string part;  ///< name of a named part; empty for a layout
  std::vector<SyntaxField> fields;
  bool is_incomplete = false;
};

struct SyntaxTree {
  std::vector<SyntaxBlock> blocks;
  std::vector<LayoutError> errors;
};

[[nodiscard]] SyntaxTree parse_layout_file(std::string_view text);

}  // namespace godot_codec::layout
