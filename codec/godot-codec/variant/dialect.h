// SPDX-License-Identifier: MIT
/// @file
/// The dialects of Godot's Variant serialization. Engine versions differ in their type numbers and header flags.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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
  bool flag_widens_reals;          ///< true if header bit 16 makes the reals of any type 64 bits wide
  bool has_typed_containers;       ///< true if header bits 16-19 give the types of elements, keys and values
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

class DialectSet {
 public:
  constexpr DialectSet() = default;
  static constexpr DialectSet all() {
    DialectSet set;
    for (const Dialect dialect : all_dialects) set.add(dialect);
    return set;
  }
  constexpr void add(Dialect dialect) { bits_ |= bit(dialect); }
  [[nodiscard]] constexpr bool has(Dialect dialect) const { return (bits_ & bit(dialect)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr DialectSet operator&(DialectSet other) const {
    return DialectSet(static_cast<std::uint8_t>(bits_ & other.bits_));
  }
  constexpr bool operator==(const DialectSet &) const = default;
  /// Returns the first member in the order of preference; godot4 if the set is empty.
  [[nodiscard]] constexpr Dialect first() const {
    for (const Dialect dialect : all_dialects) {
      if (has(dialect)) return dialect;
    }
    return Dialect::godot4;
  }

 private:
  constexpr explicit DialectSet(std::uint8_t bits) : bits_(bits) {}
  static constexpr std::uint8_t bit(Dialect dialect) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(dialect));
  }
  std::uint8_t bits_ = 0;
};

}  // namespace godot_codec
