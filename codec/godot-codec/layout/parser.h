// SPDX-License-Identifier: MIT
/// @file
/// The syntax tree of a description file, before names are resolved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/layout/layout.h"

namespace godot_codec::layout {

/// A field, before the names of other fields, of parts and of values are resolved.
struct SyntaxField {
  LayoutNode node;  ///< complete except for the slots, the indexes of display filter fields, and the fields of a group
  LayoutFieldKind kind = LayoutFieldKind::group;
  std::uint32_t line = 0;
  std::string part;             ///< name of the part that this field uses as its type
  std::string count_name;       ///< name of the field with the number of elements; empty: `node.count` has the number
  std::string length_name;      ///< name of the field with the length; empty: `node.length` has the number
  std::string condition_name;   ///< name of the field that `node.condition` is about
  std::string condition_value;  ///< name of the value to compare with; empty: `node.condition` has the number
  std::vector<LayoutValueName> names;
  std::vector<SyntaxField> fields;

  [[nodiscard]] bool is_number() const {
    return kind == LayoutFieldKind::unsigned_number || kind == LayoutFieldKind::signed_number;
  }
};

/// A heading, and the lines below it.
struct SyntaxBlock {
  Layout layout;     ///< the layout that the heading describes, without its fields
  std::string part;  ///< name of a named part; empty for a layout
  std::vector<SyntaxField> fields;
};

struct SyntaxTree {
  std::vector<SyntaxBlock> blocks;
  std::vector<LayoutError> errors;
};

[[nodiscard]] SyntaxTree parse_layout_file(std::string_view text);

}  // namespace godot_codec::layout
