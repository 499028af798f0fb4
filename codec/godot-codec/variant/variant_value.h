// SPDX-License-Identifier: MIT
/// @file
/// A Variant as a tree of values that callers can search. The whole tree is built at once. Its arena can be reused for
/// the next tree.
///
/// A walk (variant_walker.h) is faster and needs no memory; a tree is easier to use, and outlives the packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/variant_types.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

struct ValueEntry;

/// A value: 16 bytes, trivially copyable. Texts, elements and long number lists are in its ValueArena.
///
/// An accessor returns 0 or an empty result if it does not apply to the type. Texts are as they were sent. They may be
/// invalid UTF-8 (see the notes in ValueTree::result). The engine would cut them at the first zero byte
/// (engine_text()).
class VariantValue {
 public:
  VariantValue() = default;

  [[nodiscard]] Type type() const { return type_; }
  /// True for Nil, and for an Object that is null: its ID is 0, or its class name is empty.
  [[nodiscard]] bool is_null() const;

  [[nodiscard]] bool boolean() const { return type_ == Type::boolean && payload_.integer != 0; }
  /// The number of an int, or the ID of a RID.
  [[nodiscard]] std::int64_t integer() const {
    return type_ == Type::integer || type_ == Type::rid ? payload_.integer : 0;
  }
  /// The number of a float or an int.
  [[nodiscard]] double real() const {
    return type_ == Type::real ? payload_.real : static_cast<double>(type_ == Type::integer ? payload_.integer : 0);
  }
  /// The text of a String or StringName, the class of an Object sent in full, or the name of a Signal.
  [[nodiscard]] std::string_view text() const;
  /// The instance ID of an Object sent by ID, or of a Signal's Object.
  [[nodiscard]] std::uint64_t object_id() const;

  [[nodiscard]] std::span<const VariantValue> elements() const;
  /// The entries of a Dictionary in wire order, or the properties of an Object sent in full. Includes duplicate keys.
  [[nodiscard]] std::span<const ValueEntry> entries() const;
  /// Returns the value of a key that is a text. If the key occurs several times, returns the last value, like the
  /// engine. Linear search.
  /// @returns null if the key does not exist
  [[nodiscard]] const VariantValue *find(std::string_view key) const;

  /// The type of the numbers of a vector, a color, a matrix or a packed array.
  [[nodiscard]] NumberKind number_kind() const { return kind_; }
  /// Number of numbers: 3 for a Vector3, three per element for a PackedVector3Array.
  [[nodiscard]] std::size_t number_count() const { return has_numbers() ? size_ : 0; }
  /// The numbers, in script order. Empty if Number does not match number_kind(). Number is std::uint8_t, std::int32_t,
  /// std::int64_t, float or double. The VariantValue itself stores up to 8 bytes of numbers, so the span may become
  /// invalid with the VariantValue.
  template <typename Number>
  [[nodiscard]] std::span<const Number> numbers() const {
    if (!has_numbers() || kind_ != kind_of<Number>()) return {};
    return {static_cast<const Number *>(data()), size_};
  }
  /// @param index less than number_count()
  [[nodiscard]] double number(std::size_t index) const;
  /// The elements of a PackedStringArray, without the terminating zeros.
  [[nodiscard]] std::span<const std::string_view> strings() const;

  /// The node names of a NodePath, and the property names after its colons, as Strings. A path in Godot 2's format is a
  /// single name.
  [[nodiscard]] std::span<const VariantValue> path_names() const;
  [[nodiscard]] std::span<const VariantValue> path_subnames() const;
  [[nodiscard]] bool is_absolute() const;

 private:
  friend class ValueTreeBuilder;

  struct PathData;
  struct NamedData;

  static constexpr std::size_t inline_size = 8;

  explicit VariantValue(Type type) : type_(type) {}

  template <typename Number>
  static constexpr NumberKind kind_of() {
    if constexpr (std::is_same_v<Number, std::uint8_t>) return NumberKind::uint8;
    if constexpr (std::is_same_v<Number, std::int32_t>) return NumberKind::int32;
    if constexpr (std::is_same_v<Number, std::int64_t>) return NumberKind::int64;
    if constexpr (std::is_same_v<Number, float>) return NumberKind::float32;
    static_assert(std::is_arithmetic_v<Number>);
    return NumberKind::float64;
  }
  [[nodiscard]] bool has_numbers() const {
    return shape_of(type_).component_count > 0 || (is_packed(type_) && type_ != Type::packed_string_array);
  }
  [[nodiscard]] const void *data() const {
    return size_ * number_size(kind_) <= inline_size ? static_cast<const void *>(&payload_) : payload_.pointer;
  }

  Type type_ = Type::nil;
  NumberKind kind_ = NumberKind::uint8;
  bool is_by_id_ = false;   // for an Object: true if it was sent by ID
  std::uint32_t size_ = 0;  // for a text: its length in bytes; for a container or a list of numbers: the number of
                            // items
  union Payload {
    std::int64_t integer;
    double real;
    const void *pointer;
  } payload_ = {0};
};
static_assert(sizeof(VariantValue) == 16 && std::is_trivially_copyable_v<VariantValue>);

struct ValueEntry {
  VariantValue key;
  VariantValue value;
};

/// The memory for trees. Takes at most 32 bytes per byte that is read, plus 8 KiB. A count in the bytes never
/// determines an allocation. A small tree needs no memory from upstream.
class ValueArena {
 public:
  /// @param upstream the resource that provides the memory of larger trees
  explicit ValueArena(std::pmr::memory_resource *upstream = std::pmr::get_default_resource())
      : memory_(first_block_.data(), first_block_.size(), upstream), stack_(upstream) {}

  /// Frees the memory of all values, which become invalid.
  void clear() { memory_.release(); }

 private:
  friend class ValueTreeBuilder;

  std::array<std::byte, 4096> first_block_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::vector<VariantValue> stack_;  // values of containers that have not ended yet
};

/// A tree, and the result of the walk that built it.
struct ValueTree {
  WalkResult result;  ///< the engine rejects the value if the result's notes contain one of refused_notes
  const VariantValue *root = nullptr;  ///< null unless result.outcome is ok
};

/// Builds the tree of the Variant that starts at @p offset. The tree holds copies, so @p bytes need not outlive it. It
/// does not contain the types of typed containers. Does not recurse. Throws what @p arena's upstream throws.
[[nodiscard]] ValueTree read_value(Bytes bytes, std::size_t offset, const Encoding &encoding,
                                   const ReadOptions &options, ValueArena &arena);

}  // namespace godot_codec
