// SPDX-License-Identifier: MIT
/// @file
/// A Variant as a tree of values that callers can search. The whole tree is built at once. Its arena can be reused for
/// the next tree.
///
/// A walk (variant_walker.h) is faster and needs no memory; a tree is easier to use.
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

class ScriptTextCache;
struct ValueEntry;

/// A value: 16 bytes, trivially copyable. Texts and long lists of numbers are views of the bytes that were read; the
/// values in containers are in the ValueArena.
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

  /// The numbers of a vector, a color, a matrix or a packed array, in wire order. Their range starts at 0.
  [[nodiscard]] NumberSequence numbers() const;
  /// Returns one of the numbers, in script order (script_index()).
  /// @param index less than numbers().size()
  [[nodiscard]] double number(std::size_t index) const { return numbers().real(script_index(shape_of(type_), index)); }
  /// The elements of a PackedStringArray. Their ranges start at the first element.
  [[nodiscard]] PackedStrings strings() const;

  /// The node names of a NodePath, and the property names after its colons. A path in Godot 2's format is a single
  /// name.
  [[nodiscard]] std::span<const VariantValue> path_names() const;
  [[nodiscard]] std::span<const VariantValue> path_subnames() const;
  [[nodiscard]] bool is_absolute() const { return type_ == Type::node_path && flag_; }

 private:
  friend class ValueTreeBuilder;

  explicit VariantValue(Type type) : type_(type) {}

  [[nodiscard]] std::span<const VariantValue> children() const;

  Type type_ = Type::nil;
  NumberKind kind_ = NumberKind::uint8;
  bool flag_ = false;       // for an Object: true if it was sent by ID; for a NodePath: true if it is absolute
  std::uint32_t size_ = 0;  // for a text: its length in bytes; for numbers, strings and children: their number
  union Payload {
    std::int64_t integer;
    double real;
    const std::uint8_t *bytes;  // the first byte of a text, of numbers or of strings
    // The elements of an Array; the keys and values of a Dictionary. Of an Object sent in full: its class, then names
    // and values of properties. Of a Signal: its name and the ID of its Object. Of a NodePath: names as Strings, then
    // sub-names as StringNames.
    const VariantValue *children;
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

/// Builds the tree of the Variant that starts at @p offset. The tree does not contain the types of typed containers.
/// Does not recurse. Throws what @p arena's upstream throws.
/// @param bytes must outlive the tree
/// @param scripts also receives the texts in script style; null if not needed
[[nodiscard]] ValueTree read_value(Bytes bytes, std::size_t offset, const Encoding &encoding,
                                   const ReadOptions &options, ValueArena &arena, ScriptTextCache *scripts = nullptr);

}  // namespace godot_codec
