// SPDX-License-Identifier: MIT
/// @file
/// The dialects of Godot's Variant serialization. Engine versions differ in their type numbers and header flags.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/core/fixed_list.h"
#include "godot-codec/variant/variant_types.h"

namespace godot_codec {

/// One row of a dialect's table: the meaning of a type number.
struct TypeRow {
  Type type;
  BodyFormat body;             ///< how the type's values are read
  std::string_view name;       ///< the type's name in the engine version of the dialect; zero-terminated
  std::uint32_t ignored_bits;  ///< header bits that the engine ignores, because they belong neither to the type number
                               ///< nor to a flag of this type
};

/// The differences between dialects. Everything else is the same in all of them.
struct DialectTable {
  std::string_view name;           ///< shown to users
  std::span<const TypeRow> types;  ///< indexed by type number
  bool rid_has_id;                 ///< true if a RID's header is followed by a u64
  bool has_godot4_flags;           ///< true if HeaderFlags::is_only_godot4 flags have their meaning
  /// True if the engine writes zeros as padding. Godot 3 and 4.0 to 4.5 send old bytes of a buffer instead.
  bool clears_node_path_padding;
  std::string_view node_path_sigil;  ///< what a script writes before the quotes of a NodePath
};

[[nodiscard]] const DialectTable &dialect_table(Dialect dialect);

/// Returns the type's name in a dialect; empty if the dialect does not have the type.
[[nodiscard]] std::string_view type_name(Dialect dialect, Type type);

/// Returns the header bits from 16 up that have a meaning for a type. The engine ignores the other bits
/// (EncodingNote::header_bits).
[[nodiscard]] std::uint32_t known_header_flags(Type type, Dialect dialect);

using DialectSet = EnumSet<Dialect>;

inline constexpr DialectSet every_dialect{Dialect::godot4, Dialect::godot3, Dialect::docs};

/// Returns the first member in the order of preference; godot4 if the set is empty.
[[nodiscard]] constexpr Dialect first_dialect(DialectSet set) {
  for (const Dialect dialect : all_dialects) {
    if (set.has(dialect)) return dialect;
  }
  return Dialect::godot4;
}

}  // namespace godot_codec
