// SPDX-License-Identifier: MIT
/// @file
/// The text of a file of formats as it stands there, before names mean anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/layout/layout.h"

namespace godot_codec::layout {

/// A number, the name of a field, or all that is left.
struct SourceCount {
  LayoutCount::Source source = LayoutCount::Source::number;
  std::uint64_t number = 1;
  std::string name;
};

struct SourceCondition {
  std::string name;
  LayoutCondition::Comparison comparison = LayoutCondition::Comparison::equal;
  std::optional<std::int64_t> number;
  std::string number_name;  ///< the field's name for its number
};

struct SourceField {
  std::uint32_t line = 0;
  std::string name;
  LayoutType type = LayoutType::group;
  std::uint8_t size = 0;
  bool is_big_endian = false;
  bool is_flags = false;
  std::string part;  ///< the named part that it is
  std::optional<SourceCount> count;
  std::optional<SourceCount> length;
  std::optional<SourceCondition> condition;
  std::optional<std::int64_t> constant;
  std::optional<std::string> constant_text;
  std::vector<LayoutName> names;
  std::vector<SourceField> parts;
};

/// A heading and what stands below it.
struct SourceBlock {
  Layout place;      ///< without its parts
  std::string part;  ///< name of a part; empty: a place
  std::vector<SourceField> fields;
  bool is_incomplete = false;
};

struct Source {
  std::vector<SourceBlock> blocks;
  std::vector<LayoutMistake> mistakes;
};

[[nodiscard]] Source parse(std::string_view text);

}  // namespace godot_codec::layout
