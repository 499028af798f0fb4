// SPDX-License-Identifier: MIT
/// @file
/// The dialects of Godot's Variant serialization: one table each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// The types of all dialects, in the order of Godot 4's Variant::Type. A type that two dialects call by
/// different names (Quat, Quaternion; PoolIntArray, PackedInt32Array) is one type here.
enum class Type : std::uint8_t {
  nil,
  boolean,
  integer,
  real,
  string,
  vector2,
  vector2i,
  rect2,
  rect2i,
  vector3,
  vector3i,
  transform2d,
  vector4,
  vector4i,
  plane,
  quaternion,
  aabb,
  basis,
  transform3d,
  projection,
  color,
  string_name,
  node_path,
  rid,
  object,
  callable,
  signal,
  dictionary,
  array,
  packed_byte_array,
  packed_int32_array,
  packed_int64_array,
  packed_float32_array,
  packed_float64_array,
  packed_string_array,
  packed_vector2_array,
  packed_vector3_array,
  packed_color_array,
  packed_vector4_array,
};

/// In the order in which one is preferred where nothing else decides.
enum class Dialect : std::uint8_t {
  godot4,  ///< what engines of 4.x send
  godot3,  ///< what engines of 3.x send
  docs,    ///< the table of the documentation of 4.1 and 4.2; no engine sends it, but clients were written from it
};

inline constexpr std::size_t dialect_count = 3;
inline constexpr Dialect all_dialects[dialect_count] = {Dialect::godot4, Dialect::godot3, Dialect::docs};

/// One row of a dialect: the type that a number stands for, and its name in the dialect's own words.
struct TypeRow {
  Type type;
  std::string_view name;
};

/// What tells one dialect from another. Everything else is the same in all of them.
struct DialectTable {
  std::string_view name;             ///< as shown to a user
  std::span<const TypeRow> types;    ///< indexed by type number
  bool rid_has_id;                   ///< a RID is followed by a u64
  bool flag_widens_reals;            ///< header bit 16 makes the reals of any type 64 bits wide
  bool typed_containers;             ///< header bits 16-19 announce element, key and value types
  bool clears_node_path_padding;     ///< the engine zeroes it; Godot 3 leaves what its buffer held before
  std::string_view node_path_sigil;  ///< what a script writes before a NodePath's quotes
};

[[nodiscard]] const DialectTable &dialect_table(Dialect dialect);

/// The dialect's own word for a type; empty where it has none.
[[nodiscard]] std::string_view type_name(Dialect dialect, Type type);

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
