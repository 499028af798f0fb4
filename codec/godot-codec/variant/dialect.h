// SPDX-License-Identifier: MIT
/// @file
/// The dialects of Godot's Variant serialization: what tells one from another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/variant/types.h"

namespace godot_codec {

/// One row of a dialect: the type that a number stands for, and its name in the dialect's own words.
struct TypeRow {
  Type type;
  Body body;                   ///< how its values are read
  std::string_view name;       ///< ends with a zero
  std::uint32_t ignored_bits;  ///< the header bits that mean nothing: not the type, and not a flag of it
};

/// The differences between one dialect and another. Everything else is equal in all of them.
struct DialectTable {
  std::string_view name;             ///< shown to users
  std::span<const TypeRow> types;    ///< indexed by type number
  bool rid_has_id;                   ///< a RID is followed by a u64
  bool flag_widens_reals;            ///< header bit 16 makes the reals of any type 64 bits wide
  bool typed_containers;             ///< header bits 16-19 announce element, key and value types
  bool clears_node_path_padding;     ///< else it holds what a buffer held before: in Godot 3, and in 4.0 to 4.5
  std::string_view node_path_sigil;  ///< a script writes it before a NodePath's quotes
};

[[nodiscard]] const DialectTable &dialect_table(Dialect dialect);

/// The dialect's own word for a type; empty where it has none.
[[nodiscard]] std::string_view type_name(Dialect dialect, Type type);

/// The header bits from 16 up that mean something to a type; others are ignored (Note::header_bits).
[[nodiscard]] std::uint32_t known_header_flags(Type type, Dialect dialect);

/// A set of dialects.
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
  /// The first member in the order of preference; godot4 of an empty set.
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
