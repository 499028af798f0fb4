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

/// A fixed number, the name of a field, or everything up to the end of the data.
struct SourceCount {
  LayoutCount::Source source = LayoutCount::Source::number;
  std::uint64_t number = 1;
  std::string name;
};

struct SourceCondition {
  std::string name;
  LayoutCondition::Comparison comparison = LayoutCondition::Comparison::equal;
  std::optional<std::int64_t> number;
  std::string number_name;  ///< name of the value to compare with, if the value is not written as a number
};

struct SourceField {
  std::uint32_t line = 0;
  std::string name;
  LayoutType type = LayoutType::group;
  std::uint8_t size = 0;
  bool is_big_endian = false;
  bool is_flags = false;
  std::string part;  ///< name of the part that this field uses as its type
  std::optional<SourceCount> count;
  std::optional<SourceCount> length;
  std::optional<SourceCondition> condition;
  std::optional<std::int64_t> constant;
  std::optional<std::string> constant_text;
  std::vector<LayoutName> names;
  std::vector<SourceField> fields;
};

/// A heading, and the lines below it.
struct SourceBlock {
  Layout layout;     ///< the layout that the heading describes, without its fields
  std::string part;  ///< name of a named part; empty for a layout
  std::vector<SourceField> fields;
  bool is_incomplete = false;
};

struct Source {
  std::vector<SourceBlock> blocks;
  std::vector<LayoutError> errors;
};

[[nodiscard]] Source parse(std::string_view text);

}  // namespace godot_codec::layout
