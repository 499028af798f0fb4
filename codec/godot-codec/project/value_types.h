// SPDX-License-Identifier: MIT
/// @file
/// The set of types that a property's values can have, as declared in the project.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "godot-codec/variant/types.h"

namespace godot_codec::project {

/// A set of Variant types. Contains all types if nothing is known.
class ValueTypes {
 public:
  constexpr ValueTypes() = default;
  constexpr ValueTypes(std::initializer_list<Type> types) : bits_(0) {
    for (const Type type : types) bits_ |= bit(type);
  }

  [[nodiscard]] constexpr bool is_any() const { return bits_ == any; }
  /// True if a value of this type can be on the wire when the property is sent.
  [[nodiscard]] constexpr bool allow(Type type) const { return (bits_ & bit(type)) != 0; }
  /// Returns the union.
  [[nodiscard]] constexpr ValueTypes operator|(const ValueTypes &other) const {
    ValueTypes both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  [[nodiscard]] constexpr bool operator==(const ValueTypes &) const = default;

 private:
  static_assert(type_count <= 64);
  static constexpr std::uint64_t any = ~std::uint64_t{0};
  static constexpr std::uint64_t bit(Type type) { return std::uint64_t{1} << static_cast<unsigned>(type); }

  std::uint64_t bits_ = any;
};

}  // namespace godot_codec::project
